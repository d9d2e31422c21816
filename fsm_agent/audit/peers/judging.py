"""A log of another program, judged by the rules that it says enough for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from fsm_agent.audit.evidence import Evidence, Handler, Monitor
from fsm_agent.audit.findings import Finding, Result, Rule
from fsm_agent.audit.peers.pairing import Pairing
from fsm_agent.audit.peers.reading import told
from fsm_agent.audit.peers.telling import GIVEN, Teller
from fsm_agent.audit.proving import Fault
from fsm_agent.audit.rulefiles import Watcher
from fsm_agent.audit.watching import Watching
from fsm_agent.events.lines import Batch, Seal
from fsm_agent.lifecycles.world import World

RULES = ("FSA001", "FSA005", "FSA030", "FSA031", "FSA073", "FSA082")
"""The built-in rules that such a log can be judged by."""
_NO_SEAL = Seal("", "")
_encode = msgspec.json.Encoder().encode


def judge_peer(
    path: Path,
    teller: Teller[Any],
    result: Result,
    rules: Mapping[str, Rule],
    own: Sequence[Watcher],
    head: str,
) -> None:
    """Look at all that the log says; what its program has no word for is not evaluated.

    Args:
        path: The log.
        teller: Who tells it.
        result: Where findings go.
        rules: All rules, by id.
        own: The team's own rules.
        head: A seal that the log must hold; such a log holds none.
    """
    fitting = [watcher for watcher in own if _can_be_moved(watcher)]
    result.evaluated = (*RULES, *(watcher.rule.id for watcher in fitting))
    result.sessions = 1
    result.notes.append(
        f"a log of {teller.program}: it holds no seals, so nothing shows whether it was changed"
    )
    evidence = Evidence(path, World(lambda _: ""), result, rules, live=False)
    monitors: list[Monitor] = [
        Pairing(evidence),
        *(Watching(watcher, evidence) for watcher in fitting),
    ]
    looks = _looks(monitors)
    try:
        for lines in told(path, teller):
            if isinstance(lines, Fault):
                _report(lines, result, rules)
                continue
            result.lines += 1
            for line in lines:
                evidence.turn_to(Batch((line,), _NO_SEAL, _encode(line.event)))
                for look in looks[type(line.event)]:
                    look(line.event, line)
    except Fault as fault:
        _report(fault, result, rules)
    except OSError as error:
        _report(Fault("FSA001", 0, 0, f"it cannot be read: {error.strerror}"), result, rules)
    for monitor in monitors:
        monitor.log_ends()
    if head:
        _report(Fault("FSA004", 0, 0, f"no batch ends with the seal {head}"), result, rules)


def _can_be_moved(watcher: Watcher) -> bool:
    """Whether each of the rule's events can show in such a log."""
    for event in watcher.watch.events.values():
        kinds = (event.on,) if isinstance(event.on, str) else event.on
        if GIVEN.isdisjoint(kinds):
            return False
    return True


def _looks(monitors: Sequence[Monitor]) -> Mapping[type, list[Handler]]:
    looks: dict[type, list[Handler]] = defaultdict(list)
    for monitor in monitors:
        for of, look in monitor.handlers().items():
            looks[of].append(look)
    return looks


def _report(fault: Fault, result: Result, rules: Mapping[str, Rule]) -> None:
    severity = rules[fault.rule].severity
    message = f"byte {fault.offset}: {fault.why}" if fault.line else fault.why
    result.add(Finding(fault.rule, severity, result.file, fault.line, message))
