"""What a run was told to be: made once at the edge, frozen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

Permission = Literal["ask", "edits", "allow", "read", "plan"]
"""What runs unasked: no change, edits, all; or nothing does that changes, or only a draft."""


class RunSettings(msgspec.Struct, frozen=True):
    """Where to ask, as what, and within which limits.

    `api_key` is never logged. `script` is the file of the scripted model. `output_language` is the
    locale in whose language the model writes (empty: the environment's). Times are milliseconds
    unless the name says otherwise. Without a `permission` a session keeps the one it has, if that
    blocks; else it depends on whether somebody can be asked. `window` is in tokens, `price` in
    micro-dollars per million tokens of input, output, what is read from and written to the cache;
    where they are left out, a list of models has them. `compact`: old messages give way to a
    summary where that pays; `weights` are what that is weighed by. `said` are the options that said
    whom to ask: where there is none, a session that is taken up goes on with whom it has.
    """

    protocol: str
    model: str
    base_url: str
    api_key: str | None = None
    vendor: str = ""
    max_tokens: int = 16384
    effort: str = ""
    max_turns: int = 1000
    max_retries: int = 5
    retry_base_ms: int = 2000
    permission: Permission | None = None
    tool_timeout_s: float = 600.0
    idle_timeout_s: float = 120.0
    connect_timeout_s: float = 10.0
    script: str | None = None
    output_language: str = ""
    window: int = 0
    price: tuple[int, int, int, int] | None = None
    compact: bool = True
    weights: Mapping[str, int | str] = {}
    said: frozenset[str] = frozenset()
