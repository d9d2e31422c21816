"""The world that an audit looks at: what the rules need, in little memory."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import msgspec

from fsm_agent.audit.proving import Proof
from fsm_agent.errors import FsmAgentError
from fsm_agent.events.lines import Line
from fsm_agent.events.values import Message
from fsm_agent.lifecycles.bodies import Bodies
from fsm_agent.lifecycles.facts import Running
from fsm_agent.lifecycles.fold import apply
from fsm_agent.lifecycles.paging import paged
from fsm_agent.lifecycles.replay import UNFOLDED, said
from fsm_agent.lifecycles.world import World
from fsm_agent.log.blobs import BlobStore


def world_of(path: Path, *, derive: bool) -> World:
    """An empty world for this log; only to `derive` digests it makes one over what was said."""
    blobs = lru_cache(64)(BlobStore(path.parent).text)
    messages = paged(lambda: said(Proof(path), blobs, take))
    spoken = Running() if derive else _Unspoken()
    return World(blobs, spoken=spoken, body=Bodies(sends=False), messages=messages)


def take(world: World, line: Line) -> Exception | None:
    """Take a line in as far as that goes; return what it speaks of that is not there."""
    try:
        apply(world, line)
    except (FsmAgentError, OSError):
        pass  # a blob that cannot be read has been told of
    except UNFOLDED as error:
        return error
    return None


class _Unspoken(Running):
    """The conversation's digest where nobody asks for it."""

    def add(self, item: Message) -> int:
        """How many bytes it has."""
        return len(_encode(item))


_encode = msgspec.json.Encoder().encode
