"""A picture is known by its bytes, and a number means one for ever."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsm_agent.runtime.images import NOTE, Images, kind_of

PNG = b"\x89PNG\r\n\x1a\n" + bytes(8)


@pytest.mark.parametrize(
    ("start", "kind"),
    [
        (PNG, "png"),
        (b"\xff\xd8\xff\xe0" + bytes(12), "jpg"),
        (b"GIF87a" + bytes(8), "gif"),
        (b"GIF89a" + bytes(8), "gif"),
        (b"RIFF\x10\0\0\0WEBPVP8 ", "webp"),
        (b"RIFF\x10\0\0\0WAVEfmt ", ""),
        (b"<svg/>", ""),
        (b"\x89PN", ""),
        (b"", ""),
    ],
)
def test_a_picture_is_known_by_its_first_bytes(start: bytes, kind: str) -> None:
    assert kind_of(start) == kind


def picture(path: Path) -> Path:
    path.write_bytes(PNG)
    return path


def test_numbers_go_on_from_the_highest(workspace: Path) -> None:
    images = Images(workspace)
    shot = picture(workspace / "shot.png")
    assert [images.add(shot, "png") for _ in range(3)] == [1, 2, 3]

    (workspace / "images" / "1.png").unlink()
    assert Images(workspace).add(shot, "jpg") == 4

    picture(workspace / "images" / "11.png")
    (workspace / "images" / "x.png").touch()
    assert images.add(shot, "png") == 12


def test_a_block_says_where_pictures_are(workspace: Path) -> None:
    images = Images(workspace)
    shot = picture(workspace / "shot.png")
    images.add(shot, "png")
    own = picture(workspace / "images" / "2.png")

    assert images.block([2, 1, 2]) == (
        f"<attached-images>\n[Image #1] => {shot}\n[Image #2] => {own}\n{NOTE}\n</attached-images>"
    )


def test_a_picture_is_kept_under_the_next_number(workspace: Path) -> None:
    images = Images(workspace)
    images.add(picture(workspace / "shot.png"), "png")

    assert images.keep(PNG, "webp") == 2
    assert (workspace / "images" / "2.webp").read_bytes() == PNG
    assert {path.name for path in (workspace / "images").iterdir()} == {"1.png", "2.webp"}


def test_one_that_cannot_be_written_gets_no_number(workspace: Path) -> None:
    images = Images(workspace)
    images.keep(PNG, "png")
    (workspace / "images" / "new.part").mkdir()

    with pytest.raises(OSError, match="directory"):
        images.keep(PNG, "png")
    assert images.paths().keys() == {1}


def test_a_fork_has_the_pictures_of_its_origin(workspace: Path) -> None:
    origin, fork = workspace / "a", workspace / "b"
    for session in (origin, fork):
        session.mkdir()
    Images(origin).add(picture(workspace / "shot.png"), "png")
    Images(origin).keep(PNG, "gif")
    Images(fork).take_over(origin)

    assert Images(fork).paths() == Images(origin).paths()
    assert Images(fork).keep(PNG, "png") == 3
    Images(workspace / "c").take_over(workspace / "d")
    assert not (workspace / "c").exists()


def test_pictures_that_are_gone_are_not_in_the_block(workspace: Path) -> None:
    images = Images(workspace)
    assert images.block([1]) == ""

    images.add(workspace / "never there.png", "png")
    assert images.block([1, 2]) == ""
