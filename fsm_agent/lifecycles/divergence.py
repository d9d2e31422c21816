"""Where the same inputs gave other lines, and how the two sides differ."""

from __future__ import annotations

from itertools import zip_longest
from typing import Any, Literal

import msgspec

from fsm_agent.events.derived import Transition
from fsm_agent.events.lines import Batch, Line, encode, type_of

Kind = Literal["transition", "request", "line", "state", "missing", "input"]
CLAIMS: dict[Kind, str] = {
    "transition": "another row is taken",
    "request": "another request is sent",
    "line": "another line follows",
    "state": "the lines are the same, and the state behind them is not",
    "missing": "there are more lines on one side",
    "input": "the input cannot be taken",
}


class Divergence(msgspec.Struct, frozen=True):
    """The first line of a batch that differs. It does not mean that the recorded work failed.

    Attributes:
        batch: Number of the batch, from 0.
        seq: Where the line stands; its number in the file is one more.
        recorded: The line in the log; empty if there is none.
        derived: The line now; empty if there is none, or what went wrong.
        answers: Question, recorded answer, answer now, where they differ.
        causes: The lines that led here, nearest first, as `seq type`.
    """

    kind: Kind
    batch: int
    seq: int
    recorded: str
    derived: str
    answers: tuple[tuple[str, str, str], ...] = ()
    causes: tuple[str, ...] = ()

    def told(self) -> str:
        """The report for a person."""
        lines = [
            f"line {self.seq + 1} (batch {self.batch}): {CLAIMS[self.kind]}",
            f"  in the log:  {self.recorded or '(no such line)'}",
            f"  decided now: {self.derived or '(no such line)'}",
            *(f"  {ask}: recorded {old}, now {new}" for ask, old, new in self.answers),
        ]
        if self.causes:
            lines.append(f"  because of:  {' <- '.join(self.causes)}")
        return "\n".join(lines)


def compare(number: int, batch: Batch, raw: bytes) -> Divergence:
    """Find the first line of two batches that is not the same on both sides."""
    both = _lines(batch.raw), _lines(raw)
    uneven = len(both[0]) != len(both[1])
    for place, (recorded, derived) in enumerate(zip_longest(*both, fillvalue=b"")):
        old, new = fields(recorded), fields(derived)
        if old == new:
            continue
        answers = _answers(old.get("answers", {}), new.get("answers", {}))
        seq = batch.lines[0].seq + place
        return Divergence(
            "missing" if uneven and old.get("type") != new.get("type") else _kind(old, new),
            number,
            seq,
            recorded.decode(),
            derived.decode(),
            answers,
            _causes(batch, seq),
        )
    raise ValueError("the batches are the same")


def refused(number: int, batch: Batch, why: str) -> Divergence:
    """The input of this batch cannot be taken at all."""
    first = batch.lines[0].seq
    recorded = _lines(batch.raw)[0].decode()
    return Divergence("input", number, first, recorded, why, (), _causes(batch, first))


def moved(number: int, batch: Batch, line: Line, now: Transition | str) -> Divergence:
    """The table gives another transition than this line's, or, as the text says, none."""
    recorded = _lines(batch.raw)[line.seq - batch.lines[0].seq].decode()
    if isinstance(now, Transition):
        now = encode(msgspec.structs.replace(line, event=now)).decode()
    return Divergence("transition", number, line.seq, recorded, now, (), _causes(batch, line.seq))


def _lines(raw: bytes) -> list[bytes]:
    return raw.removesuffix(b"\n").split(b"\n")


def fields(line: bytes) -> dict[str, Any]:
    """What is compared of a line; nothing of no line."""
    found: dict[str, Any] = msgspec.json.decode(line or b"{}")
    if seal := found.get("seal"):
        seal.pop("hash")  # it follows from what is compared already
    return found


def _kind(old: dict[str, Any], new: dict[str, Any]) -> Kind:
    if not old or not new:
        return "missing"
    if {**old, "seal": None} == {**new, "seal": None}:
        return "state" if "seal" in old and "seal" in new else "missing"
    if "transition" in (old["type"], new["type"]):
        return "transition"
    if old["type"] == new["type"] and old["type"] in ("send_request", "summarise"):
        return "request"
    return "line"


def _answers(old: dict[str, str], new: dict[str, str]) -> tuple[tuple[str, str, str], ...]:
    asks = dict.fromkeys([*old, *new])
    return tuple(
        (ask, old.get(ask, "-"), new.get(ask, "-")) for ask in asks if old.get(ask) != new.get(ask)
    )


def _causes(batch: Batch, seq: int) -> tuple[str, ...]:
    lines = {line.seq: line for line in batch.lines}
    chain = []
    at = lines.get(seq)
    while at is not None:
        chain.append(f"{at.seq} {type_of(at.event)}")
        cause = at.cause
        at = None if cause is None or cause >= at.seq else lines.get(cause)  # forged: a circle
    return tuple(chain)
