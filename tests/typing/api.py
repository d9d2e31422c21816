"""Checked by mypy and never run: what implements which Protocol."""

from __future__ import annotations

from fsm_agent.providers.http import HttpProvider
from fsm_agent.providers.protocol import Provider, Stream
from fsm_agent.providers.recorded import RecordedProvider
from fsm_agent.providers.scripted import ScriptedProvider
from fsm_agent.providers.stream import WireStream
from fsm_agent.runtime.clock import Clock, SystemClock


def providers(
    http: HttpProvider, recorded: RecordedProvider, scripted: ScriptedProvider
) -> tuple[Provider, ...]:
    return http, recorded, scripted


def streams(wire: WireStream) -> Stream:
    return wire


def clocks(system: SystemClock) -> Clock:
    return system
