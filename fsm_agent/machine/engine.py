"""Decides with `transitions`; the only file that knows the library.

The library is used for one thing: which of the rows of this state and trigger is taken. Its ways
to fail in silence (`tests/machine/test_engine.py` shows each) end here: no automatic transitions,
no methods glued onto a model, no exception types of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from transitions import EventData, Machine

from fsm_agent.machine.rows import Row


class _Seat:
    """The library's model: holds the state for the length of one decision."""

    _state: str


def _fits(row: Row, event: EventData) -> bool:
    return row.fits(event.kwargs["answers"])


def _take(row: Row, event: EventData) -> None:
    event.kwargs["taken"].append(row)


class Engine:
    """One `transitions.Machine` for a table; keeps nothing between two decisions."""

    def __init__(self, states: Iterable[str], rows: Sequence[Row]) -> None:
        self._machine = Machine(
            model=None,
            states=list(states),
            initial=None,
            transitions=[
                {
                    "trigger": row.on,
                    "source": list(row.source),
                    "dest": row.to,
                    "conditions": partial(_fits, row),
                    "after": partial(_take, row),
                }
                for row in rows
            ],
            send_event=True,
            auto_transitions=False,
            model_attribute="_state",  # no trigger begins with an underscore: the names never meet
        )

    def decide(self, state: str, trigger: str, answers: Mapping[str, str]) -> Row | None:
        """Return the row that is taken, or None if every row says no.

        Args:
            state: A declared state.
            trigger: One that has rows in this state.
            answers: One to each question of these rows.
        """
        seat, taken = _Seat(), list[Row]()
        self._machine.set_state(state, seat)
        self._machine.events[trigger].trigger(seat, answers=answers, taken=taken)
        return taken[0] if taken else None
