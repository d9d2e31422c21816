"""Rules about cuts: what they keep, and by which numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from fsm_agent.audit.evidence import Evidence, Handler, Monitor
from fsm_agent.context.economy import size
from fsm_agent.events import derived as d
from fsm_agent.events import inputs as i
from fsm_agent.events.lines import Line
from fsm_agent.events.values import AssistantMessage, Blob, Message, Section, UserMessage
from fsm_agent.lifecycles.prompts import PLAN, SNAPSHOT
from fsm_agent.lifecycles.world import sha256

REBUILT = frozenset({SNAPSHOT, PLAN, "instruction-file", "memory"})
"""Sections that a cut makes anew; all others stay as they are."""


class Cutting(Monitor):
    """FSA034, 035."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence, self._world = evidence, evidence.world

    def handlers(self) -> Mapping[type, Handler]:
        """What is asked for, what is cut, and the prompt behind it."""
        return {
            d.Summarise: self._asked,
            d.ContextUpdate: self._updated,
            i.PromptRead: self._prompt,
        }

    def _asked(self, event: d.Summarise, line: Line) -> None:
        world, start, pinned = self._world, event.start, event.pinned
        count = len(world.messages)
        if not 0 < start < count or (pinned is not None and not 0 <= pinned < start):
            self._found("FSA034", f"{count} messages cannot be cut at {start}", line)
            return
        if wrong := _parted(world.messages[pinned or 0 : start + 1], pinned):
            self._found("FSA034", wrong, line)
        kept = world.sums[-1] - world.sums[start - 1]
        if pinned is not None:
            kept += world.sums[pinned] - (world.sums[pinned - 1] if pinned else 0)
        said, true = (event.before, event.after), (world.sums[-1], kept)
        if said != true:
            why = f"from {said[0]} to {said[1]} tokens, where it is from {true[0]} to {true[1]}"
            self._found("FSA035", why, line)

    def _updated(self, event: d.ContextUpdate, line: Line) -> None:
        asked = self._world.cutting.asked
        if event.of is None:
            if event.after >= event.before:
                self._found("FSA035", f"thinned out from {event.before} to {event.after}", line)
            return
        if asked is None:
            self._found("FSA035", "nobody has asked for a cut", line)
            return
        window = event.kept_from, event.pinned
        if window != (asked.start, asked.pinned):
            self._found(
                "FSA034", f"cut at {window}, asked for at {asked.start, asked.pinned}", line
            )
        text = self._world.cutting.text
        summary = size(text.bytes if isinstance(text, Blob) else len(text.encode()))
        said = (event.before, event.after, event.net, event.why, event.strategy)
        due = (asked.before, asked.after + summary, asked.net, asked.why, asked.strategy)
        if said != due:
            self._found("FSA035", f"{_words(said)}, where {_words(due)} was asked for", line)

    def _prompt(self, event: i.PromptRead, line: Line) -> None:
        """A prompt that was made anew, not read."""
        if line.kind != "derived":
            return
        world = self._world
        summary = world.cutting.summary
        if digests(event.sections, SNAPSHOT) != [sha256(summary)] * bool(summary):
            self._found("FSA035", "the prompt does not hold the summary as it came", line)
        if _lasting(event.sections) != _lasting(world.sections):
            self._found("FSA035", "a section of the prompt that lasts is lost or changed", line)

    def _found(self, rule: str, message: str, line: Line) -> None:
        self._evidence.found(rule, message, line)


def digests(parts: Iterable[Section], tag: str) -> list[str]:
    """SHA-256 of the texts of all sections with this tag."""
    return [sha256(part.text) for part in parts if part.tag == tag]


def _lasting(parts: Iterable[Section]) -> list[Section]:
    return [part for part in parts if part.tag not in REBUILT]


def _parted(messages: Sequence[Message], pinned: int | None) -> str:
    """What is wrong with a cut before the last of these; the first is the pinned one, if any is."""
    *gone, first = messages
    if isinstance(first, AssistantMessage):
        lone = pinned is not None and _is_line(gone[0]) and not any(map(_is_line, gone[1:]))
        return "" if lone else "what is kept begins with an answer, without its line of the person"
    if not _is_line(first):
        return "what is kept begins with neither a line of the person nor an answer"
    return "" if pinned is None else "a line is kept beside those that follow a later one"


def _is_line(message: Message) -> bool:
    return isinstance(message, UserMessage) and not message.note


def _words(said: Iterable[object]) -> str:
    return " ".join(str(each) for each in said if each is not None)
