"""Text made safe to read: no control sequences, nothing hidden."""

from __future__ import annotations

import re

_PLAIN = bytes([0x09, 0x0A, *range(0x20, 0x7F)])
# Patterns, not compiled: that takes longer than most runs will ever spend on them.
_SEQUENCE = (
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor
    r"|(?:\x1b\]|\x9d)[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)"  # OSC: title, link, clipboard
    r"|(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x1b\x9c]*(?:\x1b\\|\x9c)"  # DCS, SOS, PM, APC
    r"|\x1b[ -/]*[0-~]"  # two characters and charset choices
)
_CONTROL = frozenset(map(chr, {*range(0x20), *range(0x7F, 0xA0)})) - {"\t", "\n", "\r"}
_LONE_CR = r"\r(?!\n)"
_HIDDEN = r"[\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f\U000e0100-\U000e01ef]+"
_SURROGATE = r"[\ud800-\udfff]"


def clean_output(raw: bytes) -> str:
    """What a program printed, as the lines a terminal would have left.

    Control sequences go; of a line rewritten with CR (a progress bar) the last state stays; the
    rest is `clean_text`. Bytes that are no UTF-8 become U+FFFD.
    """
    if not raw.translate(None, _PLAIN):
        return raw.decode("ascii")
    text = _without_sequences(raw.decode(errors="replace"))
    if "\r" in text:
        text = "\n".join(_last_state(line) for line in text.split("\n"))
    return clean_text(text)


def clean_text(text: str) -> str:
    r"""A text with nothing in it that steers a terminal or that a person cannot see.

    Control characters except tab and line ends are written as `\x1b`, lone surrogates become
    U+FFFD, and tag characters, variation supplements and direction overrides give way to a note
    that says how many there were.
    """
    if text.isascii() and not text.encode().translate(None, _PLAIN):
        return text
    text = re.sub(_SURROGATE, "\ufffd", text)
    for control in _CONTROL.intersection(text):  # a pattern would be ten times slower on zeros
        text = text.replace(control, f"\\x{ord(control):02x}")
    text = re.sub(_LONE_CR, r"\\x0d", text)
    return re.sub(_HIDDEN, _told, text)


def clean_line(text: str) -> str:
    """A text in one line, for names and paths in messages."""
    return clean_text(text).replace("\r", "\\r").replace("\n", "\\n").replace("\t", "\\t")


def _without_sequences(text: str) -> str:
    """The text between them; found one by one, so that other threads get their turn meanwhile."""
    kept, at = [], 0
    for found in re.finditer(_SEQUENCE, text):
        kept.append(text[at : found.start()])
        at = found.end()
    return "".join([*kept, text[at:]])


def _last_state(line: str) -> str:
    return line.rstrip("\r").rpartition("\r")[2]


def _told(found: re.Match[str]) -> str:
    number = len(found[0])
    return f"[{number} hidden character{'s' if number > 1 else ''} removed]"
