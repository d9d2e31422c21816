"""What old messages can do without: repeated outputs, inputs that failed.

Two things are known to be of no use any more:

- *duplicate*: the output of a call that was made again, later, with the same arguments, and then
  succeeded. It gives way to a word. That holds for every tool, Bash too: what it says of files and
  tests has been overtaken.
- *failed input*: the arguments of a call that failed four turns ago or earlier. The error stays.

Calls of the last three turns are left alone, and always those that tell what was done: edits, the
list of steps, the plan. A third way is the model's own: `compressed` puts its summary in the place
of whole turns. All of it rewrites old messages, so it is applied only where the prefix breaks.

A turn begins with a line of the person. Its number is that of the line in the session; a note that
stands for compressed turns tells theirs, so numbers do not change by compressing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import compress, count
from typing import Literal, NamedTuple, TypeAlias

import msgspec
from msgspec.structs import replace

from fsm_agent.context.economy import size
from fsm_agent.events.values import (
    NO_NATIVE,
    AssistantMessage,
    Block,
    CallBlock,
    Message,
    Result,
    ResultsMessage,
    UserMessage,
)

PROTECTED = 3
"""Turns at the end that nothing is taken from."""
FAILED_FOR = 4
"""Turns after which the input of a failed call goes."""
DUPLICATE = "[pruned: duplicate call]"
FAILED_INPUT: Mapping[str, str] = {"pruned": "input of a failed call"}
KEPT = frozenset(
    {"Compress", "Edit", "PlanCancel", "PlanClear", "PlanConfirm", "TodoWrite", "Write"}
)
"""Tools whose calls tell what was done: they stay as they are."""

Why: TypeAlias = Literal["duplicate", "failed_input", "compressed"]

_NOTE = re.compile(r"\[turns (\d+)–(\d+), compressed: ")


class Prune(msgspec.Struct, frozen=True):
    """One thing taken out of old messages.

    Attributes:
        call: The id of the call; of compressed turns, their first and last number.
        why: What was found of it.
        before: Tokens of the messages concerned before …
        after: … and after it.
    """

    call: str
    why: Why
    before: int
    after: int


class Compressed(msgspec.Struct, frozen=True):
    """Turns, by the numbers of the first and the last one, and the summary that stands for them."""

    first: int
    last: int
    summary: str


class _Call(NamedTuple):
    """A call and its result, and in which messages they stand."""

    block: CallBlock
    asked_in: int
    result: Result
    answered_in: int


def prunes(messages: Sequence[Message], turns_protected: int = PROTECTED) -> list[Prune]:
    """What can be taken out of these messages, oldest first, at most one thing a call.

    Args:
        messages: The conversation, or its end.
        turns_protected: How many turns at its end are left alone.
    """
    numbers = [last for _, last in turns(messages, 1)]
    repeated: set[tuple[str, bytes]] = set()
    found: list[tuple[_Call, Why]] = []
    for call in reversed(list(_calls(messages))):
        key = call.block.name, msgspec.json.encode(call.block.input, order="deterministic")
        age = numbers[-1] - numbers[call.asked_in]
        if age >= turns_protected and key in repeated:
            found.append((call, "duplicate"))
        elif age >= max(turns_protected, FAILED_FOR) and not call.result.ok:
            found.append((call, "failed_input"))
        if call.result.ok:
            repeated.add(key)
    kept, made = list(messages), list[Prune]()
    for call, why in reversed(found):
        place = call.answered_in if why == "duplicate" else call.asked_in
        after = _without(kept[place], {call.block.id: why})
        prune = Prune(call.block.id, why, _tokens(kept[place]), _tokens(after))
        if prune.after < prune.before:
            kept[place] = after
            made.append(prune)
    return made


def apply(messages: Sequence[Message], prunes: Sequence[Prune]) -> list[Message]:
    """The messages without what is to be taken out of calls; each call keeps its result."""
    whys = {prune.call: prune.why for prune in prunes}
    return [_without(message, whys) for message in messages]


def compressed(
    messages: Sequence[Message], ranges: Sequence[Compressed], first_turn: int
) -> tuple[list[Message], list[Prune]]:
    """The messages with summaries in the place of turns, and what that saves.

    Of a range only what is there counts, and what is not protected. Of two ranges the later one
    stands for what both hold, if it holds all of the other; so it is with a summary made earlier.
    A summary that saves nothing is left out.
    The note that comes in is a user message between two turns, as notices are.

    Args:
        messages: The conversation, or its end.
        ranges: What the model asked for, in this order.
        first_turn: The number of the first turn that begins in `messages`.
    """
    kept, made = list(messages), list[Prune]()
    for one in _lasting(ranges):
        numbers = list(turns(kept, first_turn))
        last = min(one.last, numbers[-1][1] - PROTECTED) if numbers else 0
        places = [n for n, (a, b) in enumerate(numbers) if max(one.first, 1) <= a <= b <= last]
        if not places:
            continue
        start, end = places[0], places[-1] + 1
        label = f"{numbers[start][0]}–{numbers[end - 1][1]}"
        note = UserMessage(f"[turns {label}, compressed: {one.summary}]", note=True)
        prune = Prune(label, "compressed", sum(map(_tokens, kept[start:end])), _tokens(note))
        if prune.after < prune.before:
            kept[start:end] = [note]
            made.append(prune)
    return kept, made


def behind_summaries(messages: Sequence[Message]) -> int:
    """How many messages come after the last one that stands for turns."""
    standing = (isinstance(m, UserMessage) and m.note and _NOTE.match(m.text) for m in messages)
    last = max(compress(count(), standing), default=-1)
    return len(messages) - 1 - last


def _lasting(ranges: Sequence[Compressed]) -> list[Compressed]:
    """The ranges without those that a later one holds."""
    return [
        one
        for n, one in enumerate(ranges)
        if not any(new.first <= one.first and one.last <= new.last for new in ranges[n + 1 :])
    ]


def _tokens(message: Message) -> int:
    return size(len(msgspec.json.encode(message)))


def turns(messages: Sequence[Message], first: int) -> Iterator[tuple[int, int]]:
    """For each message the first and the last turn that it belongs to; 0 is before all turns."""
    here, following = (0, 0), first
    for message in messages:
        if isinstance(message, UserMessage):
            if not message.note:
                here, following = (following, following), following + 1
            elif stands_for := _NOTE.match(message.text):
                here = int(stands_for[1]), int(stands_for[2])
                following = here[1] + 1
        yield here


def _calls(messages: Sequence[Message]) -> Iterator[_Call]:
    """The calls that something can be taken from, in their order."""
    asked: dict[str, tuple[int, CallBlock]] = {}
    for place, message in enumerate(messages):
        if isinstance(message, AssistantMessage):
            asked |= {b.id: (place, b) for b in message.blocks if isinstance(b, CallBlock)}
        elif isinstance(message, ResultsMessage):
            for result in message.results:
                asked_in, block = asked.get(result.call, (0, None))
                if block and _whole(block, result):
                    yield _Call(block, asked_in, result, place)


def _whole(block: CallBlock, result: Result) -> bool:
    """Whether nothing was taken from the call so far, and something may be."""
    pruned = result.content == DUPLICATE or block.input == FAILED_INPUT
    return not pruned and block.malformed is None and block.name not in KEPT


def _without(message: Message, whys: Mapping[str, Why]) -> Message:
    match message:
        case ResultsMessage():
            return ResultsMessage(tuple(_result(r, whys.get(r.call)) for r in message.results))
        case AssistantMessage():
            return replace(message, blocks=tuple(_block(b, whys) for b in message.blocks))
        case UserMessage():
            return message


def _result(result: Result, why: Why | None) -> Result:
    return replace(result, content=DUPLICATE) if why == "duplicate" else result


def _block(block: Block, whys: Mapping[str, Why]) -> Block:
    """The block; of a failed call without its input and the bytes that were its input."""
    if isinstance(block, CallBlock) and whys.get(block.id) == "failed_input":
        return replace(block, input=dict(FAILED_INPUT), native=NO_NATIVE)
    return block
