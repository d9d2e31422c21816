"""Whatever a file is, the audit says what is wrong with it, and how wrong."""

from __future__ import annotations

import fcntl
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from fsm_agent.audit import Options, Report, audit, human
from fsm_agent.events.lines import GENESIS, seal

Write = Callable[[bytes], Path]
LOG = "test_a_turn_without_a_person_in_between[one tool]"


@pytest.fixture
def raw(logs: Mapping[str, bytes]) -> bytes:
    return logs[LOG]


def judged(path: Path, options: Options = Options()) -> tuple[int, list[tuple[str, int, str]]]:  # noqa: B008
    """The exit code; of each finding the rule, the line and the message."""
    report = audit([path], options)
    assert report.results[0].fault == ""
    return report.exit_code, [(f.rule, f.line, f.message) for f in report.findings]


def notes(report: Report) -> str:
    return "\n".join(report.results[0].notes)


def offset(raw: bytes, line: int) -> int:
    """Where a line, counted from 1, begins."""
    return sum(map(len, raw.splitlines(keepends=True)[: line - 1]))


def test_an_empty_file(write: Write) -> None:
    code, found = judged(write(b""))

    assert code == 5
    assert found == [("FSA005", 1, "byte 0: the file is empty: nothing was logged, or all is lost")]


def test_a_binary_file_is_no_log(write: Write) -> None:
    code, found = judged(write(bytes(range(256)) * 100))

    assert code == 6
    why = "neither a log of fsm-agent, nor one of Claude Code or Codex, nor ATIF"
    assert found == [("FSA015", 1, f"byte 0: {why}")]


def test_a_file_of_nul_bytes_is_what_a_lost_write_leaves(write: Write) -> None:
    code, found = judged(write(bytes(9999)))

    assert code == 3
    assert found == [("FSA001", 1, "byte 0: NUL bytes, as a lost write leaves them")]


def test_a_lost_page_is_named_as_such(write: Write, raw: bytes) -> None:
    code, found = judged(write(raw[:4096] + bytes(4096) + raw[4096:]))

    assert code == 3
    assert found[0][2].endswith("NUL bytes, as a lost write leaves them")


def test_a_byte_order_mark_is_damage(write: Write, raw: bytes) -> None:
    code, found = judged(write(b"\xef\xbb\xbf" + raw))

    assert code == 3
    assert found[0] == ("FSA001", 1, "byte 0: a byte order mark: saved by an editor?")


def test_another_program_s_log_is_no_log(write: Write) -> None:
    assert judged(write(b'{"type":"user","message":{"content":"hi"}}\n'))[0] == 6


def test_a_log_without_its_beginning(write: Write, raw: bytes) -> None:
    code, found = judged(write(raw[offset(raw, 5) :]))

    assert code == 6
    assert "session_start" in found[0][2]


def test_a_later_format(write: Write, raw: bytes) -> None:
    code, found = judged(write(raw.replace(b'"v":1', b'"v":2', 1)))

    assert code == 6
    assert "log format 2" in found[0][2]


def test_a_known_type_without_a_field_it_needs(write: Write) -> None:
    line = b'{"seq":0,"time":"2026-11-30T09:12:44.120Z","kind":"input","type":"user_input"}'
    code, found = judged(write(seal([line], GENESIS, "0" * 16)[0]))

    assert code == 6
    assert "missing required field `text`" in found[0][2]


def test_a_torn_tail_alone(write: Write, raw: bytes) -> None:
    code, found = judged(write(raw[:-20]))

    assert code == 5
    assert [(rule, line) for rule, line, _ in found] == [("FSA005", raw.count(b"\n") - 2)]
    assert "bytes of a batch without its end" in found[0][2]


@pytest.mark.parametrize("cut", [1, 60, 200])
def test_a_torn_tail_anywhere_in_the_last_batch(write: Write, raw: bytes, cut: int) -> None:
    assert judged(write(raw[:-cut]))[0] == 5


def test_a_nul_padded_tail_is_torn(write: Write, raw: bytes) -> None:
    assert judged(write(raw[:-30] + bytes(4096)))[0] == 5
    assert judged(write(raw + bytes(4096)))[0] == 5


def test_nul_bytes_inside_are_damage(write: Write, raw: bytes) -> None:
    start, end = offset(raw, 9), offset(raw, 10)
    path = write(raw[:start] + bytes(end - start - 1) + raw[end - 1 :])
    code, found = judged(path)

    assert code == 3
    assert found[0] == ("FSA001", 9, f"byte {start}: NUL bytes, as a lost write leaves them")


def test_damage_is_located_and_nothing_is_changed(write: Write, raw: bytes) -> None:
    damaged = raw.replace(b'"text":"go"', b'"text":"GO"', 1)
    path = write(damaged)
    report = audit([path])

    assert report.exit_code == 3
    assert [f.rule for f in report.findings] == ["FSA003"]
    assert f"byte {offset(raw, report.findings[0].line)}" in report.findings[0].message
    assert path.read_bytes() == damaged
    lines = raw.count(b"\n")
    assert f"the rules looked at the 4 lines before the damage; {lines - 6} lines" in notes(report)


def test_all_damage_is_located(write: Write, raw: bytes) -> None:
    damaged = raw.replace(b'"text":"go"', b'"text":"GO"', 1)
    damaged = damaged.replace(b'"text":"Done."', b'"text":"DONE."', 1)
    _, found = judged(write(damaged))

    assert [rule for rule, _, _ in found] == ["FSA003", "FSA003"]
    assert found[0][1] < found[1][1]


