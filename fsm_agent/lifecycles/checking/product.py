"""Each way that an input can go.

A question is answered by any of its answers, but where a fact gives one; a bounded answer is given
once. All else is as in `step`: one agenda, first in first out.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence

import msgspec

from fsm_agent.events.lines import INPUTS
from fsm_agent.lifecycles.addresses import TO_SESSION, crashed, machine_of
from fsm_agent.lifecycles.checking.facts import FACTS, OF_THE_PLAN
from fsm_agent.lifecycles.checking.joint import Joint, Move
from fsm_agent.machine import Table
from fsm_agent.machine.checking import ENTERED, VERBS

Given = tuple[str, str]
"""An input: whom it is for, and its type."""
Aim = tuple[str, str, str | None]
"""An instance, the trigger for it, and who sent that, if another did."""
CRASH: Given = ("session", "crashed")
"""`session_resume` and `crashed`, one behind the other."""
REVISE: Given = ("plan", "REVISE")
"""The draft's text is seen changed."""
PERSON = tuple(on for on, kind in INPUTS.items() if kind in TO_SESSION and on != "session_resume")
OUTCOMES = {
    "send_request": ("opened", "rejected"),
    "read_answer": ("completed", "broken"),
    "sleep": ("waited",),
    "stop_answer": ("stopped",),
    "run_tool": ("finished",),
    "stop_tool": ("stopped",),
    "ask_user": ("approved", "declined"),
    "summarise": ("summarised", "rejected"),
}
"""How each activity can end; one that is not here, by the triggers that only such states have."""
LONGEST = 200
"""Transitions that one input may lead to."""


class Way(msgspec.Struct, frozen=True):
    """One way an input can go: the rows taken, and where they lead."""

    given: Given
    moves: tuple[Move, ...]
    after: Joint


