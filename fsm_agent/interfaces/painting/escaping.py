"""Everything that is not text is made visible before a terminal gets it."""

from __future__ import annotations

import re

_NOT_TEXT = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls but tab and line feed: they move, clear and paint
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # directions: they reorder what is read
    "\u2028\u2029"  # line ends that only some programs see
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u2060-\u2065\u206a-\u206f\u3164"
    "\ufeff\uffa0\ufff0-\uffff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"  # shown as nothing
    "\U000e0000-\U000e0fff"  # tags: whole sentences that only a model reads
    "\ud800-\udfff"  # half a character: it cannot be encoded
    "]"
)
"""Controls and what Unicode calls default-ignorable, but for what joins letters and emoji."""


def escape(text: str) -> str:
    r"""The text as a terminal may get it: ESC becomes `\x1b`, U+202E `\u202e`, and so on.

    Line feeds and tabs stay; a carriage return before a line feed is a part of the line's end.
    """
    return _NOT_TEXT.sub(_visible, text.replace("\r\n", "\n"))


def escape_line(text: str) -> str:
    """The text on one line: runs of white space become a space, the rest is escaped."""
    return escape(" ".join(text.split()))


def shorten(text: str, width: int = 80) -> str:
    """At most `width` characters of an escaped line; three dots stand for what is missing."""
    return text if len(text) <= width else f"{text[: width - 3]}..."


def _visible(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode()
