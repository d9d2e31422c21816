"""Rules about requests and answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from fsm_agent.audit.evidence import Evidence, Handler, Monitor
from fsm_agent.audit.tries import SUMMARISER
from fsm_agent.events import derived as d
from fsm_agent.events import inputs as i
from fsm_agent.events.lines import Line, type_of
from fsm_agent.lifecycles.world import BlockLine

Heard: TypeAlias = Sequence[tuple[int, BlockLine]]
_BLOCKS = (i.Thinking, i.Text, i.ToolCall)
FITS: dict[type, tuple[type, ...]] = {
    d.SendRequest: (i.Opened, i.Rejected),
    d.ReadAnswer: (*_BLOCKS, i.Completed, i.Broken),
    d.Sleep: (i.Waited,),
    d.StopAnswer: (*_BLOCKS, i.Stopped),
    d.RunTool: (i.Finished,),
    d.StopTool: (i.Stopped,),
    d.AskUser: (i.Approved, i.Declined),
    d.Summarise: (i.Summarised, i.Rejected),
}
"""What an activity may end with; the answer's blocks come before its end."""
ENDS = tuple({of for ends in FITS.values() for of in ends if of not in _BLOCKS})


class Requests(Monitor):
    """FSA017, 036, 037, 072."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._turn = 0
        """The turn that the last request was for; what follows is forgotten with the next."""
        self._kinds: dict[int, type] = {}
        """The open activities, by seq."""
        self._over: dict[str, int] = {}
        """The activity that each instance's last outcome ended."""
        self._sent = 0
        """Bytes of the last request."""
        self._overflowed = 0
        """Bytes of the request that overflowed the context, until something has helped."""

    def handlers(self) -> Mapping[type, Handler]:
        """Activities and their outcomes, and what the conversation keeps of an answer."""
        return {
            **dict.fromkeys(FITS, self._begun),
            d.SendRequest: self._request,
            **dict.fromkeys(ENDS, self._ended),
            i.Opened: self._opened,
            i.Rejected: self._failed,
            i.Broken: self._failed,
            **dict.fromkeys(_BLOCKS, self._block),
            d.Blocks: self._kept,
            d.Error: self._error,
            d.ContextUpdate: self._cut,
        }

    # -- activities and outcomes -----------------------------------------------------------------

    def _begun(self, event: d.Activity, line: Line) -> None:
        self._kinds[line.seq] = type(event)

    def _request(self, event: d.SendRequest, line: Line) -> None:
        world = self._evidence.world
        if world.turns != self._turn:
            self._turn, self._kinds, self._over, self._overflowed = world.turns, {}, {}, 0
        self._begun(event, line)
        if world.turn.steps > world.settings.max_turns:
            why = f"step {world.turn.steps} of a turn that may have {world.settings.max_turns}"
            self._found("FSA072", why, line)
        if 0 < self._overflowed <= event.bytes:
            why = f"{event.bytes} bytes, after {self._overflowed} bytes overflowed the context"
            self._found("FSA036", why, line)
        self._sent = event.bytes

    def _block(self, event: i.Thinking | i.Text | i.ToolCall, line: Line) -> None:
        world, given = self._evidence.world, self._evidence.given
        if given and getattr(given.event, "activity", -1) != event.activity:
            self._found("FSA017", "a block of another activity than the batch's outcome", line)
        if world.open.get(event.instance) != event.activity:
            self._check_late(event, line)
            return
        self._check_fit(event, line)
        heard = world.heard.get(event.activity)
        if heard and heard[-1][1].n >= event.n:
            self._found("FSA037", f"block {event.n} after block {heard[-1][1].n}", line)

    def _ended(self, event: i.Outcome, line: Line) -> None:
        if event.activity >= line.seq:
            self._found("FSA017", f"activity {event.activity} has not begun", line)
        elif self._over.get(event.instance) == event.activity:
            self._found("FSA017", f"activity {event.activity} had its outcome before", line)
        elif self._evidence.world.open.get(event.instance) == event.activity:
            self._check_fit(event, line)
            self._over[event.instance] = event.activity
            self._kinds.pop(event.activity, None)
        else:
            self._check_late(event, line)

    def _check_late(self, event: i.Outcome, line: Line) -> None:
        """What comes late is kept in the log and moves nothing, but somebody began it."""
        turn = event.instance.partition("-")[2].partition(".")[0]
        if turn.isdecimal() and int(turn) > self._evidence.world.turns:
            self._found("FSA017", f"there was no {event.instance} yet", line)

    def _check_fit(self, event: i.Outcome, line: Line) -> None:
        kind = self._kinds.get(event.activity)
        if kind and type(event) not in FITS[kind]:
            what = kind.__struct_config__.tag  # type: ignore[attr-defined]  # an event class
            self._found("FSA017", f"{type_of(line.event)} is no outcome of {what}", line)

    def _opened(self, event: i.Opened, line: Line) -> None:
        self._ended(event, line)
        self._overflowed = 0  # the context fits again; it may grow as long as it was

    def _failed(self, event: i.Rejected | i.Broken, line: Line) -> None:
        self._ended(event, line)
        if event.failure.error == "context_overflow" and event.instance != SUMMARISER:
            self._overflowed = self._sent

    def _error(self, event: d.Error, _: Line) -> None:
        if event.instance == SUMMARISER:
            self._overflowed = 0  # a cut was tried: what remains is to ask the server once more

    def _cut(self, event: d.ContextUpdate, _: Line) -> None:
        if event.of is not None:
            self._overflowed = 0  # maybe not by enough, but only the server can tell

    # -- what enters the conversation ------------------------------------------------------------

    def _kept(self, event: d.Blocks, line: Line) -> None:
        world = self._evidence.world
        heard = world.heard.get(event.of, ())
        kept = [(seq, block) for seq, block in heard if seq in event.kept]
        if not kept or event.kept != tuple([seq for seq, _ in kept]):
            self._found("FSA037", f"what is kept was not heard so from activity {event.of}", line)
            return
        calls = [seq for seq, block in kept if isinstance(block, i.ToolCall)]
        if calls and len(kept) < len(heard):
            self._check_lost(heard, calls, line)
        if any(block.partial for _, block in kept):
            self._check_halves(kept, line)
        first, turn = world.turn.numbered + 1, event.instance.removeprefix("turn-")
        names = tuple([f"tool-{turn}.{first + n}" for n in range(len(calls))])
        if event.calls != names:
            self._found("FSA012", f"the calls are {_words(event.calls)}, not {_words(names)}", line)

    def _check_lost(self, heard: Heard, calls: list[int], line: Line) -> None:
        """An answer's calls are kept all, or none."""
        for seq, block in heard:
            if isinstance(block, i.ToolCall) and seq not in calls:
                self._found("FSA037", f"the call of line {seq + 1} is lost", line)

    def _check_halves(self, kept: Heard, line: Line) -> None:
        """Half a block is kept only of a text, and only if the answer did not come to its end."""
        given = self._evidence.given
        whole = given is not None and isinstance(given.event, i.Completed)
        for seq, block in kept:
            if block.partial and (whole or not isinstance(block, i.Text)):
                self._found("FSA037", f"the half block of line {seq + 1} is kept", line)

    def _found(self, rule: str, message: str, line: Line) -> None:
        self._evidence.found(rule, message, line)


def _words(names: tuple[str, ...]) -> str:
    return ", ".join(names) or "none"
