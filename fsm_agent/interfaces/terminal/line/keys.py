"""What each key does."""

from __future__ import annotations

from prompt_toolkit.filters import Condition, is_searching, vi_insert_mode
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys

from fsm_agent.interfaces.terminal.line.pasting import Pastes
from fsm_agent.interfaces.terminal.surface import Acts


def bindings(acts: Acts, pastes: Pastes) -> KeyBindings:
    """The keys of the prompt beside those that edit a line."""
    keys = KeyBindings()

    @keys.add("enter", filter=~is_searching)
    def _(_: KeyPressEvent) -> None:
        acts.enter()

    @keys.add("escape", "enter")
    def _(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text("\n")

    @keys.add("c-o")
    def _(_: KeyPressEvent) -> None:
        acts.inject()

    # with vi's keys, the Esc that ends typing is not the one that interrupts
    typing = vi_insert_mode & ~Condition(acts.is_empty)

    @keys.add("escape", filter=Condition(acts.is_busy) & ~is_searching & ~typing)
    def _(_: KeyPressEvent) -> None:
        acts.interrupt()

    @keys.add("c-c", filter=~is_searching)
    def _(_: KeyPressEvent) -> None:
        acts.control_c()

    @keys.add("c-d", filter=Condition(acts.is_empty))
    def _(_: KeyPressEvent) -> None:
        acts.leave()

    @keys.add(Keys.BracketedPaste)
    def _(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text(pastes.shown(event.data))

    @keys.add("up", filter=Condition(acts.can_take_back))
    def _(_: KeyPressEvent) -> None:
        acts.take_back()

    return keys