class Product:
    """All ways of all machines.

    Args:
        tables: By machine. `session`, `turn` and `tool` are as `step` knows them; of each other
            machine there is one instance.
        tools: Calls of each answer that has any.
        limits: The only answers that may be given, by question.
        exact: Whether draft and plan are followed, too. That takes three times the worlds; without
            it there are worlds that cannot be, but none is left out.
    """

    def __init__(
        self,
        tables: Mapping[str, Table],
        tools: int,
        limits: Mapping[str, Collection[str]],
        *,
        exact: bool = False,
    ) -> None:
        self._tables, self._limits, self._exact = tables, limits, exact
        self._facts = FACTS | OF_THE_PLAN if exact else FACTS
        self._single = sorted(set(tables) - {"turn", "tool"})
        self._calls = {f"tool-{n}": tables["tool"].initial for n in range(1, tools + 1)}
        self._machine = {n: machine_of(n) for n in (*self._single, "turn", *self._calls)}
        rows = [row for table in tables.values() for row in table.rows]
        self._sent = {ENTERED, *VERBS} | {to.partition(".")[2] for row in rows for to in row.sends}
        self._outside = [
            (machine, on)
            for machine in self._single
            if machine != "session"
            for on in sorted(self._own(machine, self._quiet(machine)))
        ]
        self._ends_known = {
            (machine, state): self._ends(machine, state)
            for machine, table in tables.items()
            for state in table.states
        }
        self._choices_known: dict[Hashable, Sequence[tuple[Move, str]]] = {}
        self._rows_known: set[tuple[str, str]] = set()

    def _own(self, machine: str, states: Iterable[str]) -> set[str]:
        """The triggers here that neither a row, nor a state, nor a crash gives."""
        table = self._tables[machine]
        crashes = {state.on_crash for state in table.states.values()}
        return {on for state in states for on in table.triggers(state)} - self._sent - crashes

    def _quiet(self, machine: str) -> list[str]:
        return [name for name, state in self._tables[machine].states.items() if not state.does]

    def _ends(self, machine: str, state: str) -> Sequence[str]:
        if (does := self._tables[machine].states[state].does) is None:
            return ()
        own = self._own(machine, [state]) - self._own(machine, self._quiet(machine))
        return OUTCOMES.get(does) or sorted(own)

    def start(self) -> Joint:
        """Where a log begins."""
        return Joint({name: self._tables[name].initial for name in self._single})

    def key(self, joint: Joint, agenda: Sequence[Aim] = ()) -> Hashable:
        """The same for two that differ in their calls' order only, unless the agenda names calls."""
        at, asker, answered = joint.at, joint.asker, joint.answered
        if agenda:
            calls: Hashable = (*at.items(), *asker.items(), answered, *agenda)
        else:
            calls = (
                (*[at[name] for name in self._single], at.get("turn")),
                (*sorted([(at[t], t in answered, t in asker.values()) for t in joint.tools]),),
                frozenset([(asked, self._machine[by]) for asked, by in asker.items()]),
            )
        return (
            calls,
            (joint.spent, joint.ended, joint.lines, joint.news, joint.due),
            (joint.unfinished, joint.leaving, joint.halted),
            (joint.draft, joint.said, joint.planned) if self._exact else (),
        )

    def outcomes(self, joint: Joint) -> list[Given]:
        """How what is under way can end."""
        at, machine = joint.at.items(), self._machine
        return [(n, on) for n, state in at for on in self._ends_known[machine[n], state]]

    def others(self, joint: Joint) -> list[Given]:
        """What else can come: a person, news, a file seen changed, a crash."""
        if joint.at["session"] == "closed":
            return [("session", "session_resume")]
        hears = not joint.lines or self._idle(joint)  # one waiting line is enough
        person = [("session", on) for on in PERSON if on != "user_input" or hears]
        return [*person, *self._outside, CRASH]

    def _idle(self, joint: Joint) -> bool:
        return joint.at["session"] == self._tables["session"].initial

    def rests(self, joint: Joint) -> bool:
        """Whether nothing is under way, and nobody waits for anybody."""
        asleep = self._idle(joint) or joint.at["session"] == "closed"
        return asleep and "turn" not in joint.at and not joint.asker and not self.outcomes(joint)

    def ways(self, joint: Joint, given: Given) -> Iterator[Way]:
        """The ways that the input can go; one that breaks a property ends there.

        Where two ways meet only one is followed, but each row is shown once on a whole way.
        """
        first = joint.fork()
        first.hear(given[1], idle=self._idle(joint))
        forks: list[tuple[Joint, list[Aim], tuple[Move, ...]]]
        firsts = first.drafts() if self._exact and given == REVISE else [first]
        forks, met = [(one, self._aims(joint, given), ()) for one in firsts], set[Hashable]()
        while forks:
            now, agenda, moves = forks.pop()
            if forks or met:
                place = self.key(now, agenda)
                if place in met and self._rows_known.issuperset([move.id for move in moves]):
                    continue
                met.add(place)
            if len(moves) == LONGEST:
                now.breaks("matched", f"one input leads to {LONGEST} transitions and more")
                forks.clear()
            if agenda and not now.flaw and (further := self._forks(now, agenda, moves)):
                forks += reversed(further)
                continue
            now.halted &= now.unfinished or not self._idle(now)
            self._rows_known.update([move.id for move in moves])
            yield Way(given, moves, now)

    def _aims(self, joint: Joint, given: Given) -> list[Aim]:
        if given != CRASH:
            return [(*given, None)]
        crashes = crashed(joint.at, self._tables)
        return [("session", "session_resume", None), *((name, on, None) for name, on in crashes)]

    def _forks(
        self, now: Joint, agenda: list[Aim], moves: tuple[Move, ...]
    ) -> list[tuple[Joint, list[Aim], tuple[Move, ...]]]:
        """What can be after the first of the agenda; nothing, if no row takes it."""
        forks, choices = [], self._choices(now, agenda[0])
        for move, verb in choices:
            after = now if len(choices) == 1 else now.fork()
            after.take(move, self._tables, self._calls)
            forks.append((after, self._agenda(after, agenda, move, verb), (*moves, move)))
        return forks

    def _choices(self, now: Joint, aim: Aim) -> Sequence[tuple[Move, str]]:
        """A move for each row that can be taken, with each verb that it can send; else a flaw."""
        name, trigger, _ = aim
        table = self._tables[self._machine[name]]
        source = now.at.get(name, table.initial)
        if (source, trigger) not in table.at:
            now.breaks("matched", f"{name}: no row takes '{trigger}' in '{source}'")
            return ()
        asks = table.questions(source, trigger)
        given = tuple([self._answers(now, name, ask) for ask in asks])
        if (found := self._choices_known.get((aim, source, given))) is None:
            found = self._fire(table, aim, source, dict(zip(asks, given, strict=True)))
            self._choices_known[aim, source, given] = found
        return found

    def _answers(self, now: Joint, name: str, ask: str) -> tuple[str, ...]:
        known = self._tables[self._machine[name]].asks[ask].of
        if fact := self._facts.get(ask):
            found = [answer for answer in fact(now, name) if answer in known]
        else:
            found = [answer for answer in known if (name, ask, answer) not in now.spent]
        limit = self._limits.get(ask, known)
        return tuple([answer for answer in found if answer in limit]) or known

    def _fire(
        self, table: Table, aim: Aim, source: str, given: Mapping[str, Sequence[str]]
    ) -> list[tuple[Move, str]]:
        """One move for each row, and for each answer that matters beyond its row."""
        moves = {}
        for found in itertools.product(*given.values()):
            answers = tuple(zip(given, found, strict=True))
            row, target, does, enters = msgspec.structs.astuple(table.move(source, aim[1], answers))
            spends = frozenset(
                (aim[0], ask, answer)
                for ask, answer in answers
                if ask in row.when and ask not in self._facts and answer in table.asks[ask].bounded
            )
            name = table.name, row.id
            move = Move(*aim, source, target, does, enters, row, answers, spends, name)
            for verb in VERBS if "plan.VERB" in row.sends else ("",):
                moves[row.id, spends, dict(answers).get("answer"), verb] = move, verb
        return list(moves.values())

    def _agenda(self, now: Joint, waiting: list[Aim], move: Move, verb: str) -> list[Aim]:
        """What waits after a move: what it sends stands behind, once."""
        name, agenda = move.instance, waiting[1:]
        sent = [aim for to in move.row.sends for aim in self._receivers(now, name, to, verb)]
        if move.enters:
            sent.append((name, ENTERED))
        for who, trigger in sent:
            if all((who, trigger) != other[:2] for other in agenda):
                agenda.append((who, trigger, name if who != name else None))
        return agenda

    def _receivers(self, now: Joint, sender: str, address: str, verb: str) -> list[Given]:
        """As `addresses.receivers`."""
        who, _, trigger = address.partition(".")
        if who == "tools":
            table = self._tables["tool"]
            states = [table.initial] if trigger == "next" else table.states
            reached = [t for t in now.tools if now.at[t] in states]
            return [(t, trigger) for t in reached if not table.states[now.at[t]].final]
        if who == "asker" and sender not in now.asker:
            now.breaks("matched", f"{sender} answers, and nobody has asked")
            return []
        if who == "turn" and trigger in ("user_input", "woken") and "turn" in now.at:
            now.breaks("matched", "a turn begins while another is under way")
        who = now.asker[sender] if who == "asker" else who
        return [(who, verb if trigger == "VERB" else trigger)]
