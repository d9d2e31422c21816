"""Measures what this program costs beside a floor, and what it missed.

    python tests/bench/run.py [--only NAME,…] [--runs N] [--quick] [--json FILE] [--strict]

`README.md` beside this file says what the words mean and which rules hold.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from statistics import median
from typing import Any

sys.path[0] = str(Path(__file__).parents[2])  # the files beside this one go by their full names
from tests.bench.driving import Bench  # noqa: E402 - behind the line above
from tests.bench.figures import FULL, QUICK, Figure, Target  # noqa: E402 - as above
from tests.bench.scenarios import SCENARIOS, TARGETS  # noqa: E402 - as above

MISSED = 10
"""Exit code when a target was missed and `--strict` asked for it."""
ROW = "{:17} {:>9} {:2}  {:>26}  {:>6}  {:>8}  {}"


def main() -> int:
    """Measure, print as it goes, and give the exit code."""
    given = arguments()
    results: dict[str, dict[str, Any]] = {}
    show("figure", "median", "", "beside", "ratio", "target", "")
    with tempfile.TemporaryDirectory() as place, Bench(Path(place)) as bench:
        bench.floor([{"text": "warm"}])
        bench.agent([{"text": "warm"}])  # what is compiled or made at the first start
        for name in given.only:
            runs: dict[str, list[Figure]] = defaultdict(list)
            for _ in range(given.runs):
                for figure in SCENARIOS[name](bench, QUICK if given.quick else FULL):
                    runs[figure.name].append(figure)
            for figure_name, figures in runs.items():
                results[figure_name] = result(figures, TARGETS[figure_name])
                show_result(figure_name, results[figure_name], TARGETS[figure_name])
    if given.json:
        given.json.write_text(json.dumps(results, indent=1) + "\n")
    missed = not all(found["met"] for found in results.values())
    return MISSED if missed and given.strict else 0


def arguments() -> argparse.Namespace:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    add = parser.add_argument
    add("--only", metavar="NAME,…", type=chosen, default=list(SCENARIOS), help=", ".join(SCENARIOS))
    add("--runs", type=int, help="runs of each scenario (5; with --quick 2)")
    add("--quick", action="store_true", help="small sizes: shows that it runs, and not how fast")
    add("--json", metavar="FILE", type=Path, help="write all values to a file")
    add("--strict", action="store_true", help=f"exit {MISSED} if a target is missed")
    given = parser.parse_args()
    given.runs = given.runs or (2 if given.quick else 5)
    return given


def chosen(text: str) -> list[str]:
    """The scenarios that a list of names means."""
    names = text.split(",")
    if unknown := set(names) - set(SCENARIOS):
        raise argparse.ArgumentTypeError(f"there is no {', '.join(sorted(unknown))}")
    return names


def result(figures: list[Figure], target: Target) -> dict[str, Any]:
    """The medians of a figure's runs; its ratio is taken pair by pair."""
    pairs = [(figure.value, figure.beside) for figure in figures if figure.beside is not None]
    ratio = median(value / beside for value, beside in pairs) if pairs else None
    middle = median(figure.value for figure in figures)
    return {
        "unit": target.unit,
        "limit": target.limit,
        "values": [figure.value for figure in figures],
        "beside": [beside for _, beside in pairs],
        "median": middle,
        "ratio": ratio,
        "met": (middle if ratio is None else ratio) <= target.limit,
    }


def show_result(name: str, found: dict[str, Any], target: Target) -> None:
    """Print a figure's row."""
    beside, ratio = "", ""
    limit = f"{target.limit:g} {target.unit}"
    if found["beside"]:
        beside = f"{target.beside} {median(found['beside']):8.2f} {target.unit}"
        ratio, limit = f"{found['ratio']:.2f}", f"{target.limit:g} x"
    verdict = "OK" if found["met"] else "MISSED"
    show(name, f"{found['median']:.2f}", target.unit, beside, ratio, limit, verdict)


def show(*cells: str) -> None:
    """Print a row at once, for the next one may take a while."""
    print(ROW.format(*cells).rstrip(), flush=True)  # noqa: T201 - the table


if __name__ == "__main__":
    sys.exit(main())
