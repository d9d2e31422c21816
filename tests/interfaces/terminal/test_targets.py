"""What a command names is found by its text, and followed through links."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsm_agent.interfaces.terminal.targets import MOST, targets


@pytest.fixture
def place(workspace: Path) -> str:
    (workspace / "src").mkdir()
    for name in ("a.txt", "src/a.py"):
        (workspace / name).write_text("")
    (workspace / "away").symlink_to("/etc/passwd")
    (workspace / "inner").symlink_to("src")
    return str(workspace)


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("pytest -q", []),
        ("rm -rf src/a.py a.txt", ["names src/a.py, a.txt"]),
        ("rm away", ["names away -> /etc/passwd (outside the workspace)!"]),
        ("rm -rf /etc", ["names /etc (outside the workspace)!"]),
        ("cat a.txt > new.txt 2>&1", ["names a.txt", "writes new.txt"]),
        ("cat a.txt 2>/dev/null >>'new file'", ["names a.txt", "writes new file"]),
        ("echo x >| /etc/x", ["writes /etc/x (outside the workspace)!"]),
        ("cd src && rm a.py", ["names src, src/a.py"]),
        ("cd /etc; rm x", ["names /etc (outside the workspace)!", "names /etc/x (outside the workspace)!"]),
        ("dd if=a.txt of=~/x --to=../y", ["names {home}/x (outside the workspace)!", "names {up}/y (outside the workspace)!", "names a.txt"]),
        ("cp a.txt inner/b.py", ["names inner/b.py -> {cwd}/src/b.py!", "names a.txt"]),
        ("../tool x | sh", ["names {up}/tool (outside the workspace)!"]),
        ("rm *.txt > $X", ["is known only when it runs: *.txt, $X"]),
        ("curl http://a/b -o a.txt", ["names a.txt"]),
        ("cat > new <<E\n/etc/x\nE", ["writes new"]),
        ("rm a.txt 'b", ["names a.txt"]),
        ("echo 'a b' 2", []),
        ("git commit -m ''", []),
        ('"" > a.txt; cd ""', ["writes a.txt"]),
        ("cat " + "x" * 5000 + " a\0b a.txt", ["names a.txt"]),
    ],
)  # fmt: skip
def test_what_a_command_names(place: str, command: str, told: list[str]) -> None:
    where = {"cwd": place, "up": str(Path(place).parent), "home": str(Path.home())}
    found = [f"{text}{'!' if marked else ''}" for text, marked in targets(command, place)]

    assert found == [line.format(**where) for line in told]


@given(
    st.lists(
        st.sampled_from(["a", "x" * 300, "\0", "/", "~", "..", " ", '"', "'", *"\\<>&|;()=-$\n"])
    )
)
def test_nothing_that_a_model_writes_is_too_strange_to_be_asked_about(parts: list[str]) -> None:
    list(targets("".join(parts), "/w"))


def test_a_long_command_is_shown_soon(place: str) -> None:
    began = time.process_time()
    found = list(targets("rm " + " ".join(f"/x/{n}" for n in range(100_000)), place))

    assert len(found) == MOST
    assert time.process_time() - began < 1
