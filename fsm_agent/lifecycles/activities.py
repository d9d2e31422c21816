"""What states do: each name gives the line that asks the runtime to begin."""

from __future__ import annotations

from collections.abc import Callable

from fsm_agent.events import derived as d
from fsm_agent.lifecycles import cuts
from fsm_agent.lifecycles.asks import verdict_on
from fsm_agent.lifecycles.bodies import Body, size_of
from fsm_agent.lifecycles.world import World


def _send_request(world: World, name: str) -> d.Activity:
    body = world.body.next(world)
    return d.SendRequest(
        instance=name,
        protocol=world.settings.protocol,
        model=world.settings.model,
        digest=body.digest,
        bytes=body.size,
        shared=_shared(world, body),
    )


def _shared(world: World, body: Body) -> int:
    """All of the last request but its tail; where the conversation was rewound, what is left."""
    if world.sent_prefix != world.prefix:
        return 0
    sent = world.sent_bytes
    if world.common is not None:
        sent = min(sent, size_of(world, world.common))
    return sent - body.tail


def _read_answer(_: World, name: str) -> d.Activity:
    return d.ReadAnswer(instance=name)


def _sleep(world: World, name: str) -> d.Activity:
    return d.Sleep(instance=name, ms=world.trying(name).pause_ms)


def _stop_answer(_: World, name: str) -> d.Activity:
    return d.StopAnswer(instance=name)


def _run_tool(world: World, name: str) -> d.Activity:
    return d.RunTool(instance=name, name=world.turn.calls[name].line.name)


def _stop_tool(_: World, name: str) -> d.Activity:
    return d.StopTool(instance=name)


def _ask_user(world: World, name: str) -> d.Activity:
    call = world.turn.calls[name].line
    return d.AskUser(instance=name, name=call.name, reason=verdict_on(world, name).reason)


DOES: dict[str, Callable[[World, str], d.Activity]] = {
    "ask_user": _ask_user,
    "read_answer": _read_answer,
    "run_tool": _run_tool,
    "send_request": _send_request,
    "sleep": _sleep,
    "stop_answer": _stop_answer,
    "stop_tool": _stop_tool,
    "summarise": cuts.summarise,
}
"""Name in `does` → function of the world and the instance."""
