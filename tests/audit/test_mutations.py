"""A log that was changed and sealed anew is caught by audit or verify."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import pytest

Line: TypeAlias = dict[str, Any]
Batches: TypeAlias = list[list[Line]]
Draw: TypeAlias = random.Random


def some(batches: Batches, draw: Draw) -> Line:
    """Any line behind the opening."""
    return draw.choice([line for batch in batches[1:] for line in batch])


def place(batches: Batches, line: Line) -> tuple[list[Line], int]:
    for batch in batches:
        for index, each in enumerate(batch):
            if each is line:
                return batch, index
    raise AssertionError(line)


def edit(key: str, change: Callable[[Any], Any], *types: str) -> Mutator:
    """A mutator that changes one field of one line that has it."""

    def mutate(batches: Batches, draw: Draw) -> bool:
        having = [
            line
            for batch in batches[1:]
            for line in batch
            if key in line and (not types or line["type"] in types)
        ]
        if not having:
            return False
        line = draw.choice(having)
        before = line[key]
        line[key] = change(before)
        return bool(line[key] != before)

    return mutate


def drop_a_line(batches: Batches, draw: Draw) -> bool:
    batch, index = place(batches, some(batches, draw))
    gone = batch.pop(index)
    if "_state" in gone and batch:
        batch[-1]["_state"] = gone["_state"]
    return True


def double_a_line(batches: Batches, draw: Draw) -> bool:
    batch, index = place(batches, some(batches, draw))
    batch.insert(index, {key: value for key, value in batch[index].items() if key != "_state"})
    return True


def swap_neighbours(batches: Batches, draw: Draw) -> bool:
    long = [batch for batch in batches[1:] if len(batch) > 1]
    batch = draw.choice(long)
    index = draw.randrange(len(batch) - 1)
    batch[index], batch[index + 1] = batch[index + 1], batch[index]
    return True


def drop_a_batch(batches: Batches, draw: Draw) -> bool:
    if len(batches) < 4:
        return False
    del batches[draw.randrange(1, len(batches) - 1)]
    return True


def double_a_batch(batches: Batches, draw: Draw) -> bool:
    index = draw.randrange(1, len(batches))
    batches.insert(index, [dict(line) for line in batches[index]])
    return True


def swap_batches(batches: Batches, draw: Draw) -> bool:
    index = draw.randrange(1, len(batches) - 1)
    one, other = batches[index], batches[index + 1]
    times = one[0]["time"], other[0]["time"]
    batches[index], batches[index + 1] = other, one
    for batch, time in zip((other, one), times, strict=True):
        for line in batch:
            line["time"] = time
    return True


def set_a_line_s_time_back(batches: Batches, draw: Draw) -> bool:
    some(batches, draw)["time"] = "2000-01-01T00:00:00.000Z"
    return True


def drop_a_call(batches: Batches, draw: Draw) -> bool:
    asking = [line for batch in batches for line in batch if line.get("calls")]
    if not asking:
        return False
    line = draw.choice(asking)
    line["kept"] = line["kept"][:-1]
    line["calls"] = line["calls"][:-1]
    return True


def invent_a_run(batches: Batches, draw: Draw) -> bool:
    runs = [line for batch in batches for line in batch if line["type"] == "run_tool"]
    if not runs:
        return False
    line = draw.choice(runs)
    batch, index = place(batches, line)
    batch.insert(index, {key: value for key, value in line.items() if key != "_state"})
    return True


def edit_what_was_said(batches: Batches, draw: Draw) -> bool:
    lines = [line for batch in batches for line in batch]
    entered = {line["of"] for line in lines if line["type"] == "user_line"}
    entered |= {seq for line in lines if line["type"] == "blocks" for seq in line["kept"]}
    texts = [line for line in lines if line["seq"] in entered and "text" in line]
    line = draw.choice(texts)
    line["text"] += "!"
    return True


def drop_by(batches: Batches, draw: Draw) -> bool:
    having = [
        line
        for batch in batches[1:]
        for line in batch
        if line["type"] == "transition" and "by" in line
    ]
    del draw.choice(having)["by"]
    return True


def another(name: str) -> str:
    """An instance's name, one further."""
    head, _, number = name.rpartition("-")
    return f"{head}-{number}9" if head else f"{name}-1"


