"""Which call of a chat completion a delta belongs to.

Servers leave ids or indices out, repeat them, or give all calls index 0. So: by a known id first,
then by index, then to the call now being streamed; an id not seen before, or a head behind a call
that is whole, opens the next one.
"""

from __future__ import annotations

from fsm_agent.dialects.calls import OpenCall
from fsm_agent.dialects.openai_chat_wire import WireCall
from fsm_agent.dialects.protocol import Delta
from fsm_agent.dialects.spelling import clean, encode


class OpenCalls:
    """The calls of one answer, in order of their first appearance."""

    def __init__(self) -> None:
        self._calls: list[OpenCall] = []
        self._by_index: dict[int, OpenCall] = {}

    def add(self, wire: WireCall, out: list[Delta]) -> OpenCall | None:
        """Take a delta in; return the call if this one opened it."""
        function = wire.function
        name = clean((function and function.name) or "")
        arguments = function and function.arguments
        piece = encode(arguments).decode() if isinstance(arguments, dict) else arguments or ""
        held = self._held(wire, name, piece)
        call = held or OpenCall("", "")
        if held is None:
            self._calls.append(call)
        if wire.index is not None:
            self._by_index[wire.index] = call
        call.id = call.id or clean(wire.id or "")
        if name and not call.name:
            out.append(Delta("call", name))
        if not call.begun:  # a name comes whole, in parts, or again and again
            call.name = name if name.startswith(call.name) else call.name + name
        if piece:
            call.add(piece)
            out.append(Delta("arguments", clean(piece)))
        return call if held is None else None

    def _held(self, wire: WireCall, name: str, piece: str) -> OpenCall | None:
        last = self._calls[-1] if self._calls else None
        held = last if wire.index is None else self._by_index.get(wire.index)
        if not wire.id and not name:
            return held or last
        known = self._known(wire.id, held)
        if known is not None and (known is held or not name or wire.index is None):
            held = known
        elif held is not None:
            other_id = wire.id and held.id
            unplaced = wire.index is None and not (held.name == name and held.begun)
            if other_id or unplaced:
                return None
        if held is not None and name and held.whole() and (piece.strip() or name != held.name):
            return None
        return held

    def _known(self, id: str | None, held: OpenCall | None) -> OpenCall | None:  # noqa: A002
        if not id or (held is not None and held.id == id):
            return held if id else None
        return next((call for call in reversed(self._calls) if call.id == id), None)
