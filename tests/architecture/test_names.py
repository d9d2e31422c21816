"""Each name that a table uses is a function, and each function is used."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from fsm_agent.events.lines import DERIVED, INPUTS
from fsm_agent.lifecycles.activities import DOES
from fsm_agent.lifecycles.asks import ASK
from fsm_agent.lifecycles.emitters import EMIT

TABLES: list[dict[str, Any]] = [
    tomllib.loads(path.read_text(encoding="utf-8"))
    for path in sorted((Path(__file__).parents[2] / "states").glob("*.toml"))
]

TRANSLATED = {
    "VERB": {"CANCEL", "CLEAR", "CONFIRM"},
    "seen": {"REVISE"},
}
"""What is said by a tool's or command's name, or by a file, and the plan's trigger for it."""


def words(of: Any) -> list[str]:
    """A word or a list of words as a list."""
    return [of] if isinstance(of, str) else list(of)


def used(part: str, key: str) -> Iterator[str]:
    """The names under a key in all entries of a part of all tables."""
    for table in TABLES:
        for entry in table.get(part, {}).values():
            yield from words(entry.get(key, []))


def sent() -> set[str]:
    """The triggers that rows send, by the machine or address they go to."""
    return {address.partition(".")[2] for address in used("rows", "sends")}


def test_questions_are_the_functions_that_answer_them() -> None:
    assert {ask for table in TABLES for ask in table.get("asks", {})} == set(ASK)


def test_emitted_names_are_the_functions_that_emit_them() -> None:
    assert set(used("rows", "emits")) == set(EMIT)


def test_what_states_do_are_the_functions_that_begin_it() -> None:
    assert set(used("states", "does")) == set(DOES)


def test_what_is_emitted_or_done_is_a_type_of_derived_line() -> None:
    named = {*used("rows", "emits"), *used("states", "does")}

    assert named <= set(DERIVED)


def test_a_trigger_is_an_input_or_sent_by_a_row() -> None:
    known = {*INPUTS, *sent(), *used("states", "on_crash"), "entered", *chain(*TRANSLATED.values())}

    assert set(used("rows", "on")) <= known


def test_what_a_row_sends_is_a_trigger_somewhere() -> None:
    assert sent() - set(TRANSLATED) <= set(used("rows", "on"))
    assert set(chain(*TRANSLATED.values())) <= set(used("rows", "on"))
