"""Results are folded to what says most, and shown in full on demand."""

from __future__ import annotations

import time

import pytest

from fsm_agent.interfaces.painting.items import Call, Thought, ToolEnded
from fsm_agent.interfaces.painting.pictures import paint
from fsm_agent.interfaces.painting.results import whole
from tests.interfaces.painting.test_pictures import painted

LONG = "\n".join(f"line {n}" for n in range(10_000))
RESULT = ToolEnded(Call("Bash", "make"), "done", True, LONG, of=57)


def test_a_command_shows_its_last_lines_and_where_the_rest_is() -> None:
    head, gap, *lines = painted(RESULT).splitlines()

    assert head == "[tool] Bash(make)"
    assert gap == "  … 9,992 more lines · /show 57"
    assert lines[0] == "  line 9992"
    assert lines[-1] == "  line 9999"


def test_no_line_says_that_only_one_is_missing() -> None:
    shown = painted(ToolEnded(Call("Bash", "make"), "done", True, "\n".join("123456789")))

    assert shown.split()[2:] == list("123456789")


def test_a_todo_list_is_a_list() -> None:
    todos = ToolEnded(Call("TodoWrite", "1/2"), "done", True, "- [x] read\n- [>] write", of=5)

    assert painted(todos).splitlines() == ["[tool] TodoWrite(1/2)", "  - [x] read", "  - [>] write"]


def test_long_reasoning_is_one_line() -> None:
    (line,) = painted(Thought("First.\n" * 100)).splitlines()

    assert line == "First. · 699 characters · /show thought"


@pytest.mark.parametrize("item", [RESULT, Thought(LONG)])
def test_all_of_it_is_there_in_full(item: ToolEnded | Thought) -> None:
    text = "\n".join(part.plain for part in whole(item))

    assert text.endswith(LONG)


def test_no_picture_of_a_long_result_takes_long() -> None:
    slowest = 0.0
    for pictures in (paint(RESULT), whole(RESULT)):
        began = time.perf_counter()
        for _ in pictures:
            slowest = max(slowest, time.perf_counter() - began)
            began = time.perf_counter()

    assert slowest < 0.5  # a tenth of it where nothing else runs
