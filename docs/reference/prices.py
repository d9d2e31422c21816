"""Makes the shipped list of models and prices anew.

    pip install genai-prices && pip download --no-deps litellm
    python docs/reference/prices.py litellm-*.whl

Prices are those of genai-prices, windows and longest answers those of litellm; what only one of
them knows is taken from it. Where a price depends on the hour, the dearest hour is taken. Both are
too heavy to be installed with the program, or for its tests: use an environment of their own.
"""

from __future__ import annotations

import datetime as dt
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import msgspec
from genai_prices.data import providers

from fsm_agent.events.values import Price
from fsm_agent.runtime.pricing import SHIPPED, Model, find

VENDORS = {  # ours → genai-prices', litellm's
    "anthropic": ("anthropic", "anthropic"),
    "dashscope": ("", "dashscope"),
    "deepseek": ("deepseek", "deepseek"),
    "google": ("google", "gemini"),
    "groq": ("groq", "groq"),
    "minimax": ("minimax", "minimax"),
    "mistral": ("mistral", "mistral"),
    "moonshot": ("moonshotai", "moonshot"),
    "openai": ("openai", "openai"),
    "xai": ("x-ai", "xai"),
    "zai": ("zai", "zai"),
}
OTHERS = re.compile(
    r"^(ft:|claude-[23]|gemini-1|gpt-[34](-|\.5|$)|gpt-oss|grok-[23]|o1-mini|o1-preview|chatgpt)"
    r"|^(ada|babbage|curie|davinci|text-|learnlm|mixtral|pixtral|open-)|audio|beta|computer-use"
    r"|daybreak|deep-research|embed|exp|gemma|guard|gv2|image|instruct$|law$|live|lyria|moderation"
    r"|nano-banana|ocr|omni|realtime|robotics|search|transcri|tts|vision|voice|voxtral|whisper"
    r"|:free$"
)
"""Ids that no agent runs on: other kinds of models, previews of the past, and fine-tuned ones."""
LITELLM = "litellm/model_prices_and_context_window_backup.json"
MICRO = 1_000_000
MTOK = ("input_mtok", "output_mtok", "cache_read_mtok", "cache_write_mtok")
TOKEN_COSTS = (
    "input_cost_per_token",
    "output_cost_per_token",
    "cache_read_input_token_cost",
    "cache_creation_input_token_cost",
)


def main(wheel: Path) -> None:
    """Write the list; `wheel` is litellm's."""
    today = dt.datetime.now(dt.UTC).date()  # noqa: TID251 - a build script
    with ZipFile(wheel) as archive:
        entries = msgspec.json.decode(archive.read(LITELLM), type=dict[str, dict[str, Any]])
    known = dict(rows(entries, today))
    for key in sorted(known):  # what is found without its own line needs none
        row = known.pop(key)
        vendor, _, name = key.partition("/")
        if find(known, name, vendor) != row:
            known[key] = row
    sources = f"genai-prices {version('genai-prices')}, litellm {wheel.name.split('-')[1]}"
    lines = ",\n".join(f"{text(key)}:{text(row)}" for key, row in sorted(known.items()))
    head = f'{{"as_of":"{today}","sources":{text(sources)},"models":{{\n'
    SHIPPED.write_text(f"{head}{lines}\n}}}}\n", encoding="utf-8")


def text(value: object) -> str:
    """The value as JSON."""
    return msgspec.json.encode(value).decode()


def rows(entries: Mapping[str, Mapping[str, Any]], today: dt.date) -> Iterator[tuple[str, Model]]:
    """Every model of every vendor that somebody may run an agent on today."""
    for vendor, (genai_id, litellm_id) in VENDORS.items():
        listed = {
            key.removeprefix(f"{litellm_id}/").lower(): entry
            for key, entry in entries.items()
            if entry.get("litellm_provider") == litellm_id
            and entry.get("mode") in ("chat", "responses")
        }
        priced = next((p.models for p in providers if p.id == genai_id), ())
        others = {m.id.lower() for m in priced if m.context_window and not m.deprecated}
        for name in {*listed, *others}:
            entry = listed.get(name, {})
            retired = str(entry.get("deprecation_date", "9")) < str(today)
            foreign = vendor == "google" and not name.startswith("gemini")
            if retired or foreign or OTHERS.search(name):
                continue
            of = next((model for model in priced if model.is_match(name)), None)
            best = genai_price(of, today) if of else None
            price = best or litellm_price(entry)
            window = entry.get("max_input_tokens") or (of.context_window if of else 0)
            if price and window:
                source = "genai-prices" if best else "litellm"
                output = int(entry.get("max_output_tokens") or 0)
                yield f"{vendor}/{name}", Model(int(window), output, price, source)


def genai_price(model: Any, today: dt.date) -> Price | None:  # noqa: ANN401 - untyped package
    """The price of the dearest hour of the day."""
    noon = dt.datetime.combine(today, dt.time(tzinfo=dt.UTC))
    hours = [model.get_prices(noon + dt.timedelta(hours=hour)) for hour in range(24)]
    prices = [price for one in hours if (price := tiered(one))]
    return max(prices, key=lambda price: price.input, default=None)


def tiered(price: Any) -> Price | None:  # noqa: ANN401 - untyped package
    """All tiers of a price of genai-prices, from the cheapest."""

    def at(start: int, name: str) -> Any:  # noqa: ANN401 - a Decimal, or none
        value = getattr(price, name, None)
        found = getattr(value, "base", value)
        for tier in getattr(value, "tiers", ()):
            found = tier.price if tier.start <= start else found
        return found

    values = vars(price).values()
    starts = sorted({0} | {tier.start for value in values for tier in getattr(value, "tiers", ())})
    made: Price | None = None
    for start, above in reversed(list(zip(starts, [*starts[1:], 0], strict=True))):
        made = of_dollars([at(start, name) for name in MTOK], above=above, tier=made)
    return made


def litellm_price(entry: Mapping[str, Any]) -> Price | None:
    """All tiers of a price of litellm, which gives dollars a token."""
    steps = entry.get("tiered_pricing") or list(litellm_tiers(entry))
    made: Price | None = None
    for step, following in reversed(list(zip(steps, [*steps[1:], {}], strict=True))):
        dollars = [None if step.get(name) is None else step[name] * MICRO for name in TOKEN_COSTS]
        made = of_dollars(dollars, above=int(following.get("range", [0])[0]), tier=made)
    return made


def litellm_tiers(entry: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """A flat entry as one step for each size of the prompt."""
    found = {re.sub(r".*_above_(\d+)k_tokens$", r"\1", key) for key in entry}
    for size in (0, *sorted(int(size) for size in found if size.isdigit())):
        end = f"_above_{size}k_tokens" if size else ""
        step = {key.removesuffix(end): of for key, of in entry.items() if key.endswith(end)}
        yield {**entry, **step, "range": [size * 1000]}


def of_dollars(dollars: Sequence[Any], *, above: int, tier: Price | None) -> Price | None:
    """A price from dollars per million tokens: of input, output, and the cache's reads and writes.

    Where nothing is said of the cache, its tokens cost what input does.
    """
    fresh, output, read, write = dollars
    if not fresh or output is None:
        return None
    parts = (fresh, output, fresh if read is None else read, fresh if write is None else write)
    micro = [round(part * MICRO) for part in parts]
    return Price(micro[0], micro[1], micro[2], micro[3], above, tier)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
