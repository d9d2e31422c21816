"""What each key does."""

from __future__ import annotations

import re
from collections.abc import Callable

from prompt_toolkit.application import get_app
from prompt_toolkit.filters import (
    Condition,
    emacs_insert_mode,
    emacs_mode,
    has_completions,
    has_selection,
    is_searching,
    shift_selection_mode,
    vi_insert_mode,
)
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys

from fsm_agent.errors import UsageError
from fsm_agent.interfaces.terminal.commands.table import is_command
from fsm_agent.interfaces.terminal.line import pasting
from fsm_agent.interfaces.terminal.line.editing import Editing
from fsm_agent.interfaces.terminal.line.menu import Menu
from fsm_agent.interfaces.terminal.surface import Acts
from fsm_agent.runtime import images

_INSERTING = (emacs_insert_mode | vi_insert_mode) & ~is_searching
_STANDS_FOR_MORE = f"(?:{pasting.PLACEHOLDER}|{images.PLACEHOLDER})$"


def bindings(acts: Acts, editing: Editing, say: Callable[[str], None]) -> KeyBindings:
    """The keys of the prompt; `say` tells what went wrong."""
    keys = KeyBindings()
    menu = editing.menu

    @keys.add("enter", filter=~is_searching)
    def _(event: KeyPressEvent) -> None:
        if not menu.take(event.current_buffer):
            acts.enter()

    @keys.add("escape", "enter")
    def _(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text("\n")

    @keys.add("c-o")
    def _(_: KeyPressEvent) -> None:
        acts.inject()

    # with vi's keys, the Esc that ends typing is not the one that interrupts
    typing = vi_insert_mode & ~Condition(acts.is_empty)

    @keys.add("escape", filter=Condition(acts.is_busy) & ~is_searching & ~typing & ~has_completions)
    def _(_: KeyPressEvent) -> None:
        acts.interrupt()

    @keys.add("c-c", filter=~is_searching)
    def _(_: KeyPressEvent) -> None:
        acts.control_c()

    @keys.add("c-d", filter=Condition(acts.is_empty))
    def _(_: KeyPressEvent) -> None:
        acts.leave()

    @keys.add("up", filter=Condition(acts.can_take_back))
    def _(_: KeyPressEvent) -> None:
        acts.take_back()

    _add_editing(keys)
    _add_menu(keys, menu)
    _add_pastes(keys, acts, editing, say)
    return keys


def _add_editing(keys: KeyBindings) -> None:
    marking = emacs_mode & has_selection & ~shift_selection_mode & ~is_searching

    @keys.add(Keys.Any, filter=marking)
    @keys.add("backspace", filter=marking)
    def _(event: KeyPressEvent) -> None:
        """Type on behind a mark, as Emacs does; the library would let the key go."""
        event.current_buffer.exit_selection()
        event.key_processor.feed(event.key_sequence[0], first=True)

    @keys.add("c-l")
    def _(event: KeyPressEvent) -> None:
        """Clear the screen; what was on it goes into the scrollback, and is not lost."""
        renderer, output = event.app.renderer, event.app.output
        rows = output.get_size().rows
        above = renderer.rows_above_layout if renderer.height_is_known else rows
        renderer.erase()
        output.cursor_goto(rows, 1)
        output.write_raw("\n" * above)
        renderer.clear()


def _add_menu(keys: KeyBindings, menu: Menu) -> None:
    @keys.add("tab", filter=_INSERTING)
    def _(event: KeyPressEvent) -> None:
        menu.tab(event.current_buffer)

    @keys.add("escape", filter=has_completions & ~is_searching)
    def _(event: KeyPressEvent) -> None:
        menu.close(event.current_buffer)

    @keys.add("backspace", filter=has_completions & _INSERTING)
    def _(event: KeyPressEvent) -> None:
        event.current_buffer.delete_before_cursor()
        menu.typed(event.current_buffer)


def _add_pastes(
    keys: KeyBindings, acts: Acts, editing: Editing, say: Callable[[str], None]
) -> None:
    asked = Condition(acts.is_asked)

    @keys.add(Keys.BracketedPaste)
    def _(event: KeyPressEvent) -> None:
        buffer, text = event.current_buffer, event.data
        if not acts.is_asked() and not is_command(buffer.text.strip()):
            text = editing.pictures.dropped(text)
        buffer.insert_text(editing.pastes.shown(text))

    @keys.add("c-v", filter=_INSERTING & ~asked)
    async def _(event: KeyPressEvent) -> None:
        try:
            event.current_buffer.insert_text(await editing.pictures.pasted())
        except (UsageError, OSError) as error:
            say(str(error))

    @keys.add("backspace", filter=Condition(lambda: bool(_placeholder())) & _INSERTING)
    def _(event: KeyPressEvent) -> None:
        event.current_buffer.delete_before_cursor(len(_placeholder()))


def _placeholder() -> str:
    """What stands before the cursor, and goes as a whole."""
    before = get_app().current_buffer.document.text_before_cursor
    found = re.search(_STANDS_FOR_MORE, before[-80:])
    return found[0] if found else ""
