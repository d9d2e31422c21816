"""The bill of one long session, as it is and as others would have run it.

    python tests/bench/bill.py [--turns N] [--window TOKENS] [--decided] [--strict]

The same sixty turns are sent in four ways: by this program, against a model on the loopback
(`ours`), never summarised (`never`), summarised at 80 % of the window by a request of its own
(`at 80 %`), and never summarised with a prompt that is made anew each turn (`rebuilt`). One cache
model says what of each body was there before, and three sets of prices what that costs. Answers cost
the same everywhere and are left out, but for summaries.

What a summary forgets costs nothing here, and the cache forgets nothing between two requests.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).parents[2])  # the files beside this one go by their full names
from fsm_agent.events.values import Economy, Price  # noqa: E402 - behind the line above
from tests.bench.played import played  # noqa: E402 - as above
from tests.bench.ways import AtFourFifths, Bill, Decided, Never, Rebuilt, script  # noqa: E402 - as above

MISSED = 10
"""Exit code when another way was cheaper and `--strict` asked for it."""
PRICES = {
    "Claude Sonnet 4": Price(
        input=3_000_000, output=15_000_000, cache_read=300_000, cache_write=3_750_000
    ),
    "GPT-4o": Price(
        input=2_500_000, output=10_000_000, cache_read=1_250_000, cache_write=2_500_000
    ),
    "DeepSeek v4 flash": Price(
        input=1_000_000, output=3_000_000, cache_read=20_000, cache_write=1_000_000
    ),
}
OTHERS = {"never": Never, "at 80 %": AtFourFifths, "rebuilt": Rebuilt}
ROW = "{:18} {:8} {:>9} {:>6} {:>9} {:>9} {:>8}  {}"


def main() -> int:
    """Print the table and give the exit code."""
    given = arguments()
    turns, window, missed = script(given.turns), given.window, False
    others = {way: kind(Economy(window=window)).run(turns) for way, kind in OTHERS.items()}
    show("prices", "way", "bill", "ratio", "requests", "prompts", "cached", "")
    for name, price in PRICES.items():
        economy = Economy(automatic=True, window=window, price=price)
        ours = Decided(economy).run(turns) if given.decided else played(turns, economy)
        for way, bill in {"ours": ours, **others}.items():
            missed |= show_bill(name, way, bill, price, ours)
    return MISSED if missed and given.strict else 0


def arguments() -> argparse.Namespace:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    add = parser.add_argument
    add("--turns", type=int, default=60, help="of the session (60)")
    add("--window", type=int, default=200_000, help="tokens that each model takes (200000)")
    add("--decided", action="store_true", help="only reckon what the program would send")
    add("--strict", action="store_true", help=f"exit {MISSED} if another way is cheaper")
    return parser.parse_args()


def show_bill(name: str, way: str, bill: Bill, price: Price, ours: Bill) -> bool:
    """Print a way's row; whether it is cheaper than ours."""
    cost, own, total = bill.cost(price), ours.cost(price), bill.total
    show(
        name,
        way,
        f"{cost / 1e6:.2f} $",
        f"{cost / own:.2f}",
        f"{bill.requests} + {bill.summaries}",
        f"{total.prompt / 1e6:.2f} M",
        f"{100 * total.cache_read / total.prompt:.1f} %",
        "MISSED" if cost < own else "OK",
    )
    return cost < own


def show(*cells: str) -> None:
    """Print a row at once, for the next one may take a while."""
    print(ROW.format(*cells).rstrip(), flush=True)  # noqa: T201 - the table


if __name__ == "__main__":
    sys.exit(main())
