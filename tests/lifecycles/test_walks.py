"""Whatever happens in whatever order, the tables have a row for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from fsm_agent.events import derived as d
from fsm_agent.events import inputs as i
from fsm_agent.events.inputs import Event
from fsm_agent.events.lines import FORMAT, GENESIS, Batch, Line, Seal, encode, seal
from fsm_agent.events.values import Economy, Failure, Section, Usage
from fsm_agent.lifecycles.fold import apply
from fsm_agent.lifecycles.replay import fold, verify
from fsm_agent.lifecycles.step import step
from fsm_agent.lifecycles.world import FINAL_TOOL, World, digest

SPECS = (
    '[{"name":"Read","description":"","parameters":{}},'
    '{"name":"Bash","description":"","parameters":{}},'
    '{"name":"Edit","description":"","parameters":{}},'
    '{"name":"PlanConfirm","description":"","parameters":{}},'
    '{"name":"PlanCancel","description":"","parameters":{}},'
    '{"name":"PlanClear","description":"","parameters":{}}]'
)
FAILURES = [
    Failure("rate_limit", "slow down", retry=True),
    Failure("empty_answer", "nothing", retry=True),
    Failure("auth", "no"),
    Failure("context_overflow", "too long"),
]
STOPS = ["end_turn", "tool_use", "max_tokens", "refusal", "pause", "content_filter"]


class Walk:
    """A world moved by drawn inputs, as the runtime would hand them in."""

    def __init__(self, draw: Callable[[st.SearchStrategy[Any]], Any], permission: str) -> None:
        self.draw, self.world = draw, World(lambda _: "")
        self.batches: list[Batch] = []
        self._hash, self._time = GENESIS, 0
        self.take(
            i.SessionStart(v=FORMAT, session="s", program="p", semantics=1, tables={}, cwd="/p"),
            i.Settings(
                protocol="scripted",
                model="m",
                permission=permission,  # type: ignore[arg-type] # drawn from its words
                person=permission == "ask",
                max_turns=4,
                max_retries=2,
                draft="/s/plan.draft",
                economy=Economy(
                    automatic=draw(st.booleans()), window=draw(st.sampled_from([0, 20, 9999]))
                ),
            ),
            i.Tools(specs=SPECS),
            i.PromptRead(sections=(Section("rules", "Walk."),)),
        )

    def take(self, *group: Event) -> None:
        self._time += 1
        done = step(self.world, group, f"2026-11-30T09:12:44.{self._time:03d}Z")
        self._write(done.lines)

    def _write(self, lines: list[Line]) -> None:
        state = digest(self.world)
        raw, self._hash = seal([encode(line) for line in lines], self._hash, state)
        self.batches.append(Batch(tuple(lines), Seal(state, self._hash.hex()), raw))

    def act(self) -> None:
        """One thing that can happen now."""
        world = self.world
        if world.at.get("session") == "closed":
            self.take(i.SessionResume(program="p", semantics=1, tables={}))
            return
        asked = [(name, self._asked(seq)) for name, seq in world.open.items()]
        choice = self.draw(st.integers(0, 9))
        if asked and choice < 6:
            name, event = asked[self.draw(st.integers(0, len(asked) - 1))]
            self.take(*self._outcome(name, event))
        elif choice == 9 and world.live:
            self.take(i.SessionResume(program="p", semantics=1, tables={}))
            self.take(i.Crashed())
        else:
            self.take(self.draw(st.sampled_from(PERSON)))

    def _asked(self, seq: int) -> Event:
        found = next(x for b in self.batches for x in b.lines if x.seq == seq)
        assert isinstance(found.event, Event)
        return found.event

    def _outcome(self, name: str, event: Event) -> list[Event]:  # noqa: PLR0911 - one a kind
        draw = self.draw
        at: dict[str, Any] = {"instance": name, "activity": self.world.open[name]}
        match event:
            case d.Summarise():
                text = draw(st.sampled_from(["Task focus: all.", " "]))
                bad = i.Rejected(**at, failure=draw(st.sampled_from(FAILURES)), usage=Usage(5, 1))
                good = i.Summarised(**at, text=text, usage=Usage(9, 3))
                return [good if draw(st.integers(0, 3)) else bad]
            case d.SendRequest():
                good = draw(st.booleans())
                bad = i.Rejected(**at, failure=draw(st.sampled_from(FAILURES)))
                return [i.Opened(**at) if good else bad]
            case d.ReadAnswer() | d.StopAnswer():
                lines = [self._block(at, n) for n in range(draw(st.integers(0, 3)))]
                if isinstance(event, d.StopAnswer):
                    return [*lines, i.Stopped(**at)]
                if draw(st.booleans()):
                    stop = draw(st.sampled_from(STOPS))
                    return [*lines, i.Completed(**at, stop=stop, usage=Usage(9, 3))]
                return [*lines, i.Broken(**at, failure=draw(st.sampled_from(FAILURES)))]
            case d.Sleep():
                return [i.Waited(**at)]
            case d.RunTool():
                return [i.Finished(**at, output="out", ok=draw(st.booleans()))]
            case d.StopTool():
                return [i.Stopped(**at, output="half")]
            case d.AskUser():
                scope = draw(st.sampled_from(["once", "command", "edits", "no"]))
                return [i.Declined(**at) if scope == "no" else i.Approved(**at, scope=scope)]
            case _:
                raise AssertionError(event)

    def _block(self, at: dict[str, Any], n: int) -> Event:
        kind = self.draw(st.integers(0, 4))
        partial = self.draw(st.booleans())
        if kind == 0:
            return i.Thinking(**at, n=n, text="hm", partial=partial)
        if kind == 1:
            return i.Text(**at, n=n, text="word", partial=partial)
        call = self.draw(st.sampled_from(CALLS))
        return i.ToolCall(**at, n=n, id="same", **call)


CALLS: list[dict[str, Any]] = [
    {"name": "Read", "input": {"path": "a"}},
    {"name": "Edit", "input": {"path": "a"}},
    {"name": "Bash", "input": {"command": "x"}},
    {"name": "Fetch", "input": {}},
    {"name": "Bash", "input": {}, "malformed": "{"},
    {"name": "PlanConfirm", "input": {}},
    {"name": "PlanCancel", "input": {}},
    {"name": "PlanClear", "input": {}},
]
PERSON = [
    i.UserInput(text="line"),
    i.UserInject(text="word"),
    i.Notice(text="news"),
    i.Interrupt(),
    i.Leave(reason="quit"),
    i.Continue(),
    i.PlanCommand(verb="CONFIRM"),
    i.PlanCommand(verb="CLEAR"),
    i.PlanCommand(verb="CANCEL"),
    i.CompactCommand(),
    i.CompactCommand(instruction="names"),
    i.Command(name="uncompact"),
    *(i.Command(name="undo", arguments={"turn": turn, "talk": True}) for turn in range(1, 5)),
    i.Command(name="redo", arguments={"talk": True}),
    i.Seen(what="draft", path="/s/plan.draft", text="1. do"),
    i.Seen(what="draft", path="/s/plan.draft", text="2. more", by="tool"),
    i.Seen(what="draft", path="/s/plan.draft", text=" "),
    i.Seen(what="plan", path="/s/plan.md", text="changed"),
    i.Seen(what="instructions", path="/p/AGENTS.md", text="Be kind."),
]


@settings(max_examples=150, deadline=None)
@given(data=st.data(), permission=st.sampled_from(["allow", "ask", "read", "plan"]))
def test_no_walk_leaves_the_tables(data: st.DataObject, permission: str) -> None:
    walk = Walk(data.draw, permission)
    for _ in range(data.draw(st.integers(1, 40))):
        walk.act()
        world = walk.world
        command = world.at.get("compaction", "idle") != "idle"
        assert (bool(world.live) or command) == (world.at.get("session", "idle") == "busy")
        assert list(world.begun.values()) == sorted(world.begun.values())
        assert all(0 <= at <= len(world.messages) for at in world.begun.values())
        assert len(world.sums) == len(world.messages)
        if world.live is None and not command:
            assert not world.open
            assert not [name for name in world.at if name.startswith(("turn-", "tool-"))]

    live, blobs = digest(walk.world), walk.world.blobs
    assert digest(fold(walk.batches, blobs)) == live
    assert verify(walk.batches, blobs) == len(walk.batches)


@settings(max_examples=50, deadline=None)
@given(data=st.data())
def test_every_call_has_one_result_before_the_model_is_asked_again(data: st.DataObject) -> None:
    walk = Walk(data.draw, "allow")
    for _ in range(30):
        walk.act()
    lines = [line.event for batch in walk.batches for line in batch.lines]
    calls = [name for e in lines if isinstance(e, d.Blocks) for name in e.calls]
    results = [e.instance for e in lines if isinstance(e, d.ToolResult)]
    assert len(set(calls)) == len(calls)
    open_now = [n for n, s in walk.world.at.items() if n[:5] == "tool-" and s not in FINAL_TOOL]
    assert sorted(results) == sorted(set(calls) - set(open_now))


def test_an_input_that_no_row_takes_changes_nothing_that_is_written() -> None:
    walk = Walk(lambda _: 0, "allow")
    before = digest(walk.world)
    apply(walk.world, Line(walk.world.seq, "z", "note", d.Ignored(what="x", why="y")))
    assert digest(walk.world) != before  # seq has moved: a note has its place in the log too
