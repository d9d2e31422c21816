"""Items for a reader who wants lines: answers stay as they were written."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from fsm_agent.interfaces.painting.blocks import Piece, pieces
from fsm_agent.interfaces.painting.escaping import escape
from fsm_agent.interfaces.painting.items import Item, Said
from fsm_agent.interfaces.painting.pictures import Picture, paint
from fsm_agent.interfaces.painting.results import uncut


def plainly(item: Item) -> Iterator[Picture]:
    """The item as pictures; Markdown is not painted, prose is wrapped, code is not."""
    match item:
        case Said():
            for piece in pieces(item.text):
                yield from plainly(piece)
            if item.partial:
                yield Text("[…]")
        case Piece():
            if item.gap:
                yield Text()
            source = Text(escape(item.source).rstrip("\n"))
            yield source if item.kind == "prose" else uncut(source)
        case _:
            yield from paint(item)
