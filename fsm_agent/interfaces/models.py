"""The verb `models`: which are known, what they cost, a newer list."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence

from fsm_agent.errors import UsageError
from fsm_agent.events.values import Price
from fsm_agent.interfaces.amounts import rate
from fsm_agent.interfaces.configuring import home
from fsm_agent.interfaces.outlets import aside
from fsm_agent.interfaces.painting.escaping import escape_line
from fsm_agent.runtime.clock import SystemClock
from fsm_agent.runtime.pricing import FETCHED, SHIPPED, UNKNOWN, Model, find, models, read_list


def main(argv: Sequence[str]) -> int:
    """Run the verb; return its exit code."""
    given = parser().parse_args(argv[1:])
    run: Callable[[argparse.Namespace], int] = given.run
    return run(given)


def parser() -> argparse.ArgumentParser:
    """The grammar of the verb."""
    made = argparse.ArgumentParser(
        prog="fsm-agent models",
        description="Which models are known, and what they cost, in dollars per million tokens.",
        allow_abbrev=False,
    )
    made.set_defaults(run=_list, word="")
    actions = made.add_subparsers(metavar="ACTION")
    listing = actions.add_parser("list", help="one a line: window, longest answer, prices")
    listing.add_argument("word", nargs="?", default="", metavar="WORD", help="only ids with this")
    listing.set_defaults(run=_list)
    show = actions.add_parser("show", help="all that is known of one")
    show.add_argument("name", metavar="NAME", help="an id as the vendor has it, or vendor/id")
    show.set_defaults(run=_show)
    fetch = actions.add_parser("refresh", help="fetch a newer list; nothing else ever does")
    fetch.add_argument("--url", help="from here, instead of models.dev")
    fetch.add_argument("--force", action="store_true", help="also if it is younger than a week")
    fetch.set_defaults(run=_refresh)
    return made


HEAD = ("model", "window", "answer", "in", "out", "cache read", "cache write")


def _list(given: argparse.Namespace) -> int:
    word = given.word.lower()
    known = sorted(models(home()).items())
    rows = [(escape_line(key), *_cells(one)) for key, one in known if word in key]
    if not rows:
        aside(f"no model is known whose id holds '{given.word}'")
        return 0
    widths = [max(map(len, column)) for column in zip(HEAD, *rows, strict=True)]
    for first, *others in (HEAD, *rows):
        cells = (cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True))
        print("  ".join((first.ljust(widths[0]), *cells)))
    for told in _lists():
        aside(told)
    return 0


def _cells(model: Model) -> Iterator[str]:
    yield f"{model.window:,}" if model.window else "?"
    yield f"{model.output:,}" if model.output else "?"
    mark = "+" if model.price and model.price.tier else ""
    yield from (f"{rate}{mark}" for rate in _rates(model.price))


def _rates(price: Price | None) -> Iterator[str]:
    if price is None:
        yield from "????"
    else:
        parts = (price.input, price.output, price.cache_read, price.cache_write)
        yield from map(rate, parts)


def _lists() -> Iterator[str]:
    """Where what is shown is from."""
    for file in (SHIPPED, home() / FETCHED):
        if known := read_list(file):
            yield f"{len(known.models)} models as of {known.as_of}, from {known.sources}"


def _show(given: argparse.Namespace) -> int:
    known = models(home())
    vendor, _, name = given.name.partition("/")
    found = find(known, name, vendor)
    if found is UNKNOWN:  # an id may have a slash, too
        found = find(known, given.name, "")
    if found is UNKNOWN:
        raise UsageError(f"no model '{given.name}' is known; `fsm-agent models` lists them")
    window, answer, *_ = _cells(found)
    print(f"window: {window} tokens\nlongest answer: {answer} tokens")
    for size, price in _tiers(found.price):
        fresh, output, read, write = _rates(price)
        print(f"price{size}: in {fresh}, out {output}, cache read {read}, cache write {write}")
    print(f"source: {found.source}")
    return 0


def _tiers(price: Price | None) -> Iterator[tuple[str, Price | None]]:
    yield "", price
    while price and price.tier:
        yield f" above {price.above:,} tokens", price.tier
        price = price.tier


def _refresh(given: argparse.Namespace) -> int:
    from fsm_agent.runtime.refreshing import URL, refresh  # noqa: PLC0415 - only here is a network

    url = URL if given.url is None else given.url
    new = refresh(home(), SystemClock(), url, force=given.force)
    if new is None:
        aside("the list is younger than a week; --force fetches it all the same")
    else:
        aside(f"{len(new.models)} models as of {new.as_of}, from {new.sources}")
    return 0
