"""A newer list of models, fetched when somebody asks for it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from fsm_agent.errors import NotFetched
from fsm_agent.events.values import Failure, Price
from fsm_agent.providers.fetching import fetch
from fsm_agent.runtime.clock import Clock, iso
from fsm_agent.runtime.pricing import FETCHED, Model, ModelList, read_list

URL = "https://models.dev/api.json"
"""A list that its readers keep: every provider with its models, limits and prices."""
VENDORS = {
    "alibaba": "dashscope",
    "anthropic": "anthropic",
    "deepseek": "deepseek",
    "google": "google",
    "groq": "groq",
    "minimax": "minimax",
    "mistral": "mistral",
    "moonshotai": "moonshot",
    "openai": "openai",
    "xai": "xai",
    "zai": "zai",
}
"""A provider as that list names it → the vendor."""
FRESH_S = 7 * 24 * 3600
"""A list younger than this, in seconds, is not asked for again."""
MICRO = 1_000_000
_LONG_CONTEXT = re.compile(r"context_over_(\d+)k")


def refresh(home: Path, clock: Clock, url: str = URL, *, force: bool = False) -> ModelList | None:
    """Fetch the list and keep it; none if the one that is there is young enough.

    Raises:
        NotFetched: If it could not be fetched, read or kept. What was there stays.
    """
    file, now = home / FETCHED, clock.unix()
    old = read_list(file)
    if old is None or old.sources != url:
        old = ModelList("", {})
    elif not force and 0 <= now - file.stat().st_mtime < FRESH_S:
        return None
    got = fetch(url, old.etag)
    if isinstance(got, Failure):
        raise NotFetched("; ".join(filter(None, (f"{url}: {got.message}", got.hint))))
    models = old.models if got.body is None else read_models(got.body, url)
    new = ModelList(iso(now)[:10], models, url, got.etag)
    _keep(file, msgspec.json.encode(new))
    return new


def read_models(body: bytes, url: str) -> dict[str, Model]:
    """The models of all vendors that are known here; what cannot be read of one is left out.

    Raises:
        NotFetched: If there is none.
    """
    try:
        providers = msgspec.json.decode(body, type=dict[str, dict[str, Any]])
    except (msgspec.MsgspecError, RecursionError) as error:  # the latter: nested without end
        raise NotFetched(f"{url}: this is no list of models: {error}") from None
    found = {
        f"{VENDORS[name]}/{key.lower()}": model
        for name, provider in providers.items()
        if name in VENDORS
        for key, model in _models(provider.get("models"), url)
    }
    if not found:
        raise NotFetched(f"{url}: this is no list of models: it has none that is known here")
    return found


class _Limit(msgspec.Struct):
    context: int = 0
    output: int = 0
    input: int | None = None


class _Entry(msgspec.Struct):
    limit: _Limit = msgspec.field(default_factory=_Limit)
    cost: dict[str, Any] | None = None


def _models(entries: object, url: str) -> Iterator[tuple[str, Model]]:
    if not isinstance(entries, dict):
        return
    for key, entry in entries.items():
        try:
            one = msgspec.convert(entry, _Entry)
            price = _price(one.cost or {})
        except (msgspec.ValidationError, ArithmeticError):
            continue
        window = one.limit.context if one.limit.input is None else one.limit.input
        yield key, Model(max(window, 0), max(one.limit.output, 0), price, url)


class _Rates(msgspec.Struct):
    """Dollars per million tokens."""

    input: float
    output: float
    cache_read: float | None = None
    cache_write: float | None = None


def _price(cost: dict[str, Any]) -> Price | None:
    """All tiers of the price, the dearest first, each holding up the one before."""
    if "input" not in cost:
        return None
    found = ((_LONG_CONTEXT.fullmatch(key), tier) for key, tier in cost.items())
    steps = {int(size[1]) * 1000: tier for size, tier in found if size} | {0: cost}
    made, above = None, 0
    for start, step in sorted(steps.items(), reverse=True):
        rates = msgspec.convert(step, _Rates)
        cache = (rates.cache_read, rates.cache_write)
        read, write = (rates.input if rate is None else rate for rate in cache)
        made = Price(
            input=_micro(rates.input),
            output=_micro(rates.output),
            cache_read=_micro(read),
            cache_write=_micro(write),
            above=above,
            tier=made,
        )
        above = start
    return made


def _micro(dollars: float) -> int:
    if not 0 <= dollars <= MICRO:
        raise ArithmeticError(f"{dollars} is no price")
    return round(dollars * MICRO)


def _keep(file: Path, data: bytes) -> None:
    draft = file.with_name(f"{file.name}.{os.getpid()}")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        draft.write_bytes(data)
        draft.replace(file)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise NotFetched(f"{file} cannot be written: {error.strerror}") from None
