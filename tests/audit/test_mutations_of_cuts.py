"""A cut or a plan that was changed and sealed anew is caught, too."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import Any, TypeAlias

import pytest

Batches: TypeAlias = list[list[dict[str, Any]]]
Draw: TypeAlias = random.Random
Mutator: TypeAlias = Callable[[Batches, Draw], bool]


def edit(key: str, change: Callable[[Any], Any], *types: str) -> Mutator:
    """A mutator that changes one field of one line of these types."""

    def mutate(batches: Batches, draw: Draw) -> bool:
        lines = [line for batch in batches for line in batch if line["type"] in types]
        having = [line for line in lines if key in line]
        if having:
            line = draw.choice(having)
            line[key] = change(line[key])
        return bool(having)

    return mutate


def edit_the_draft(batches: Batches, draw: Draw) -> bool:
    seen = [line for batch in batches for line in batch if line.get("what") == "draft"]
    if not seen:
        return False
    draw.choice(seen)["text"] += "!"
    return True


def edit_a_section(batches: Batches, draw: Draw) -> bool:
    made = [
        section
        for batch in batches
        for line in batch
        if line["type"] == "prompt" and line["kind"] == "derived"
        for section in line["sections"]
    ]
    if not made:
        return False
    draw.choice(made)["text"] += "!"
    return True


def drop_a_section(batches: Batches, draw: Draw) -> bool:
    lines = [line for batch in batches for line in batch if line["kind"] == "derived"]
    made = [line for line in lines if line["type"] == "prompt"]
    if not made:
        return False
    line = draw.choice(made)
    gone = draw.choice(line["sections"])
    line["sections"] = [section for section in line["sections"] if section is not gone]
    return True


ASKED, MADE = "summarise", "context_update"
MUTATORS: dict[str, Mutator] = {
    "edit a summary": edit("text", lambda text: text + "!", "summarised"),
    "edit the draft": edit_the_draft,
    "another draft": edit("draft", lambda draft: draft[::-1], "plan"),
    "another plan": edit("plan", lambda plan: plan[::-1], "plan"),
    "another state of the plan": edit("state", lambda state: f"not {state}", "plan"),
    "another command": edit(
        "verb", lambda verb: "CANCEL" if verb != "CANCEL" else "CLEAR", "plan_command"
    ),
    "edit a section": edit_a_section,
    "drop a section": drop_a_section,
    "another start of a cut": edit("start", lambda start: start - 1, ASKED),
    "another window": edit("kept_from", lambda kept: kept - 1, MADE),
    "another line that stays": edit("pinned", lambda pinned: pinned + 1, ASKED, MADE),
    "another size before": edit("before", lambda before: before + 1, ASKED, MADE),
    "another size after": edit("after", lambda after: after + 1, ASKED, MADE),
    "another saving": edit("net", lambda net: net + 1, ASKED, MADE),
    "another cost": edit("cost", lambda cost: cost + 1, MADE),
    "another reason": edit("why", lambda why: "manual" if why != "manual" else "valve", ASKED),
    "another request": edit("digest", lambda digest: digest[::-1], ASKED),
    "another shared prefix": edit("shared", lambda shared: shared - 1, ASKED),
    "another thing thinned out": edit("call", lambda call: f"{call}9", MADE),
    "a summary that closes another request": edit("of", lambda of: of - 1, MADE),
}
EQUIVALENT = {
    "another writer of a draft": "a draft is anyone's; nothing follows from who wrote it",
    "edit what a tool wrote over the plan": "it is put back, and told by its place alone",
}
"""Changes that mean nothing to the machines, and are therefore no mutators."""
BY_RULES_ALONE = {
    *("another draft", "another plan", "another state of the plan", "another start of a cut"),
    *("another window", "another line that stays", "a summary that closes another request"),
}
"""Mutators of which every mutant breaks a rule, so that no verify is needed."""


@pytest.mark.parametrize("name", MUTATORS)
def test_every_mutant_is_caught(name: str, judged: Callable[[str, Mutator], Counter[str]]) -> None:
    caught = judged(name, MUTATORS[name])
    known = {"rules"} if name in BY_RULES_ALONE else {"rules", "verify"}

    assert sum(caught.values()) > 0
    assert set(caught) <= known, next(iter(set(caught) - known))
