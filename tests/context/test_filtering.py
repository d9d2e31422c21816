"""Of a command's output only noise goes, and never what was asked for."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from fsm_agent.context.filtering import CAP, FROM, filtered
from fsm_agent.context.noise import mark

SAMPLES = sorted((Path(__file__).parent / "outputs").glob("*.txt"))
PASSED = [f"test adds_{n} ... ok" for n in range(100)]
VERDICT = "test result: FAILED. 100 passed; 1 failed; 0 ignored; finished in 0.17s"
PARTS = sorted({line for path in SAMPLES for line in path.read_text("utf-8").split("\n")})
ERRORS = [line for line in PARTS if mark(line) == "error"]
NOISE = [line for line in PARTS if mark(line) in ("passed", "step")]
ORDINARY = ["x is 3", "", "    indented", "Warning: 95% of the disk is used", "kind  ████ 45%", "s"]


def lines_of(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n")


def stands_whole(block: str, shown: str) -> bool:
    return f"\n{block.strip(chr(10))}\n" in shown


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.stem)
def test_what_is_shown_of_real_outputs(sample: Path, snapshot: SnapshotAssertion) -> None:
    output = sample.read_text(encoding="utf-8")
    shown = filtered("make test", output)

    assert shown == snapshot
    assert len(shown) < 0.75 * len(output)


def block(sample: str, first: str, last: str) -> str:
    """The lines of a sample from one that starts with `first` to one that starts with `last`."""
    text = (Path(__file__).parent / "outputs" / f"{sample}.txt").read_text(encoding="utf-8")
    found = re.search(rf"(?ms)^{re.escape(first)}.*?^{re.escape(last)}.*?$", text)
    assert found
    return found[0]


@pytest.mark.parametrize(
    ("sample", "first", "last"),
    [
        ("pytest", "______", "================== 3 failed"),
        ("cargo", "warning: unused", "  = note"),
        ("cargo", "failures:", "error: test failed"),
        ("go", "    cart_test.go:21", "    --- FAIL"),
        ("go", "panic: ", "FAIL\texample"),
        ("jest", "  ● cart", "      at Object"),
        ("make", "gcc -O2 -Wall -Iinclude -c src/error.c", "make: ***"),
        ("pip", "  Building wheel for part7 (pyproject.toml): finished", "ERROR: Could not"),
    ],
)
def test_what_went_wrong_stays_whole(sample: str, first: str, last: str) -> None:
    whole = (Path(__file__).parent / "outputs" / f"{sample}.txt").read_text(encoding="utf-8")
    wanted = block(sample, first, last)
    passed = {line for line in lines_of(wanted) if mark(line) == "passed"}
    wanted = "\n".join(line for line in lines_of(wanted) if line not in passed)

    assert stands_whole(wanted, filtered("make test", whole))


def test_prints_of_the_project_itself_are_kept() -> None:
    prints = [f"x is {n}" for n in range(20)]
    shown = filtered("cargo test", "\n".join([*PASSED, *prints, VERDICT]))

    assert "\n".join([*prints, VERDICT]) in shown
    assert "adds_50" not in shown


def test_a_short_output_is_left_alone() -> None:
    output = "\n".join(PASSED[:FROM]) + "\n"

    assert filtered("make", output) == output
    assert filtered("make", "\n".join([*PASSED[:FROM], VERDICT])) != output


@pytest.mark.parametrize(
    "command",
    [
        "git diff",
        "git  show HEAD~1",
        "cd sub && git status",
        "git -C sub -c color.ui=never log -p",
        "LC_ALL=C sudo -u somebody /usr/bin/git diff",
        "make; git diff",
        "make\ngit diff",
        "(cd sub; git show)",
        "cat build.log",
        "cat build.log 2>/dev/null",
        "make 2>&1 | tail -n 100",
        "make > log 2>&1; grep -n x log",
        "if true; then sed -n 1,100p build.log; fi",
        "find . -name x.log | xargs cat",
        "cargo test # --raw",
        "npm test -- --raw",
        "echo 'a quote that does not end",
    ],
)
def test_what_is_asked_for_as_it_is_is_shown_as_it_is(command: str) -> None:
    output = "\n".join([*PASSED, VERDICT])

    assert filtered(command, output) == output


@pytest.mark.parametrize(
    "command",
    [
        "cargo test sort",
        "cd head && make",
        "npm run diff",
        "A=1 timeout 60 python -m pytest tests/cat 2>&1",
        "echo start && ./run",
        "cat > t.py <<'EOF'\nfrom x import find\nit's\nEOF\npython -m pytest t.py",
        "git diff > changes && make",
        "make --rawhide",
    ],
)
def test_a_word_that_is_no_program_exempts_nothing(command: str) -> None:
    assert len(lines_of(filtered(command, "\n".join([*PASSED, VERDICT])))) < FROM


def test_an_output_of_unknown_kind_is_left_alone() -> None:
    table = "\n".join(f"{n},error,{n * n}" for n in range(1000))
    tree = "\n".join(f"    |-- part{n % 3}\n    |   `-- a.c" for n in range(300))

    assert filtered("./report", table) == table
    assert filtered("./report", tree) == tree


def test_a_repeated_message_is_shown_three_times_and_counted() -> None:
    retry = "connection refused, trying again"
    shown = filtered("./run", "\n".join(["begin", *[retry] * 100, "", *map(str, range(20))]))

    assert lines_of(shown).count(retry) == 3
    assert "left out: 97 repeated." in shown


def test_a_repeated_block_goes_as_a_whole() -> None:
    block = "Traceback (most recent call last):\n  File a.py\n    run()\nOops: bad\n"
    shown = filtered("./run", block * 50 + "\n" + "".join(f"{n}\n" for n in range(20)))

    assert shown.count(block) == 3
    assert shown.count("run()") == 3


def test_short_and_indented_lines_count_one_by_one() -> None:
    data = "\n".join(["    },", "    {", '        "name": "a", "kind": "b"'] * 50)

    assert filtered("curl http://127.0.0.1/x", data) == data


def test_progress_is_cut_down_but_where_it_stopped() -> None:
    output = "\n".join([*(f"Downloading model: {n}% of 1 GB" for n in range(90)), "error: refused"])
    shown = filtered("./fetch", output + "\nbye" * 20)

    assert "Downloading model: 88%" not in shown
    assert "Downloading model: 89% of 1 GB\nerror: refused\nbye" in shown


def test_above_the_cap_errors_come_first_then_their_blocks() -> None:
    block = ["Traceback (most recent call last):", "  File a.py", "    run()", "Oops: bad"]
    output = [f"message {n}" for n in range(300)]
    output[150:150] = block
    output += [f"pkg/a.py:{n}: warning: unused" for n in range(300)]
    shown = lines_of(filtered("./check", "\n".join([*output, VERDICT])))

    assert len(shown) == CAP + 1
    assert "\n".join(block) in "\n".join(shown)
    assert shown[:3] == output[:3]
    assert shown[-2] == VERDICT


def test_more_errors_than_the_cap_keep_the_first_and_the_last() -> None:
    output = [f"pkg/a.py:{n}: error: bad" for n in range(1000)]
    shown = lines_of(filtered("mypy .", "\n".join(output)))
    numbers = [output.index(line) for line in shown[:-1]]

    assert numbers == [*range(CAP // 2), *range(1000 - CAP // 2, 1000)]


def test_the_issue_s_example() -> None:
    output = [f"line {n}" for n in range(300)]
    output[100], output[200], output[-1] = "FAILED a", "FAILED b", "tests: 298 passed, 2 failed"
    shown = lines_of(filtered("./test.sh", "\n".join(output)))

    assert len(shown) == CAP + 1
    assert {output[100], output[200], output[-1]} <= set(shown)


def test_the_last_line_says_how_much_is_shown_and_how_to_get_all() -> None:
    shown = filtered("cargo test", "\n".join([*PASSED, "hm", VERDICT]) + "\n")

    assert shown.endswith(
        f"{VERDICT}\n[… 13 of 102 lines shown; left out: 89 of progress and passed tests. For all "
        "of them end the command with ` # --raw`, or narrow it with grep, head or tail …]\n"
    )


def test_little_gain_is_not_worth_a_gap() -> None:
    output = "\n".join([*map(str, range(60)), *PASSED[:10], *map(str, range(60)), VERDICT])

    assert filtered("cargo test", output) == output


LINE = st.sampled_from([*PARTS, *ORDINARY, VERDICT]) | st.text(max_size=60)
OUTPUT = st.lists(st.lists(LINE, max_size=8), max_size=60).map(
    lambda parts: "\n".join(line for part in parts for line in part * (len(part) % 4 + 1))
)
COMMAND = st.sampled_from(["make", "cargo test", "./run", ""])


@given(COMMAND, OUTPUT)
def test_it_is_shorter_in_order_and_made_of_the_output_s_lines(command: str, output: str) -> None:
    shown = filtered(command, output)

    assert filtered(command, shown) == shown
    assert len(shown.encode(errors="replace")) <= len(output.encode(errors="replace"))
    if shown != output:
        rest = iter(lines_of(output))
        assert all(line in rest for line in lines_of(shown)[:-1])
        assert len(lines_of(shown)) <= CAP + 1


@given(st.lists(st.sampled_from([*NOISE, *ERRORS]), min_size=60, max_size=CAP))
def test_below_the_cap_no_error_is_lost(lines: list[str]) -> None:
    shown = set(lines_of(filtered("make", "\n".join(lines))))

    assert {line for line in lines if line in ERRORS} <= shown


@given(st.lists(st.sampled_from([*NOISE, *ORDINARY]), min_size=60, max_size=200), st.data())
def test_a_traceback_stays_whole_wherever_it_stands(lines: list[str], data: st.DataObject) -> None:
    frames = [("  File a.py, line 3", "    gcc -c x.c"), ("  File b.py", "    45% done")]
    block = ["Traceback (most recent call last):", *frames[0], *frames[1], "Oops: bad"]
    place = data.draw(st.integers(0, len(lines)))
    shown = lines_of(filtered("make", "\n".join([*lines[:place], *block, *lines[place:]])))

    assert any(pair == tuple(block[:2]) for pair in pairwise(shown))
    assert "\n".join(block) in "\n".join(shown)
