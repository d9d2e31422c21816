"""Names that the system gives, as text that can be written down."""

from __future__ import annotations


def readable(name: str) -> str:
    """The name with U+FFFD where its bytes are no UTF-8.

    Python keeps such bytes of arguments and paths as halves of characters, which no file, request
    or terminal takes. Under a locale without UTF-8 it keeps all others so, too: these come back.
    """
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