Mutator: TypeAlias = Callable[[Batches, Draw], bool]
MUTATORS: dict[str, Mutator] = {
    "drop a line": drop_a_line,
    "double a line": double_a_line,
    "swap neighbours": swap_neighbours,
    "drop a batch": drop_a_batch,
    "double a batch": double_a_batch,
    "swap batches": swap_batches,
    "set a line's time back": set_a_line_s_time_back,
    "another destination": edit("to", lambda to: "drain" if to != "drain" else "call"),
    "another origin": edit("from", lambda at: "call" if at != "call" else "stream"),
    "another row": edit("row", lambda row: f"{row[0]}{(int(row[1:]) + 1):02}"),
    "another trigger": edit("trigger", lambda on: "entered" if on != "entered" else "crashed"),
    "another answer": edit("answers", lambda a: dict.fromkeys(a, "yes")),
    "another instance": edit("instance", another),
    "another cause": edit("cause", lambda cause: cause - 1),
    "another activity": edit("activity", lambda activity: activity - 1),
    "drop a call": drop_a_call,
    "invent a run": invent_a_run,
    "forge a yes": edit("decision", lambda _: "allow"),
    "forge who decided": edit("layer", lambda by: "person" if by != "person" else "mode"),
    "another call id": edit("id", lambda _: "call_x", "tool_result"),
    "another request": edit("digest", lambda digest: digest[::-1]),
    "a longer pause": edit("ms", lambda ms: ms + 1, "sleep", "retry"),
    "one more try": edit("attempt", lambda n: n + 1),
    "another reason to stop": edit("reason", lambda _: "refusal", "stop"),
    "edit what was said": edit_what_was_said,
    "edit a result": edit("content", lambda text: text + "!"),
    "edit an output": edit("output", lambda text: text + "!", "finished"),
    "edit usage": edit("usage", lambda usage: {**usage, "input": usage.get("input", 0) + 1}),
    "another kind": edit("kind", lambda kind: "note" if kind == "input" else "input"),
    "a type of the future": edit("type", lambda type_: f"future_{type_}"),
    "nobody sent it": drop_by,
}
EQUIVALENT = {
    "edit what enters no conversation": "a late block, a refused answer, a line that was given "
    "back: no later line says or digests it",
    "another closed activity of a late outcome": "what comes late moves nobody, whosever it is",
    "cut behind a batch": "a log that ends with a whole batch is what a killed process leaves; "
    "only a seal that was kept elsewhere (`head`, FSA004) can tell",
    "another time between its neighbours": "when something came is itself an input, and decides "
    "nothing: no rule could know better",
    "other milliseconds of a tool": "how long a tool took is an input that nothing follows from",
}
"""Changes that mean nothing to the machines, and are therefore no mutators."""
BY_RULES_ALONE = {
    *("swap neighbours", "set a line's time back", "another destination"),
    *("another origin", "another row", "another trigger", "another answer", "another instance"),
    *("another cause", "invent a run", "forge a yes", "another call id", "one more try"),
    *("nobody sent it", "drop a call", "double a batch"),
}
"""Mutators of which every mutant breaks a rule, so that no verify is needed."""


@pytest.fixture(scope="module")
def verdicts(judged: Callable[[str, Mutator], Counter[str]]) -> dict[str, Counter[str]]:
    """How often each mutator's mutants were caught, and by what."""
    return {name: judged(name, mutate) for name, mutate in MUTATORS.items()}


@pytest.mark.parametrize("name", MUTATORS)
def test_every_mutant_is_caught(name: str, verdicts: dict[str, Counter[str]]) -> None:
    caught = verdicts[name]

    assert sum(caught.values()) > 0
    assert set(caught) <= {"rules", "verify"}, next(iter(set(caught) - {"rules", "verify"}))


@pytest.mark.parametrize("name", sorted(BY_RULES_ALONE))
def test_what_breaks_the_structure_is_caught_by_rules_alone(
    name: str, verdicts: dict[str, Counter[str]]
) -> None:
    assert set(verdicts[name]) == {"rules"}


def test_an_unchanged_log_is_caught_by_nothing(
    logs: Mapping[str, bytes],
    opened: Callable[[bytes], Batches],
    sealed: Callable[[Batches], bytes],
    judged: Callable[[str, Mutator], Counter[str]],
) -> None:
    assert [raw for raw in logs.values() if sealed(opened(raw)) != raw] == []
    assert {verdict[:7] for verdict in judged("nothing", lambda *_: True)} == {"nothing"}
