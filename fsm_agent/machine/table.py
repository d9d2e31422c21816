"""A declared machine as frozen rows, and the one row a trigger takes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import msgspec

from fsm_agent.errors import IllegalTrigger
from fsm_agent.machine.engine import Engine
from fsm_agent.machine.rows import Ask, Move, Row, State

__all__ = ["Answers", "Ask", "Move", "Row", "State", "Table"]

Answers = tuple[tuple[str, str], ...]
"""Question and answer, in the order of `Table.questions`."""


class Table(msgspec.Struct, frozen=True, dict=True):
    """All states, questions and rows of one machine. Read, it is not yet checked."""

    name: str
    version: int
    caption: str
    initial: str
    states: Mapping[str, State]
    asks: Mapping[str, Ask]
    rows: tuple[Row, ...]
    line: int = 1
    """Where `initial` stands."""
    watch: int = 0
    """Where `[watch]` stands; 0 in a table that is no rule of the audit."""

    @cached_property
    def at(self) -> Mapping[tuple[str, str], tuple[Row, ...]]:
        """The rows of each state and trigger that have any, as declared."""
        at: dict[tuple[str, str], tuple[Row, ...]] = {}
        for row in self.rows:
            for state in dict.fromkeys(row.source):
                at[state, row.on] = (*at.get((state, row.on), ()), row)
        return at

    def questions(self, state: str, trigger: str) -> tuple[str, ...]:
        """What must be asked before the trigger is fired here, sorted; nothing if it is illegal."""
        return self._questions.get((state, trigger), ())

    def triggers(self, state: str) -> frozenset[str]:
        """What has a row in this state."""
        return self._triggers.get(state, frozenset())

    def fire(self, state: str, trigger: str, answers: Answers = ()) -> Row:
        """Return the one row taken, or raise as `move` does."""
        return self.move(state, trigger, answers).row

    def move(self, state: str, trigger: str, answers: Answers = ()) -> Move:
        """Return the row as it is taken here. Pure in its arguments: decided once, then looked up.

        Raises:
            IllegalTrigger: If no row allows it. Nothing has changed then.
        """
        move = self._moves.get((state, trigger, answers))
        if move is None:
            row = self._decide(state, trigger, answers)
            does = self.states[row.to].does if row.to else None
            move = Move(row, row.to or state, does, (row.to or "", "entered") in self.at)
            self._moves[state, trigger, answers] = move
        return move

    def _decide(self, state: str, trigger: str, answers: Answers) -> Row:
        if (state, trigger) not in self.at:
            raise IllegalTrigger(self.name, state, trigger)
        asked = self.questions(state, trigger)
        if tuple(ask for ask, _ in answers) != asked:
            raise IllegalTrigger(self.name, state, trigger, f"its questions are {asked}")
        row = self._engine.decide(state, trigger, dict(answers))
        if row is None:
            raise IllegalTrigger(self.name, state, trigger, f"no row takes {answers}")
        return row

    @cached_property
    def _engine(self) -> Engine:
        return Engine(self.states, self.rows)

    @cached_property
    def _moves(self) -> dict[tuple[str, str, Answers], Move]:
        return {}

    @cached_property
    def _questions(self) -> Mapping[tuple[str, str], tuple[str, ...]]:
        return {
            key: tuple(sorted({ask for row in rows for ask in row.when}))
            for key, rows in self.at.items()
        }

    @cached_property
    def _triggers(self) -> Mapping[str, frozenset[str]]:
        return {
            state: frozenset(row.on for row in self.rows if state in row.source)
            for state in self.states
        }