def test_a_line_that_is_no_json(write: Write, raw: bytes) -> None:
    code, found = judged(write(raw.replace(b'{"seq":6,', b'{"seq":6;', 1)))

    assert code == 3
    assert found[0][:2] == ("FSA001", 7)


def test_a_gap_in_seq_with_a_sound_chain(write: Write, raw: bytes) -> None:
    first = raw.splitlines(keepends=True)[:4]
    lines = [line.rstrip(b"\n") for line in first]
    lines[-1] = lines[-1][: lines[-1].index(b',"seal"')] + b"}"
    lines[2] = lines[2].replace(b'"seq":2', b'"seq":3')
    code, found = judged(write(seal(lines, GENESIS, "0" * 16)[0]))

    assert code == 3
    assert found == [("FSA002", 3, f"byte {offset(raw, 3)}: seq 3 where 2 is due")]


def test_two_writers_in_one_log(write: Write, raw: bytes) -> None:
    batches = raw.split(b'"}}\n')
    both = b'"}}\n'.join([*batches[:3], batches[2], *batches[3:]])
    code, found = judged(write(both))

    assert code == 3
    assert found[0][0] == "FSA003"
    assert "two programs wrote to this log" in found[0][2]


def test_ends_of_line_of_another_system(write: Write, raw: bytes) -> None:
    code, found = judged(write(raw.replace(b"\n", b"\r\n")))

    assert code == 3
    assert found[0] == ("FSA001", 1, "byte 0: it ends in CR LF: copied as a text?")


def test_an_endless_line_is_not_held_in_memory(tmp_path: Path, raw: bytes) -> None:
    path = tmp_path / "events.jsonl"
    with path.open("wb") as file:
        file.write(raw)
        file.write(b'{"seq":99,"text":"')
        file.truncate(1 << 30)
    code = (
        "import re, sys; from pathlib import Path; from fsm_agent.audit import audit\n"
        "report = audit([Path(sys.argv[1])])\n"
        "status = Path('/proc/self/status').read_text()  # rusage has what was before exec, too\n"
        "peak = int(re.search(r'VmHWM:\\s+(\\d+)', status)[1]) // 1024\n"
        "print(report.exit_code, report.findings[0].message, peak, sep='|')"
    )
    ran = subprocess.run([sys.executable, "-c", code, path], capture_output=True, check=True)
    exit_code, message, peak = ran.stdout.decode().strip().split("|")

    assert (exit_code, message) == ("3", f"byte {len(raw)}: no seal within 64 MiB")
    assert int(peak) < 250


def test_a_seal_that_was_noted_down_elsewhere(write: Write, raw: bytes) -> None:
    path = write(raw)
    seal_at_the_end = raw[-68:-4].decode()
    assert judged(path, Options(head=f"{raw.count(10) - 1}:{seal_at_the_end}")) == (0, [])
    code, found = judged(path, Options(head=f"{raw.count(10) + 9}:{seal_at_the_end}"))

    assert code == 3
    assert found[0][0] == "FSA004"


def test_a_log_that_is_being_written(write: Write, raw: bytes) -> None:
    path = write(raw[:-20])
    lock = path.with_name("events.lock")
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        report = audit([path])

    assert report.exit_code == 0
    assert "is writing it; what is proved so far was audited" in notes(report)
    assert audit([path]).exit_code == 5


def test_a_log_that_nobody_ended(write: Write, raw: bytes) -> None:
    report = audit([write(raw[: offset(raw, raw.count(b"\n") - 2)])])

    assert report.exit_code == 0
    assert "ends without session_end" in notes(report)


def test_a_file_that_may_not_be_read_is_told(
    write: Write, raw: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(raw)

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    code, found = judged(path)

    assert code == 3
    assert found == [("FSA001", 0, "it cannot be read: Permission denied")]


def test_an_unknown_type_is_kept_and_told(
    write: Write,
    raw: bytes,
    opened: Callable[[bytes], list[list[dict[str, object]]]],
    sealed: Callable[[list[list[dict[str, object]]]], bytes],
) -> None:
    batches = opened(raw)
    news = {**batches[-1][0], "seq": -1, "kind": "note", "type": "weather"}
    report = audit([write(sealed([*batches[:-1], [news, dict(news)], batches[-1]]))])

    assert report.exit_code == 0
    assert [f.rule for f in report.findings] == ["FSA082"]
    assert notes(report).endswith("2 lines of unknown type 'weather'")


def test_the_worst_decides_the_exit_code(write: Write, raw: bytes) -> None:
    torn, damaged, unknown = write(raw[:-20]), write(raw.replace(b"go", b"GO", 1)), write(b"no")

    assert audit([torn, damaged, unknown]).exit_code == 3
    assert audit([torn, unknown]).exit_code == 6
    assert audit([torn, write(raw)]).exit_code == 5


def test_a_fault_of_ours_is_never_clean(
    write: Write, raw: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("a rule has a bug")

    monkeypatch.setattr("fsm_agent.audit.folding.apply", fail)
    report = audit([write(raw)])

    assert report.exit_code == 7
    assert "a rule has a bug" in human(report)


def test_what_is_no_time_is_damage(
    write: Write,
    raw: bytes,
    opened: Callable[[bytes], list[list[dict[str, object]]]],
    sealed: Callable[[list[list[dict[str, object]]]], bytes],
) -> None:
    first, *rest = opened(raw)
    lines = [{**line, "time": "0000"} for line in first]

    code, found = judged(write(sealed([lines, *rest])))

    assert (code, found) == (3, [("FSA006", 1, "byte 0: '0000' is no time")])
