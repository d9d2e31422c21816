"""The transcript itself, as JSON."""

from __future__ import annotations

import msgspec

from fsm_agent.interfaces.exporting.transcript import Transcript

LEAVES_OUT: frozenset[str] = frozenset()


def plain(transcript: Transcript) -> bytes:
    """One JSON object; its members are the fields of `Transcript`, parts named by `part`."""
    return msgspec.json.format(msgspec.json.encode(transcript), indent=2) + b"\n"
