"""Lines of a log become items, and nothing but the lines is needed."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from fsm_agent.events import derived as d
from fsm_agent.events import inputs as i
from fsm_agent.events.inputs import Event
from fsm_agent.events.lines import Line
from fsm_agent.events.values import Usage
from fsm_agent.interfaces.painting.items import (
    Act,
    Allowed,
    Call,
    Failed,
    Item,
    LinesBack,
    Noted,
    Retrying,
    Said,
    Thought,
    ToolEnded,
    TurnEnded,
    UserSaid,
    call_of,
)
from fsm_agent.interfaces.painting.view import View


class Log:
    """A log that grows by hand: a line a second."""

    def __init__(self) -> None:
        self.view = View()
        self._seq = 0

    def add(self, *events: Event) -> list[Item]:
        """Take events in as lines; return what they add."""
        items: list[Item] = []
        for event in events:
            time = f"2026-11-30T09:00:{self._seq:02}.000Z"
            items += self.view.take(Line(self._seq, time, "input", event))
            self._seq += 1
        return items


def moved(instance: str, source: str, target: str) -> d.Transition:
    return d.Transition(instance=instance, row="X", trigger="x", source=source, target=target)


def begun(text: str = "hello") -> list[Event]:
    """Seqs 0 to 4: a turn up to its first request."""
    return [
        i.UserInput(text=text),
        moved("turn-1", "ready", "compact"),
        d.UserLine(instance="turn-1", of=0),
        moved("turn-1", "compact", "call"),
        d.SendRequest(instance="turn-1", protocol="p", model="m", digest="", bytes=1),
    ]


def answer(*blocks: tuple[type[i.Thinking | i.Text], str]) -> list[Event]:
    """Blocks of an answer to activity 4."""
    return [
        kind(instance="turn-1", activity=4, n=n, text=text) for n, (kind, text) in enumerate(blocks)
    ]


def call(name: str, **given: str) -> i.ToolCall:
    return i.ToolCall(instance="turn-1", activity=4, n=0, name=name, id="c", input=given)


def called(log: Log, *calls: i.ToolCall) -> None:
    """Seqs 5 …: calls, kept, each an instance."""
    names = tuple(f"tool-1.{n}" for n, _ in enumerate(calls, 1))
    seqs = tuple(range(5, 5 + len(calls)))
    log.add(*begun(), *calls, d.Blocks(instance="turn-1", of=4, kept=seqs, calls=names))


def test_a_turn_is_the_line_its_blocks_and_an_end_with_seconds_and_tokens() -> None:
    log = Log()
    items = log.add(
        *begun(),
        *answer((i.Thinking, "Hm."), (i.Text, "Yes.")),
        i.Completed(instance="turn-1", activity=4, stop="end_turn", usage=Usage(10, 2)),
        d.Blocks(instance="turn-1", of=4, kept=(5, 6)),
        moved("turn-1", "drain", "answered"),
    )

    assert items == [
        UserSaid("hello"),
        Thought("Hm."),
        Said("Yes."),
        TurnEnded("answered", 8.0, Usage(10, 2)),
    ]


def test_blocks_are_shown_only_when_the_conversation_keeps_them() -> None:
    log = Log()
    log.add(*begun(), *answer((i.Text, "It is the")))

    assert log.add(d.Retry(instance="turn-1", of=4, attempt=1, ms=500, error="network")) == [
        Retrying("network", 1, 500)
    ]
    assert log.add(d.Stop(instance="turn-1", of=4, reason="end_turn")) == []


def test_reasoning_that_was_cut_off_is_shown_though_nothing_keeps_it() -> None:
    log = Log()
    log.add(*begun())
    log.add(i.Thinking(instance="turn-1", activity=4, n=0, text="Let me", partial=True))

    shown = log.add(d.Stop(instance="turn-1", of=4, reason="interrupted"))
    assert shown == [Thought("Let me", partial=True)]


@pytest.mark.parametrize("state", ["done", "cancelled", "unknown"])
def test_a_tool_line_comes_with_its_result(state: str) -> None:
    log = Log()
    called(log, call("Bash", command="ls"))
    log.add(moved("tool-1.1", "running", state))
    result = d.ToolResult(instance="tool-1.1", name="Bash", id="c", content="a\nb", ok=True)

    assert log.add(result) == [ToolEnded(Call("Bash", "ls"), state, True, "a\nb", of=8)]


def test_a_tool_s_word_to_the_person_goes_before_the_model_s() -> None:
    log = Log()
    called(log, call("Read", path="a.py"))
    log.add(
        i.Finished(instance="tool-1.1", activity=9, output="text", display="Read(a.py)", ms=1500),
        moved("tool-1.1", "running", "done"),
    )
    result = d.ToolResult(instance="tool-1.1", name="Read", id="c", content="text")

    expected = ToolEnded(Call("Read", "a.py"), "done", True, "Read(a.py)", ms=1500, of=9)
    assert log.add(result) == [expected]


def test_a_denial_says_why() -> None:
    log = Log()
    called(log, call("Bash", command="rm x"))
    shown = log.add(
        moved("tool-1.1", "asking", "denied"),
        d.Permission(
            instance="tool-1.1", name="Bash", decision="deny", layer="person", reason="not now"
        ),
        d.ToolResult(instance="tool-1.1", name="Bash", id="c", content="Error: …", ok=False),
    )

    denied = ToolEnded(Call("Bash", "rm x"), "denied", False, "Error: …", why="not now", of=9)
    assert shown == [denied]


@pytest.mark.parametrize(("layer", "shown"), [("person", 1), ("mode", 0)])
def test_a_yes_is_shown_when_a_person_said_it(layer: str, shown: int) -> None:
    log = Log()
    called(log, call("Bash", command="ls"))
    permission = d.Permission(
        instance="tool-1.1", name="Bash", decision="allow", layer=layer, reason="once"
    )

    assert log.add(permission) == [Allowed(Call("Bash", "ls"), "once")] * shown


@pytest.mark.parametrize(
    ("event", "item"),
    [
        (
            d.Error(instance="turn-1", error="auth", message="no", hint="a key"),
            Failed("no", "a key"),
        ),
        (d.Refusal(instance="session", what="continue", why="nothing"), Failed("nothing")),
        (
            i.Seen(what="instructions", path="A", text="x"),
            Noted("A has changed; the model is told"),
        ),
        (d.LogDamage(at=1, bytes=3, why="torn"), Noted("3 bytes of the log were set aside: torn")),
        (i.Command(name="undo"), Noted("/undo")),
        (i.Notice(text="a job has ended"), Noted("a job has ended")),
        (
            i.Completed(instance="turn-1", activity=4, stop="end_turn", warning="odd"),
            Noted("odd"),
        ),
    ],
)
def test_news_is_shown(event: Event, item: Item) -> None:
    assert Log().add(event) == [item]


def test_a_model_is_named_when_it_changes() -> None:
    log = Log()

    assert log.add(i.Settings(protocol="p", model="a")) == []
    assert log.add(i.Settings(protocol="p", model="b")) == [Noted("the model is now b")]


class TestQueue:
    def test_a_line_waits_until_a_turn_takes_it(self) -> None:
        log = Log()
        log.add(*begun(), i.UserInput(text="next"), d.Queued(of=5))
        assert log.view.status().queued == {5: "next"}

        assert log.add(d.UserLine(instance="turn-2", of=5)) == [UserSaid("next", at=7)]
        assert log.view.status().queued == {}

    def test_a_line_goes_back_to_the_person(self) -> None:
        log = Log()
        log.add(*begun(), i.UserInput(text="next"), d.Queued(of=5))

        assert log.add(d.LinesReturned(of=(5,))) == [LinesBack(("next",))]
        assert log.view.status().queued == {}

    def test_a_line_is_taken_back_only_while_it_waits(self) -> None:
        log = Log()
        log.add(*begun(), i.UserInput(text="next"), d.Queued(of=5))

        assert log.add(i.UserTakeBack(of=5)) == [LinesBack(("next",), wanted=True)]
        assert log.add(i.UserTakeBack(of=0)) == []

    def test_an_injected_line_waits_for_the_gap(self) -> None:
        log = Log()
        log.add(*begun(), i.UserInject(text="and b"))
        assert log.view.status().injected == ("and b",)

        shown = log.add(d.Notices(instance="turn-1", text="and b", of=(5,)))
        assert shown == [UserSaid("and b", injected=True, at=6)]
        assert log.view.status().injected == ()


def doings(log: Log, *events: Event) -> Sequence[str]:
    shown = []
    for event in events:
        log.add(event)
        shown.append(log.view.status().doing)
    return shown


class TestStatus:
    def test_it_follows_the_turn(self) -> None:
        log = Log()
        log.add(*begun())
        assert doings(
            log,
            moved("turn-1", "call", "wait"),
            moved("turn-1", "wait", "call"),
            moved("turn-1", "call", "stream"),
            moved("turn-1", "stream", "stopping"),
            moved("turn-1", "stopping", "persist"),
            moved("turn-1", "drain", "interrupted"),
            moved("session", "busy", "idle"),
        ) == ["pausing", "waiting", "answering", "stopping", "stopping", "stopping", "idle"]
        assert log.view.status().unfinished

    def test_a_pause_has_an_end(self) -> None:
        log = Log()
        log.add(*begun(), d.Retry(instance="turn-1", of=4, attempt=1, ms=62_500, error="network"))

        assert log.view.status().again == "2026-11-30T09:01:07.500Z"

    def test_calls_under_way_are_named_with_their_beginning(self) -> None:
        log = Log()
        called(log, call("Bash", command="a"), call("Bash", command="b"))
        log.add(moved("tool-1.1", "requested", "running"), moved("tool-1.2", "requested", "asking"))

        assert log.view.status().acts == (
            Act(Call("Bash", "a"), "running", "2026-11-30T09:00:08.000Z"),
            Act(Call("Bash", "b"), "asking", "2026-11-30T09:00:09.000Z"),
        )
        log.add(moved("tool-1.1", "running", "done"))
        assert [act.call.subject for act in log.view.status().acts] == ["b"]


@pytest.mark.parametrize(
    ("given", "subject"),
    [
        ({"command": "ls", "timeout": "5"}, "ls"),
        ({"content": "long", "path": "a"}, "a"),
        ({"n": 1, "word": "w"}, "w"),
        ({"n": 1}, ""),
    ],
)
def test_a_call_is_named_by_the_argument_that_says_most(
    given: dict[str, object], subject: str
) -> None:
    assert call_of("T", given) == Call("T", subject)
