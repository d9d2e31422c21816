"""The fold: what each line changes in the world."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from fsm_agent.context.calls import sent_id
from fsm_agent.events import derived as d
from fsm_agent.events import inputs as i
from fsm_agent.events.lines import Line
from fsm_agent.events.values import (
    AssistantMessage,
    Block,
    CallBlock,
    Message,
    Result,
    ResultsMessage,
    TextBlock,
    ThinkingBlock,
    ToolSpec,
    UserMessage,
)
from fsm_agent.lifecycles import cuts, granting, plans, prompts, rewinding, spending
from fsm_agent.lifecycles.facts import Call, Turn
from fsm_agent.lifecycles.world import FINAL_TURN, World

Fold = Callable[[World, Any, int], None]
FOLDS: dict[type, tuple[Fold, ...]] = {}


def apply(world: World, line: Line) -> None:
    """Take one line in. Types without a fold change nothing."""
    world.seq, world.time = line.seq + 1, line.time
    if line.kind != "note" and (folds := FOLDS.get(type(line.event))):
        for fold in folds:
            fold(world, line.event, line.seq)


def _folds(*kinds: type) -> Callable[[Fold], Fold]:
    def register(fold: Fold) -> Fold:
        for kind in kinds:
            FOLDS[kind] = (*FOLDS.get(kind, ()), fold)
        return fold

    return register


# -- the session ---------------------------------------------------------------------------------


@_folds(i.SessionStart)
def _start(world: World, event: i.SessionStart, _: int) -> None:
    world.session, world.cwd = event.session, event.cwd


@_folds(i.SessionFork)
def _fork(world: World, event: i.SessionFork, _: int) -> None:
    for message in msgspec.json.decode(world.text(event.messages), type=list[Message]):
        world.say(message)
        if isinstance(message, AssistantMessage):
            world.answers += 1
            world.ids |= {b.id for b in message.blocks if isinstance(b, CallBlock)}


@_folds(i.SessionResume)
def _resume(world: World, _: i.SessionResume, __: int) -> None:
    world.leaving = ""
    world.grants = world.grants.cleared()


@_folds(i.Settings, i.Tools, i.PromptRead)
def _shape(world: World, event: i.Settings | i.Tools | i.PromptRead, _: int) -> None:
    if isinstance(event, i.Settings):
        world.settings = event
    elif isinstance(event, i.Tools):
        world.tools = msgspec.json.decode(world.text(event.specs), type=tuple[ToolSpec, ...])
    else:
        world.sections = event.sections
        world.fresh.clear()
    world.reshape()


@_folds(i.UserInput)
def _user_input(world: World, event: i.UserInput, seq: int) -> None:
    world.waiting[seq] = event.text if event.sent is None else event.sent


@_folds(i.UserTakeBack)
def _take_back(world: World, event: i.UserTakeBack, _: int) -> None:
    world.waiting.pop(event.of, None)


@_folds(d.LinesReturned)
def _returned(world: World, event: d.LinesReturned, _: int) -> None:
    for seq in event.of:
        world.waiting.pop(seq, None)


@_folds(i.UserInject, i.Notice)
def _note(world: World, event: i.UserInject | i.Notice, seq: int) -> None:
    world.pending[seq] = event.text
    if isinstance(event, i.Notice):
        world.news.add(seq)


@_folds(i.Leave)
def _leave(world: World, event: i.Leave, _: int) -> None:
    world.leaving = event.reason


# -- moves ---------------------------------------------------------------------------------------


@_folds(d.Transition)
def _transition(world: World, event: d.Transition, _: int) -> None:
    name, target, by = event.instance, event.target, event.by
    world.at[name] = target
    if target != event.source:
        world.open.pop(name, None)
    if by and event.trigger in _ASKS:
        world.asker[name] = by
    elif by in world.asker and event.trigger in ("settled", "dropped"):
        del world.asker[by]
    if name.startswith("turn-"):
        _turn_moved(world, event)


_ASKS = frozenset({"asked", "CONFIRM", "CANCEL", "CLEAR"})


def _turn_moved(world: World, event: d.Transition) -> None:
    if event.source == "ready":
        world.turns += 1
        world.turn = Turn()
        world.unfinished = False
    turn, source, target = world.turn, event.source, event.target
    if target == "compact" and source in ("ready", "drain"):
        turn.steps, turn.tries, turn.paused, turn.due = turn.steps + 1, 0, False, "auto"
    if event.trigger == "crashed":
        turn.ended = "crashed"
    elif turn.ended == "no" and event.trigger in ("interrupt", "dropped"):
        turn.ended = "interrupted"
    if source == "tool_exec" != target:
        _close_calls(world)
    if target in FINAL_TURN:
        del world.at[event.instance]
        world.last_turn = target
        world.unfinished = target != "answered"
        world.heard.clear()


def _close_calls(world: World) -> None:
    """All calls of the answer have a result: they enter the conversation in call order."""
    results = tuple(
        Result(c.result.id, c.result.name, c.result.content, c.result.ok)
        for c in world.turn.calls.values()
        if c.result
    )
    world.say(ResultsMessage(results))
    for instance in world.turn.calls:
        world.at.pop(instance, None)
    world.turn.calls = {}


@_folds(d.ReadAnswer, d.Sleep, d.StopAnswer, d.RunTool, d.StopTool, d.AskUser, d.Summarise)
def _begun(world: World, event: d.Activity, seq: int) -> None:
    world.open[event.instance] = seq


@_folds(d.SendRequest)
def _asked(world: World, event: d.SendRequest, seq: int) -> None:
    world.open[event.instance] = seq
    world.requests += 1
    world.turn.request, world.turn.failure, world.turn.stop = seq, None, None
    world.sent_prefix, world.sent_bytes = world.prefix, event.bytes


# -- the answer ----------------------------------------------------------------------------------


@_folds(i.Thinking, i.Text, i.ToolCall)
def _heard(world: World, event: i.Thinking | i.Text | i.ToolCall, seq: int) -> None:
    if world.open.get(event.instance) == event.activity:  # what comes late is never sent again
        world.heard.setdefault(event.activity, []).append((seq, event))


@_folds(i.Completed)
def _completed(world: World, event: i.Completed, _: int) -> None:
    if world.open.get(event.instance) == event.activity:
        turn = world.turn
        turn.stop, turn.tries, turn.paused = event.stop, 0, event.stop == "pause"
        if event.usage and event.usage.prompt < world.cutting.context:
            turn.stuck = 0


@_folds(i.Rejected, i.Broken)
def _failed(world: World, event: i.Rejected | i.Broken, _: int) -> None:
    if world.open.get(event.instance) == event.activity:
        world.trying(event.instance).failure = event.failure


@_folds(d.Blocks)
def _blocks(world: World, event: d.Blocks, _: int) -> None:
    names = iter(event.calls)
    blocks: list[Block] = []
    world.turn.calls = {}
    for seq, line in world.heard.pop(event.of, ()):
        if seq not in event.kept:
            continue
        match line:
            case i.Thinking():
                blocks.append(ThinkingBlock(line.text, line.native, line.partial))
            case i.Text():
                blocks.append(TextBlock(line.text, line.native, line.partial))
            case i.ToolCall():
                instance = next(names)
                call = sent_id(line.id, instance, world.ids)
                world.ids.add(call)
                world.turn.numbered += 1
                world.turn.calls[instance] = Call(instance, call, line)
                world.at[instance] = "requested"
                blocks.append(CallBlock(line.name, call, line.input, line.native, line.malformed))
    settings = world.settings
    world.answers += 1
    world.say(AssistantMessage(tuple(blocks), settings.protocol, settings.model))


@_folds(d.Retry)
def _retry(world: World, event: d.Retry, _: int) -> None:
    trying = world.trying(event.instance)
    trying.tries, trying.pause_ms, trying.request = event.attempt, event.ms, None
    if trying is not world.turn:
        return
    world.heard.clear()
    if event.error == "context_overflow":
        world.turn.overflowed, world.turn.due = True, "overflow"


@_folds(d.Error)
def _error(world: World, event: d.Error, _: int) -> None:
    world.trying(event.instance).request = None
    if event.instance.startswith("turn-"):
        world.turn.ended = "failed"
    else:
        world.turn.stuck += 1


@_folds(d.Stop)
def _stop(world: World, _: d.Stop, __: int) -> None:
    world.turn.request = None


# -- what enters the conversation from the person's side --------------------------------------------


@_folds(d.UserLine)
def _user_line(world: World, event: d.UserLine, _: int) -> None:
    world.say(UserMessage(world.waiting.pop(event.of)))


@_folds(d.Notices)
def _notices(world: World, event: d.Notices, _: int) -> None:
    for seq in event.of:
        world.pending.pop(seq, None)
        world.news.discard(seq)
    world.say(UserMessage(event.text, note=True))


# -- tools ---------------------------------------------------------------------------------------


@_folds(d.Permission)
def _permission(world: World, event: d.Permission, _: int) -> None:
    if event.layer == "nobody":
        world.turn.unasked = True


@_folds(d.ToolResult)
def _result(world: World, event: d.ToolResult, _: int) -> None:
    world.turn.calls[event.instance].result = event


for _part in (spending, granting, cuts, plans, prompts, rewinding):
    for _kind, _fold in _part.FOLDS:
        _folds(_kind)(_fold)
