"""A long session is cheapest as this program runs it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

BILL = Path(__file__).parents[1] / "bench" / "bill.py"


def bills(*arguments: str) -> dict[tuple[str, str], tuple[float, str, str]]:
    """By prices and way: dollars, requests, verdict."""
    ended = subprocess.run(
        [sys.executable, BILL, *arguments], capture_output=True, text=True, check=True, timeout=50
    )
    rows = ended.stdout.splitlines()[1:]
    return {
        (row[:19].strip(), row[19:28].strip()): (float(row[28:36]), row[45:55].strip(), row[75:])
        for row in rows
    }


def test_for_each_set_of_prices_no_other_way_is_cheaper() -> None:
    table = bills("--decided")

    assert len(table) == 3 * 4
    assert {verdict for _, _, verdict in table.values()} == {"OK"}
    for (prices, _), (dollars, _, _) in table.items():
        assert dollars >= table[prices, "ours"][0]
    assert table["GPT-4o", "never"][0] > 2 * table["GPT-4o", "ours"][0]


def test_the_program_sends_what_was_reckoned() -> None:
    decided, played = bills("--decided", "--turns", "8"), bills("--turns", "8")

    for key, (dollars, requests, _) in decided.items():
        assert played[key][1] == requests
        assert abs(played[key][0] - dollars) <= 0.02 * dollars + 0.01
