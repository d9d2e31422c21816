"""A recorded session that answers instead of model, tools and person.

What was not recorded is never made up: it fails, and says what the nearest recorded thing is and
how it differs.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from fsm_agent.dialects.protocol import Answer, Delta
from fsm_agent.events import inputs as i
from fsm_agent.events.outcome import ToolOutcome
from fsm_agent.events.values import Block, CallBlock, Failure, ThinkingBlock, ToolSpec
from fsm_agent.providers.protocol import Stream
from fsm_agent.testing.differing import Difference, common, first_difference
from fsm_agent.testing.recording import Answered, Asked, Ran, Recording
from fsm_agent.tools.protocol import Tool, Workplace

_Item = TypeVar("_Item", Ran, Answered)


class Cassette:
    """A model that gives a session's recorded answers. See `Provider`.

    A request is known by its exact bytes, cache marks included: those that this program sends for
    the recorded conversation. They are the same whenever the digests of the `send_request` lines
    are. A request that was sent several times gets its answers in their order.

    Args:
        recording: What to answer from.
        in_order: Give the answers in the order of the log, whatever is asked.

    Attributes:
        missed: What was asked for and not recorded, as it was told.
    """

    def __init__(self, recording: Recording, *, in_order: bool = False) -> None:
        self._recording, self._in_order = recording, in_order
        self.missed: list[str] = []
        self._left: defaultdict[str, list[Asked]] = defaultdict(list)
        self._lines: defaultdict[str, list[int]] = defaultdict(list)
        asked = {one.seq: one for one in recording.requests}
        for seq, body in recording.bodies():
            key = self._key(body)
            self._left[key].append(asked[seq])
            self._lines[key].append(seq)

    async def open(self, body: bytes) -> Stream | Failure:
        """Give the next answer that was recorded for this request."""
        key = self._key(body)
        if not self._left.get(key):
            return self._miss(self._unknown(body, key))
        asked = self._left[key].pop(0)
        if isinstance(asked.end, i.Rejected):
            return asked.end.failure
        if asked.end is None:
            return self._miss(f"line {asked.seq} was never answered")
        return _Played(asked, self._miss)

    async def close(self) -> None:
        """Nothing is held."""

    def _key(self, body: bytes) -> str:
        return "" if self._in_order else hashlib.sha256(body).hexdigest()

    def _miss(self, what: str) -> Failure:
        self.missed.append(f"{self._recording.path}: {what}")
        return Failure("script", self.missed[-1])

    def _unknown(self, body: bytes, key: str) -> str:
        if lines := self._lines.get(key):
            places = ", ".join(map(str, lines))
            return f"all answers have been given ({len(lines)}, to lines {places})"
        new = msgspec.json.decode(body)
        recorded = ((seq, msgspec.json.decode(old)) for seq, old in self._recording.bodies())
        nearest, old = max(recorded, key=lambda one: common(one[1]["messages"], new["messages"]))
        difference = first_difference(old, new)
        return f"this request was not recorded. The nearest is line {nearest}; {_told(difference)}"


class _Played:
    """A recorded answer, a block at a time."""

    def __init__(self, asked: Asked, miss: Callable[[str], Failure]) -> None:
        head = asked.head or i.Opened(instance="", activity=asked.seq)
        self.status, self.request_id = head.status, head.request_id
        self._asked, self._miss = asked, miss

    async def __aiter__(self) -> AsyncIterator[Sequence[Delta]]:
        for place, block in enumerate(self._asked.blocks):
            yield _deltas(block, place)

    def answer(self) -> Answer:
        """What was recorded; one that was stopped then has no end that could be given now."""
        blocks, end = tuple(self._asked.blocks), self._asked.end
        match end:
            case i.Completed():
                return Answer(blocks, stop=end.stop, usage=end.usage, warning=end.warning)
            case i.Broken():
                return Answer(blocks, usage=end.usage, failure=end.failure)
            case _:
                failure = self._miss(f"the answer to line {self._asked.seq} was stopped halfway")
                return Answer(blocks, failure=failure)

    async def close(self) -> None:
        """Nothing is held."""


def _deltas(block: Block, place: int) -> Sequence[Delta]:
    if isinstance(block, CallBlock):
        text = block.malformed or msgspec.json.encode(block.input).decode()
        return Delta("call", block.name), Delta("arguments", text)
    return (Delta("thinking" if isinstance(block, ThinkingBlock) else "text", block.text, place),)


class CassetteTools(Mapping[str, Tool]):
    """Tools that give recorded results, by name and input; nothing is touched.

    The same call made several times gets its results in their order.

    Attributes:
        missed: Calls that were not recorded, as it was told.
    """

    def __init__(self, recording: Recording) -> None:
        self.missed: list[str] = []
        self._left = list(recording.ran)
        self._path = recording.path
        self._tools = {spec.name: _RecordedTool(spec, self._end) for spec in recording.world.tools}

    def __getitem__(self, name: str) -> Tool:
        return self._tools[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tools)

    def __len__(self) -> int:
        return len(self._tools)

    def _end(self, name: str, given: Mapping[str, Any]) -> ToolOutcome:
        found = _next(self._left, name, given)
        if isinstance(found, Ran):
            return found.outcome
        self.missed.append(f"{self._path}: this call of {name} was not recorded; {found}")
        return ToolOutcome(f"Error: {self.missed[-1]}", ok=False)


class _RecordedTool:
    """One tool, answered from the log."""

    def __init__(
        self, spec: ToolSpec, end: Callable[[str, Mapping[str, Any]], ToolOutcome]
    ) -> None:
        self.spec, self._end = spec, end

    async def start(self, arguments: Mapping[str, Any], _: Workplace) -> _Over:
        """Take the next recorded end of this call."""
        return _Over(self._end(self.spec.name, arguments))


class _Over:
    """A tool that has ended already."""

    def __init__(self, outcome: ToolOutcome) -> None:
        self._outcome = outcome

    async def wait(self) -> ToolOutcome:
        """Its end."""
        return self._outcome

    async def stop(self) -> ToolOutcome:
        """Its end: too late."""
        return self._outcome


class CassettePerson:
    """Somebody who answers as was answered then, by call; what was not asked then is denied.

    Attributes:
        missed: Questions that were not recorded, as it was told.
    """

    def __init__(self, recording: Recording) -> None:
        self.missed: list[str] = []
        self._left = list(recording.answered)
        self._path = recording.path

    async def ask(self, call: i.ToolCall, _: str) -> tuple[str, str]:
        """The next recorded answer for this call."""
        found = _next(self._left, call.name, call.input)
        if isinstance(found, Answered):
            return found.answer, found.word
        self.missed.append(f"{self._path}: nobody was asked about this {call.name}; {found}")
        return "no", self.missed[-1]


def _next(left: list[_Item], name: str, given: Mapping[str, Any]) -> _Item | str:
    """Take out the first item for this call; without one, say what the nearest is."""
    mine = [item for item in left if item.call.name == name]
    for item in mine:
        if item.call.input == given:
            left.remove(item)
            return item
    if not mine:
        return f"none of {name} is left"
    difference = first_difference(mine[0].call.input, dict(given))
    return f"the next of {name} is line {mine[0].seq}; {_told(difference)}"


def _told(difference: Difference | None) -> str:
    if difference is None:
        return "it says the same in other bytes"
    return (
        f"the first difference is in {difference.where}\n"
        f"  recorded: {difference.old}\n"
        f"  now:      {difference.new}"
    )
