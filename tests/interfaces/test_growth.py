"""A session grows by what is new in it, and by nothing else."""

from __future__ import annotations

import itertools
import os
from pathlib import Path

import pytest

from fsm_agent.events import derived as d
from fsm_agent.events import inputs as i
from fsm_agent.events.values import Economy, TextBlock
from fsm_agent.testing import ModelServer, Reply, openai
from fsm_agent.testing.program import Program
from fsm_agent.testing.stage import Scene, Stage, say
from fsm_agent.tools.protocol import Workplace
from fsm_agent.tools.registry import builtin_tools

RESULT, PICTURE = 200_000, 3_000_000
"""Bytes of what one command prints, and of a picture."""
INLINE = 50_000
"""Bytes of a result that the model gets, and the log holds."""
BARE = 10_000
"""Bytes that a turn of two lines and an answer may take, its start and end included."""
TURNS = 5
SCRIPT = "".join(
    f'---\ncall: Bash {{"command": "cat {n}.txt"}}\n---\ntext: Seen.\n' for n in range(TURNS)
) + "---\ntext: Well.\n" * (2 * TURNS)


def files(directory: Path) -> list[Path]:
    """What has bytes of its own there: of a file with several names one, and no link."""
    found = {path.lstat().st_ino: path for path in directory.rglob("*") if not path.is_symlink()}
    return [path for path in found.values() if path.is_file()]


def size(directory: Path) -> int:
    return sum(path.stat().st_size for path in files(directory))


def holding(directory: Path, text: bytes) -> dict[str, int]:
    """How often the text stands in each file that holds it, by the file's name or folder."""
    counted = ((path, path.read_bytes().count(text)) for path in files(directory))
    return {
        path.parent.name if path.parent.name == "blobs" else path.name: count
        for path, count in counted
        if count
    }


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Program, list[int]]:
    """A session with big results and a picture, and how large it was after each turn."""
    place = tmp_path_factory.mktemp("growth").resolve()
    (place / "workspace").mkdir()
    program = Program(place / "workspace", place / "home")
    (program.cwd / "shot.png").write_bytes(b"\x89PNG\r\n\x1a\n" + os.urandom(PICTURE))
    for n in range(TURNS):
        lines = (f"line {k} of {n}".ljust(99, "x") for k in range(RESULT // 100))
        (program.cwd / f"{n}.txt").write_text(f"MARK-{n}\n" + "\n".join(lines))
    sizes = []
    for n in range(TURNS):
        options = ("-c",) if n else ()
        run = program.play(SCRIPT, *options, "-p", f"turn {n}" if n else "see @shot.png")
        assert run.code == 0
        sizes.append(size(program.home))
    return program, sizes


def test_a_big_result_is_whole_in_one_blob_and_cut_in_the_log(
    played: tuple[Program, list[int]],
) -> None:
    program, _ = played

    assert holding(program.home, b"MARK-0\n") == {"blobs": 1}
    assert holding(program.home, b"MARK-0") == {
        "blobs": 1,
        "events.jsonl": 1,
        "conversation.jsonl": 1,
    }


def test_each_turn_adds_as_much_as_the_one_before(played: tuple[Program, list[int]]) -> None:
    _, sizes = played
    added = [after - before for before, after in itertools.pairwise(sizes)]

    assert max(added) < RESULT + 2 * INLINE + 2 * BARE
    assert max(added) - min(added) < BARE


def test_a_picture_is_pointed_at_and_never_copied(played: tuple[Program, list[int]]) -> None:
    program, sizes = played

    assert sizes[0] < RESULT + 2 * INLINE + 5 * BARE < PICTURE
    assert holding(program.home, (program.cwd / "shot.png").read_bytes()[100:200]) == {}


def test_resuming_adds_its_own_lines_only(played: tuple[Program, list[int]]) -> None:
    program, _ = played
    before = size(program.home)
    for _ in range(5):
        assert program.play(SCRIPT, "-c", "-p", "again").code == 0

    assert size(program.home) - before < 5 * BARE
    assert holding(program.home, b"MARK-0")["events.jsonl"] == 1


def test_a_fork_holds_the_conversation_once_and_no_whole_result(
    played: tuple[Program, list[int]],
) -> None:
    program, _ = played
    (origin,) = program.sessions
    last = program.log("user_input", origin)[-1]["seq"]
    conversation = (origin / "conversation.jsonl").stat().st_size
    for _ in range(3):
        before = {*program.sessions}
        script = program.script(SCRIPT)
        assert program.run("fork", f"{origin.name}@{last}", "--script", script).code == 0
        (fork,) = {*program.sessions} - before
        assert size(fork) < 2 * conversation + 5 * BARE
        assert holding(fork, b"MARK-0\n") == {}
        assert holding(fork, b"MARK-0") == {"blobs": 1, "conversation.jsonl": 1}


async def test_four_cuts_add_their_summaries(workspace: Path, tmp_path: Path) -> None:
    (workspace / "a.txt").write_text("MARK\n" + "a line of it\n" * 2000)
    steps = '---\ncall: Read {"path": "a.txt"}\n---\ntext: Seen.\n' * 9
    place = Workplace(root=str(workspace), environment={})
    stage = Stage(
        *(tmp_path, f"{steps}--- summary\ntext: Task focus: the file.\n"),
        scene=Scene(builtin_tools(), place),
        economy=Economy(keep="0.3"),
    )
    await stage.play(say("turn 0"))
    sizes, cuts = [], 0
    for turn in range(1, 9):
        acts = [say(f"turn {turn}")] if turn % 2 else [[i.CompactCommand()], say(f"turn {turn}")]
        await stage.resume(*acts)
        cuts = sum(isinstance(line.event, d.ContextUpdate) for line in stage.lines)
        sizes.append((stage.directory / "events.jsonl").stat().st_size)
    added = [after - before for before, after in itertools.pairwise(sizes)]

    assert cuts == 4
    assert max(added) - min(added) < BARE
    assert stage.log.count("MARK") == 9  # each turn reads it


def test_many_tiny_pieces_are_one_line(program: Program) -> None:
    answer = "ab" * 20_000
    with ModelServer(Reply(openai([TextBlock(answer)], size=2))) as server:
        program.run("--base-url", server.url, "-m", "m", "--protocol", "openai", "go")

    (line,) = program.log("text")
    assert line["text"] == answer
    assert (program.sessions[-1] / "events.jsonl").stat().st_size < len(answer) + 3 * BARE
