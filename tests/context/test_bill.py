"""A long session is cheapest as this program decides."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

BILL = Path(__file__).parents[1] / "bench" / "bill.py"


@pytest.fixture(scope="module")
def table() -> list[str]:
    ended = subprocess.run(
        [sys.executable, BILL], capture_output=True, text=True, check=True, timeout=50
    )
    return ended.stdout.splitlines()[1:]


def test_for_each_set_of_prices_no_other_way_is_cheaper(table: list[str]) -> None:
    assert len(table) == 3 * 4
    assert [row for row in table if not row.endswith(" OK")] == []


def test_what_others_pay_differs_from_ours(table: list[str]) -> None:
    """Else the table could say nothing."""
    bills = {row[:27].strip(): row[27:36].strip() for row in table}

    assert len(bills) == 12
    assert len(set(bills.values())) >= 9
