"""The benchmarks run, and stand beside their floor."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

RUN = Path(__file__).parents[1] / "bench" / "run.py"


def test_the_benchmark_of_a_start_gives_a_ratio_to_the_floor() -> None:
    ended = subprocess.run(
        [sys.executable, RUN, "--quick", "--only", "cold"],
        capture_output=True,
        text=True,
        check=True,
        timeout=30,
    )
    ratio = re.search(r"^ttfr +[\d.]+ ms +floor +[\d.]+ ms +([\d.]+) ", ended.stdout, re.MULTILINE)

    assert ratio is not None, ended.stdout
    assert float(ratio[1]) > 0
