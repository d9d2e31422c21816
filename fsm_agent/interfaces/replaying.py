"""`replay`: a log painted, decided again, or stepped through."""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from fsm_agent.errors import UsageError
from fsm_agent.interfaces.arguments import positive
from fsm_agent.interfaces.configuring import plain
from fsm_agent.interfaces.logs import Proved, log_of, named_files
from fsm_agent.interfaces.outlets import aside
from fsm_agent.interfaces.painting.escaping import escape
from fsm_agent.interfaces.reckoning import bills
from fsm_agent.interfaces.whatif import money, table, what_if
from fsm_agent.lifecycles.replay import Instead, Verified, check
from fsm_agent.lifecycles.step import SEMANTICS
from fsm_agent.log.blobs import BlobStore

_SAME = "every derived line, seal and request digest is the same, byte for byte"
_FOREIGN = "every seal is the same, and each transition is the one that its table gives"


def parser() -> argparse.ArgumentParser:
    """The grammar of `replay`."""
    made = argparse.ArgumentParser(
        prog="fsm-agent replay",
        description="Paint a session as the terminal showed it; or decide it again from its inputs "
        "alone, or step through it. No model, tool or network is reachable from here; nothing is "
        "changed.",
        allow_abbrev=False,
    )
    made.add_argument(
        "session", nargs="?", metavar="S", help="id, directory or log; else the newest"
    )
    made.add_argument("--turns", type=positive, metavar="N", help="paint only the last N turns")
    made.add_argument(
        "--speed", type=_speed, metavar="X", help="paint X times as fast as it was; else at once"
    )
    made.add_argument(
        "--plain", action="store_true", help="paint lines only: no colours, answers as written"
    )
    made.add_argument("--step", action="store_true", help="step through it, as with a debugger")
    made.add_argument(
        "--verify", action="store_true", help="every derived line, seal and request, byte for byte"
    )
    made.add_argument(
        "--with",
        dest="other",
        metavar="states=DIR,settings=FILE",
        help="what if: the first difference that other tables, or settings (TOML), would make",
    )
    made.add_argument(
        "--continue", dest="carry_on", action="store_true", help="list all differences in a table"
    )
    made.add_argument(
        "--strict",
        action="store_true",
        help="exit 6 where another version's lines are not compared",
    )
    return made


def main(argv: Sequence[str]) -> int:
    """Run `replay`; return its exit code: 0, 3 damaged, 4 diverged, 5 torn, 6 unknown version."""
    given = parser().parse_args(argv[1:])
    _fits(given)
    with named_files():
        path = log_of(given.session)
        if given.verify:
            return verify(path, given)
        if given.step:
            from fsm_agent.interfaces.debugging.console import debug  # noqa: PLC0415 - start-up

            return debug(Proved(path))
        from fsm_agent.interfaces.repainting import repaint  # noqa: PLC0415 - start-up

        return repaint(Proved(path), given.turns, given.speed, plain=plain(given=given.plain))


def _fits(given: argparse.Namespace) -> None:
    """Refuse options that would change nothing."""
    if given.verify and given.step:
        raise UsageError("--verify or --step, not both")
    if (given.other or given.carry_on or given.strict) and not given.verify:
        raise UsageError("--with, --continue and --strict go with --verify")
    if (given.turns or given.speed or given.plain) and (given.verify or given.step):
        raise UsageError("--turns, --speed and --plain are for painting, not --verify or --step")


def _speed(text: str) -> float:
    try:
        speed = float(text)
    except ValueError:
        speed = math.nan
    if not 0 < speed < math.inf:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number above 0")
    return speed


def verify(path: Path, given: argparse.Namespace) -> int:
    """Verify one log, print what was found, return the exit code."""
    log, blobs = Proved(path, lazily=True), BlobStore(path.parent)
    other = what_if(blobs, given.other)
    found = check(
        log,
        blobs.text,
        other.tables_of,
        again=partial(Proved, path),
        settings=other.settings,
        carry_on=given.carry_on,
    )
    for semantics in sorted(found.other_semantics):
        aside(
            f"{path}: requests not compared (semantics {semantics}, this is {SEMANTICS}); "
            f"{found.transitions} transitions were, against their own tables"
        )
    if found.divergences and given.carry_on:
        print(*table(found.divergences), sep="\n")
    elif found.divergences:
        print(escape(f"{path}: {found.divergences[0].told()}"))
    if found.damage:
        raise found.damage
    if other.settings:
        _reckon(path, blobs, other.settings)
    code = log.verdict()
    if found.divergences:
        print(f"{path}: {len(found.divergences)} of {found.batches} batches differ")
        return 4
    if not found.batches:
        aside(f"{path}: there is nothing to verify")
        return code
    print(verified(found, "nothing would differ" if given.other else ""))
    return 6 if found.other_semantics and given.strict else code


def verified(found: Verified, claim: str = "") -> str:
    """What a pass without a divergence has shown: this claim, else the one that it allows."""
    claim = claim or (_FOREIGN if found.other_semantics else _SAME)
    return f"verified: {found.batches} batches, {found.lines} lines; {claim}"


def _reckon(path: Path, blobs: BlobStore, other: Instead) -> None:
    """Print what both cost, if cuts are made and make a difference."""
    was, now = bills(Proved(path), blobs.text, other)
    if was.summaries + now.summaries and was != now:
        print(*money(was, now), sep="\n")
