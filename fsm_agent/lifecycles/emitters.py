"""What rows emit: the lines that follow from world and input."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator

from fsm_agent.context.filtering import filtered
from fsm_agent.context.results import cut
from fsm_agent.context.wording import CUT, CUT_HINT, GO_ON, INTERRUPTED, NOT_BEGUN, UNKNOWN
from fsm_agent.events import derived as d
from fsm_agent.events import inputs as i
from fsm_agent.events.inputs import Event
from fsm_agent.events.values import AssistantMessage, Failure
from fsm_agent.lifecycles import cuts, limits, plans, prompts
from fsm_agent.lifecycles.asks import CUT_OFF, WITHHELD, verdict_on
from fsm_agent.lifecycles.facts import Call
from fsm_agent.lifecycles.world import World

EXIT = {"answered": 0, "failed": 1, "interrupted": 130, "exhausted": 8}
"""Exit code of a run that ends with this turn."""
LEFT = {"int": 130, "hup": 129, "term": 143, "fault": 7}
"""Exit code of a run that a signal, or our own fault, ended."""

Emitter = Callable[[World, str, Event], Iterator[Event]]


def _user_line(world: World, name: str, _: Event) -> Iterator[Event]:
    yield d.UserLine(instance=name, of=next(iter(world.waiting)))


def _notices(world: World, name: str, given: Event) -> Iterator[Event]:
    """Notes and injected lines; on going on after a cut text, a word to say so."""
    texts = list(world.pending.values())
    last = world.messages[-1] if world.messages else None
    if isinstance(given, i.Continue) and isinstance(last, AssistantMessage):
        texts.append(GO_ON)
    if full := cuts.nudge(world):
        texts.append(full)
    if texts:
        text, of = "\n".join(texts), tuple(world.pending)
        yield d.Notices(instance=name, text=text, of=of, nudge=bool(full))


def _queued(world: World, _: str, __: Event) -> Iterator[Event]:
    yield d.Queued(of=next(reversed(world.waiting)))


def _lines_returned(world: World, _: str, __: Event) -> Iterator[Event]:
    if world.waiting:
        yield d.LinesReturned(of=tuple(world.waiting))


def _blocks(world: World, name: str, given: Event) -> Iterator[Event]:
    """Which blocks of the answer the conversation keeps.

    A whole answer keeps all; one cut at its limit keeps no call; a refused one nothing; of a
    broken or interrupted one the text is kept, for reasoning without its end cannot be echoed.
    """
    if not isinstance(given, i.Outcome):
        return
    heard = world.heard.get(given.activity, [])
    whole = isinstance(given, i.Completed)
    if whole and world.turn.stop in WITHHELD:
        return
    calls = whole and world.turn.stop not in CUT_OFF
    kept = [
        (seq, line)
        for seq, line in heard
        if (isinstance(line, i.Text) and (line.text.strip() or line.native))
        or (isinstance(line, i.Thinking) and whole and not line.partial)
        or (isinstance(line, i.ToolCall) and calls and not line.partial)
    ]
    if all(isinstance(line, i.Thinking) for _, line in kept) and not calls:
        return
    first = world.turn.numbered + 1
    asked = sum(isinstance(line, i.ToolCall) for _, line in kept)
    if kept:
        yield d.Blocks(
            instance=name,
            of=given.activity,
            kept=tuple(seq for seq, _ in kept),
            calls=tuple(f"tool-{name[5:]}.{n}" for n in range(first, first + asked)),
        )


def _retry(world: World, name: str, given: Event) -> Iterator[Event]:
    """The pause before the next try: exponential with jitter, never below what was asked for.

    `min(base · 2ⁿ, cap)` times a factor of 0.5 to 1, drawn from session id and seq, so that a
    replay waits (on paper) as long as the session did.
    """
    settings, trying = world.settings, world.trying(name)
    failure = trying.failure
    if failure is None or not isinstance(given, i.Outcome):
        return
    full = min(settings.retry_base_ms * 2**trying.tries, settings.retry_cap_ms)
    draw = hashlib.sha256(f"{world.session}/{world.seq}".encode()).digest()[0]
    pause = max(full * (256 + draw) // 512, failure.retry_after_ms or 0)
    yield d.Retry(
        instance=name,
        of=given.activity if trying.request is None else trying.request,
        attempt=trying.tries + 1,
        ms=0 if failure.error == "context_overflow" else pause,
        error=failure.error,
    )


def _stop(world: World, name: str, given: Event) -> Iterator[Event]:
    if world.turn.request is None:
        return
    reason: d.CloseReason = world.turn.stop or "interrupted"
    if isinstance(given, i.Crashed):
        reason = "crashed"
    elif world.turn.ended == "interrupted":
        reason = "interrupted"
    yield d.Stop(instance=name, of=world.turn.request, reason=reason)


def _error(world: World, name: str, given: Event) -> Iterator[Event]:
    if isinstance(given, i.Rejected | i.Broken):
        yield _failed(world, name, limits.told(world, name, given.failure))
    elif isinstance(given, i.Summarised):
        why = "the summary was empty; the conversation stays as it was"
        yield _failed(world, name, Failure("empty_answer", why))
    elif isinstance(given, i.Completed):
        cut_off = world.turn.stop in CUT_OFF
        yield d.Error(
            instance=name,
            of=world.turn.request,
            error="truncated" if cut_off else "declined",
            message=CUT[given.stop],
            hint=CUT_HINT.get(given.stop),
        )


def _failed(world: World, name: str, failure: Failure) -> d.Error:
    return d.Error(
        instance=name,
        of=world.trying(name).request,
        error=failure.error,
        message=failure.message,
        hint=failure.hint,
        status=failure.status,
    )


def _refusal(world: World, name: str, given: Event) -> Iterator[Event]:
    refusing = {"plan": plans.refusal, "compaction": limits.refusal}.get(name)
    if refusing:
        yield from refusing(world, name, given)
        return
    what = type(given).__name__.lower()
    why = (
        "nothing was cut short: there is nothing to go on with"
        if world.at.get("session", "idle") == "idle"
        else "a turn is under way; wait for its end or interrupt it"
    )
    yield d.Refusal(instance=name, what=what, why=why)


def _permission(world: World, name: str, given: Event) -> Iterator[Event]:
    call = world.turn.calls[name].line
    if isinstance(given, i.Declined):
        verdict = ("deny", "person", given.word or "the person said no")
    elif isinstance(given, i.Approved) and world.at[name] == "running":
        verdict = ("allow", "person", f"the person said yes: {given.scope}")
    else:
        found = verdict_on(world, name)
        verdict = ("deny" if found.action == "block" else "allow", found.layer, found.reason)
    decision, layer, reason = verdict
    yield d.Permission(
        instance=name,
        name=call.name,
        decision="allow" if decision == "allow" else "deny",
        layer=layer,
        reason=reason,
    )


def _tool_result(world: World, name: str, given: Event) -> Iterator[Event]:
    call, ok = world.turn.calls[name], False
    match world.at[name], given:
        case "done", i.Finished():
            content, ok = cut(_output(world, call, given), world.settings.result_limit), given.ok
        case "done", _:
            content, ok = plans.result(world, call.line.name)
        case "denied", i.Declined():
            word = f" They said: {given.word}" if given.word else ""
            content = f"Error: the person said no to this call.{word}"
        case "denied", _:
            content = f"Error: not allowed: {verdict_on(world, name).reason}"
        case "cancelled", i.Stopped():
            out = cut(world.text(given.output or ""), world.settings.result_limit)
            content = f"Error: interrupted by the person while it ran. Its output so far:\n{out}"
        case "unknown", _:
            content = UNKNOWN
        case _, i.Crashed():
            content = NOT_BEGUN
        case _:
            content = INTERRUPTED
    yield d.ToolResult(instance=name, name=call.line.name, id=call.id, content=content, ok=ok)


def _output(world: World, call: Call, given: i.Finished) -> str:
    """What the tool printed; of a command, what matters of it."""
    output, command = world.text(given.output), call.line.input.get("command")
    if call.line.name == "Bash" and isinstance(command, str) and world.settings.filter_output:
        return filtered(command, output)
    return output


def _session_end(world: World, _: str, __: Event) -> Iterator[Event]:
    code = LEFT.get(world.leaving, 0)
    if world.leaving in ("done", "planned"):
        code = EXIT.get(world.last_turn, 0) or (9 if world.turn.unasked else 0)
    if code == 0 and world.leaving == "planned":  # a draft waits for a person's yes
        code = 9 if plans.draft(world, "plan") == "written" else 1
    yield d.SessionEnd(code=code, reason=world.leaving)


EMIT: dict[str, Emitter] = {
    "blocks": _blocks,
    "context_update": cuts.context_update,
    "error": _error,
    "lines_returned": _lines_returned,
    "notices": _notices,
    "permission": _permission,
    "plan": plans.plan,
    "prompt": prompts.prompt,
    "queued": _queued,
    "refusal": _refusal,
    "retry": _retry,
    "session_end": _session_end,
    "stop": _stop,
    "tool_result": _tool_result,
    "user_line": _user_line,
}
"""Name in `emits` → function of the world, the row's instance and the input."""
