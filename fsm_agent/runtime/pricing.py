"""What a model takes and costs: the shipped list, and one fetched since.

A model is found by its id, by the same id without a date or a provider's prefix, and never by a
likeness: an unknown model has no window and no price.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from fsm_agent.dialects.compat import vendor_of
from fsm_agent.events.inputs import Settings
from fsm_agent.events.values import Price, Value

SHIPPED = Path(__file__).with_name("models.json")
FETCHED = "models.json"
"""The fetched list, in the home directory."""


class Model(Value, frozen=True):
    """What is known of a model.

    Attributes:
        window: Tokens of the longest prompt (0: unknown).
        output: Tokens of the longest answer (0: unknown).
        price: What it costs (none: unknown).
        source: Where that is from.
    """

    window: int = 0
    output: int = 0
    price: Price | None = None
    source: str = ""


class ModelList(Value, frozen=True):
    """Models by `vendor/id`.

    Attributes:
        as_of: The day on which the list was true (ISO 8601).
        sources: What it was made from.
        etag: What the server calls this version of the list.
    """

    as_of: str
    models: dict[str, Model]
    sources: str = ""
    etag: str = ""


UNKNOWN = Model()

_MAKERS = {
    "anthropic": "anthropic",
    "azure": "openai",
    "dashscope": "dashscope",
    "deepseek": "deepseek",
    "gemini": "google",
    "google": "google",
    "groq": "groq",
    "minimax": "minimax",
    "mistral": "mistral",
    "mistralai": "mistral",
    "moonshot": "moonshot",
    "moonshotai": "moonshot",
    "openai": "openai",
    "qwen": "dashscope",
    "x-ai": "xai",
    "xai": "xai",
    "z-ai": "zai",
    "zai": "zai",
}
"""A provider as ids and hosts name it → the vendor whose prices hold."""
_RESOLD_AT_LIST_PRICE = frozenset({"anthropic", "google", "openai", "xai"})
"""Whose models OpenRouter sells for what they cost there; open weights it has from many hosts."""
_DATED = re.compile(r"-\d{8}$|-\d{4}-\d{2}-\d{2}$|@[\w.-]+$|-latest$")
LOCAL = frozenset({"localhost", "127.0.0.1", "0.0.0.0", "::1"})  # noqa: S104 - nobody binds to it
"""Hosts that are this machine."""


def read_list(file: Path) -> ModelList | None:
    """The list in this file; none where there is none that can be read."""
    try:
        return msgspec.json.decode(file.read_bytes(), type=ModelList)
    except (OSError, msgspec.MsgspecError):
        return None


def models(home: Path) -> Mapping[str, Model]:
    """All models that are known; what is newer wins. It takes about a millisecond."""
    lists = filter(None, (read_list(SHIPPED), read_list(home / FETCHED)))
    known: dict[str, Model] = {}
    for one in sorted(lists, key=lambda one: one.as_of):
        known |= one.models
    return known


def informed(settings: Settings, home: Path) -> Settings:
    """The settings with window and price of their model, where nothing else was said."""
    if settings.protocol == "scripted":
        return settings
    found, economy = lookup(models(home), settings), settings.economy
    economy = msgspec.structs.replace(
        economy, window=economy.window or found.window, price=economy.price or found.price
    )
    return msgspec.structs.replace(settings, economy=economy)


def renamed(settings: Settings, model: str, home: Path) -> Settings:
    """The settings for another model of the same server; window and price given by hand stay."""
    if settings.protocol != "scripted":
        was, economy = lookup(models(home), settings), settings.economy
        economy = msgspec.structs.replace(
            economy,
            window=0 if economy.window == was.window else economy.window,
            price=None if economy.price == was.price else economy.price,
        )
        settings = msgspec.structs.replace(settings, economy=economy)
    return informed(msgspec.structs.replace(settings, model=model), home)


def lookup(known: Mapping[str, Model], settings: Settings) -> Model:
    """The model that these settings name. A server on this machine has no price."""
    found = find(known, settings.model, settings.vendor or vendor_of(settings.base_url))
    if urlsplit(settings.base_url).hostname in LOCAL:
        return msgspec.structs.replace(found, price=None)
    return found


def find(known: Mapping[str, Model], model: str, vendor: str) -> Model:
    """The model that `vendor` serves under this id; of a gateway, the one whose id says whose it is.

    A gateway is a vendor of whom no model is listed.
    """
    listed = {_spelt(key): one for key, one in known.items()}
    home = _MAKERS.get(vendor, "")
    for name in _names(_spelt(model)):
        prefix, _, bare = name.rpartition("/")
        maker = _MAKERS.get(prefix.rpartition("/")[2], "")
        if home:
            keys = {f"{home}/{name}", f"{home}/{bare}" if maker == home else ""}
        elif prefix:
            resold = vendor != "openrouter" or maker in _RESOLD_AT_LIST_PRICE
            keys = {f"{maker}/{bare}"} if resold else set()
        else:
            keys = {f"{maker}/{bare}" for maker in _MAKERS.values()}
        found = [listed[key] for key in keys if key in listed]
        if len(found) == 1:
            return found[0]
    return UNKNOWN


def _names(model: str) -> Iterator[str]:
    yield model
    if _DATED.search(model):
        yield _DATED.sub("", model)


def _spelt(name: str) -> str:
    """Ids differ in case, and in dots where others have hyphens."""
    return name.lower().replace(".", "-")
