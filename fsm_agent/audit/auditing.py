"""One pass over each log; findings come out."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NoReturn

import msgspec

from fsm_agent.audit.calls import Calls
from fsm_agent.audit.catalogue import RULES
from fsm_agent.audit.covering import Covering
from fsm_agent.audit.cutting import Cutting
from fsm_agent.audit.deriving import Deriving
from fsm_agent.audit.evidence import Evidence, Handler, Monitor
from fsm_agent.audit.findings import Finding, Report, Result, Rule, Severity
from fsm_agent.audit.folding import take, world_of
from fsm_agent.audit.keeping import Keeping
from fsm_agent.audit.moves import Moves
from fsm_agent.audit.peers.judging import judge_peer
from fsm_agent.audit.peers.reading import teller_of
from fsm_agent.audit.planning import Planning
from fsm_agent.audit.proving import LONGEST, Fault, Proof
from fsm_agent.audit.requests import Requests
from fsm_agent.audit.rulefiles import Watcher, built_in, own_watchers
from fsm_agent.audit.runs import Runs
from fsm_agent.audit.sharing import shared_out
from fsm_agent.audit.tries import Tries
from fsm_agent.audit.watching import Watching
from fsm_agent.errors import FsmAgentError, UsageError
from fsm_agent.events.derived import Unknown
from fsm_agent.events.inputs import PromptRead
from fsm_agent.events.lines import DERIVED, INPUTS, KNOWN, NOTES, Batch
from fsm_agent.log.lock import holder
from fsm_agent.log.reading import EVENTS
from fsm_agent.log.salvage import Salvage

DERIVING = ("FSA016", "FSA032", "FSA038")
"""Rules that are looked at only when `Options.derive` says so."""


class Options(msgspec.Struct, frozen=True):
    """How to audit.

    Attributes:
        rules: Files with the team's own rules.
        severity: The mildest severity that fails.
        derive: Whether to re-derive the digests of states and requests, too.
        coverage: Whether to count what was taken of the tables.
        head: A seal that the log must hold, as `SEQ:HASH`; empty: any.
        jobs: How many processes may work, each on a log of its own.
        root: Files below it are named relative to it.
    """

    rules: tuple[Path, ...] = ()
    severity: Severity = "error"
    derive: bool = False
    coverage: bool = False
    head: str = ""
    jobs: int = 1
    root: Path | None = None


def audit(paths: Sequence[Path], options: Options = Options()) -> Report:  # noqa: B008 - frozen
    """Judge finished logs by all rules; nothing is written.

    Args:
        paths: Logs, directories of sessions, or directories above some.
        options: How to do it.

    Raises:
        UsageError: If a path is not there or leads to no log, or an option makes no sense.
        DeclarationError: If a file of rules is not sound.
    """
    own = own_watchers(options.rules, {rule.id for rule in RULES})
    watchers = [*built_in(), *own]
    rules = (*RULES, *(watcher.rule for watcher in own))
    logs = [log for path in paths for log in _logs(path)]
    judge = partial(_judge, watchers=watchers, rules=rules, options=options)
    if options.jobs > 1 and len(logs) > 1:
        results = shared_out(logs, judge, options.jobs)
    else:
        results = [judge(log) for log in logs]
    return Report(results, rules, options.severity)


def _logs(path: Path) -> list[Path]:
    """The logs that a path means."""
    try:
        mode = path.stat().st_mode
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error
    if stat.S_ISDIR(mode):
        if (path / EVENTS).is_file():
            return [path / EVENTS]
        files = list(_files(path))
        found = [file for file in files if file.name == EVENTS]
        found = found or [file for file in files if ".json" in file.name and teller_of(file)]
        if not found:
            raise UsageError(f"{path}: a directory without {EVENTS}, in it or below it")
        return found
    if not stat.S_ISREG(mode):
        raise UsageError(f"{path}: neither a file nor a directory")
    return [path]


def _files(path: Path) -> Iterator[Path]:
    """The files below a directory, in one order on every machine; a link to one is not entered."""
    for folder, folders, names in os.walk(path, onerror=_refuse):
        folders.sort()
        yield from (file for name in sorted(names) if (file := Path(folder, name)).is_file())


def _refuse(error: OSError) -> NoReturn:
    """What cannot be looked into must not pass for clean."""
    raise UsageError(f"{error.filename}: {error.strerror}") from error


def _judge(
    path: Path, *, watchers: Sequence[Watcher], rules: Sequence[Rule], options: Options
) -> Result:
    """The result of one log, whatever happens."""
    root = options.root
    name = path.relative_to(root) if root and path.is_relative_to(root) else path
    result = Result(str(name))
    by_id = {rule.id: rule for rule in rules}
    try:
        if teller := teller_of(path):
            own = [watcher for watcher in watchers if watcher not in built_in()]
            judge_peer(path, teller, result, by_id, own, options.head)
        else:
            _Pass(path, result, watchers, by_id, options).run()
    except Exception as fault:  # noqa: BLE001 - a fault of ours must never look like a clean log
        result.fault = f"{type(fault).__name__}: {fault}"
    return result


class _Pass:
    """One log from its first batch to its end."""

    def __init__(
        self,
        path: Path,
        result: Result,
        watchers: Iterable[Watcher],
        rules: Mapping[str, Rule],
        options: Options,
    ) -> None:
        self._path, self._result, self._rules, self._options = path, result, rules, options
        owner = holder(path.parent)
        self._world = world_of(path, derive=options.derive)
        evidence = Evidence(path, self._world, result, rules, live=owner is not None)
        self._evidence = evidence
        self._monitors: list[Monitor] = [
            Moves(evidence),
            Runs(evidence),
            Requests(evidence),
            Tries(evidence),
            Calls(evidence),
            Cutting(evidence),
            Planning(evidence),
            Keeping(evidence),
            *(Watching(watcher, evidence) for watcher in watchers),
        ]
        if options.derive:
            self._monitors.append(Deriving(evidence))
        if options.coverage:
            self._monitors.append(Covering(evidence))
        self._begins = [m.batch_begins for m in self._monitors if _has(m, "batch_begins")]
        self._ends = [m.batch_ends for m in self._monitors if _has(m, "batch_ends")]
        left_out = {*(() if options.derive else DERIVING), *(() if options.head else ("FSA004",))}
        result.evaluated = tuple(id_ for id_ in rules if id_ not in left_out)
        if path.is_symlink():
            result.notes.append(f"it is a symbolic link to {path.resolve()}")
        if owner:
            result.notes.append(f"{owner} is writing it; what is proved so far was audited")

    def run(self) -> None:
        """Look at every batch that proves out, and say where the proof ends."""
        proof, head, seen = Proof(self._path), self._options.head, False
        handlers = self._handlers()
        try:
            for batch in proof:
                self._look(batch, handlers)
                if head and head == f"{batch.lines[-1].seq}:{batch.seal.hash}":
                    seen = True
        except Fault as fault:
            whole = self._report(fault)
        except OSError as error:
            whole = self._report(Fault("FSA001", 0, 0, f"it cannot be read: {error.strerror}"))
        else:
            whole = True
        if whole and proof.end.seq:
            for monitor in self._monitors:
                monitor.log_ends()
        if head and not seen:
            self._evidence.found("FSA004", f"no batch ends with the seal {head}")
        self._result.lines = proof.end.seq

    def _look(self, batch: Batch, handlers: Mapping[type, _Looks]) -> None:
        evidence, world = self._evidence, self._world
        evidence.turn_to(batch)
        for begin in self._begins:
            begin()
        for line in batch.lines:
            event = line.event
            kind, looks = handlers[type(event)]
            if kind and line.kind != kind:
                evidence.found("FSA001", f"it is called {line.kind}, but is {kind}", line)
            for look in looks:
                look(event, line)
            if wrong := take(world, line):
                evidence.found("FSA018", f"it speaks of what is not there: {wrong}", line)
        for end in self._ends:
            end()

    def _handlers(self) -> dict[type, _Looks]:
        """For each type of line: its kind, and what looks at it."""
        found = [monitor.handlers() for monitor in self._monitors]
        types: tuple[type, ...] = (*KNOWN.values(), Unknown)
        return {of: (_KINDS.get(of), tuple(f[of] for f in found if of in f)) for of in types}

    def _report(self, fault: Fault) -> bool:
        """Say why the proof ended; return whether all that there is was proved."""
        live = self._evidence.live
        if fault.rule == "FSA005" and live:
            return True  # the writer is about to end that batch
        self._at(fault.rule, fault.line, fault.offset, fault.why)
        if fault.rule == "FSA005":
            return True
        if fault.rule != "FSA015" and fault.line and self._path.stat().st_size <= LONGEST:
            self._salvage(fault)
        return False

    def _salvage(self, fault: Fault) -> None:
        """Locate all other damage, and say how much proves out in spite of it."""
        salvage = Salvage(self._path)
        try:
            proved = sum(len(batch.lines) for batch in salvage)
        except FsmAgentError:
            return  # the fault is that this program cannot read it
        for gap in salvage.gaps:
            if not gap.first <= fault.line <= gap.last:
                self._at("FSA003", gap.first, gap.offset, f"{gap.bytes} bytes: {gap.why}")
        self._result.notes.append(
            f"the rules looked at the {self._evidence.world.seq} lines before the damage; "
            f"{proved} lines prove out in all"
        )

    def _at(self, rule: str, line: int, offset: int, why: str) -> None:
        message = f"byte {offset}: {why}" if line else why
        severity = self._rules[rule].severity
        self._result.add(Finding(rule, severity, self._result.file, line, message))


def _has(monitor: Monitor, hook: str) -> bool:
    """Whether the monitor does something there: a call for nothing, at each batch, is felt."""
    return getattr(type(monitor), hook) is not getattr(Monitor, hook)


_Looks = tuple[str | None, tuple[Handler, ...]]
_KINDS: dict[type, str | None] = {
    **dict.fromkeys(INPUTS.values(), "input"),
    **dict.fromkeys(DERIVED.values(), "derived"),
    **dict.fromkeys(NOTES.values(), "note"),
    PromptRead: None,  # an input when it is read, derived when a cut makes it anew
}
