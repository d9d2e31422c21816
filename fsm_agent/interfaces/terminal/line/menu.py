"""What may stand where the cursor is, in a menu that opens by itself."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from threading import Thread

from prompt_toolkit.application import get_app
from prompt_toolkit.buffer import Buffer, CompletionState
from prompt_toolkit.completion import (
    CompleteEvent,
    Completer,
    Completion,
    get_common_complete_suffix,
)
from prompt_toolkit.document import Document

from fsm_agent.interfaces.terminal.line.completing import opens


class Menu:
    """Looks for what can be chosen, in a thread, for one text at a time.

    The library's own search forgets a Tab that is pressed while another one is under way, and takes
    the menu away with each key until the next one is done.

    Attributes:
        completer: Knows what can be chosen.
    """

    def __init__(self, completer: Completer) -> None:
        self.completer = completer
        self._wanted: Document | None = None
        self._shown: tuple[str, Sequence[Completion]] = ("", ())
        self._by_tab = self._searching = False

    def typed(self, buffer: Buffer) -> None:
        """Look for what begins so, where it is a command or a mention; keep what still fits."""
        before = buffer.document.text_before_cursor
        if opens(before):
            self._open(buffer, list(_fitting(before, *self._shown)))
            self._look(buffer, by_tab=False)

    def tab(self, buffer: Buffer) -> None:
        """Write what all that can be chosen have in common; if that is nothing, choose the first."""
        state = buffer.complete_state
        if state and state.complete_index is not None:
            buffer.complete_next()
        elif state and not self._searching:
            self._write(buffer, state.completions)
        else:
            self._look(buffer, by_tab=True)

    def take(self, buffer: Buffer) -> bool:
        """Let what is chosen stand in the line; whether something was. Into folders it goes on."""
        state = buffer.complete_state
        if not state or state.current_completion is None:
            return False
        buffer.complete_state = None
        if state.current_completion.text.endswith("/"):
            self._look(buffer, by_tab=False)
        return True

    def close(self, buffer: Buffer) -> None:
        """Take it away, and what was chosen in it back."""
        self._wanted, self._shown = None, ("", ())
        buffer.cancel_completion()

    def _look(self, buffer: Buffer, *, by_tab: bool) -> None:
        self._wanted, self._by_tab = buffer.document, by_tab
        if not self._searching:
            self._searching = True
            get_app().create_background_task(self._search(buffer))

    async def _search(self, buffer: Buffer) -> None:
        try:
            while (sought := self._wanted) is not None:
                found = await _beside(self.completer, sought)
                if self._wanted is sought:
                    self._wanted = None
                    if buffer.document == sought:
                        self._show(buffer, found)
        finally:
            self._searching = False

    def _show(self, buffer: Buffer, found: list[Completion]) -> None:
        if self._by_tab and (len(found) == 1 or get_common_complete_suffix(buffer.document, found)):
            self._write(buffer, found)
        else:
            self._open(buffer, found)

    def _write(self, buffer: Buffer, found: list[Completion]) -> None:
        if common := get_common_complete_suffix(buffer.document, found):
            buffer.insert_text(common, fire_event=False)
        elif len(found) == 1:
            buffer.apply_completion(found[0])
        else:
            buffer.complete_next()
            return
        self._look(buffer, by_tab=False)

    def _open(self, buffer: Buffer, found: list[Completion]) -> None:
        self._shown = buffer.document.text_before_cursor, found
        buffer.complete_state = CompletionState(buffer.document, found) if found else None
        buffer.on_completions_changed.fire()


def _fitting(before: str, then: str, shown: Sequence[Completion]) -> Iterator[Completion]:
    """What fits of what was shown before more was typed."""
    if not before.startswith(then):
        return
    for one in shown:
        start = one.start_position - len(before) + len(then)
        typed = before[len(before) + start :].lstrip('@"/')
        if typed.casefold() in one.display_text.casefold():
            yield Completion(one.text, start, one.display, one.display_meta)


async def _beside(completer: Completer, sought: Document) -> list[Completion]:
    """What the completer finds, in a thread of its own: leaving does not wait for it."""
    search: Future[list[Completion]] = Future()

    def run() -> None:
        search.set_running_or_notify_cancel()
        try:
            search.set_result(list(completer.get_completions(sought, CompleteEvent())))
        except Exception as fault:  # noqa: BLE001 - it is raised where it is waited for
            search.set_exception(fault)

    Thread(target=run, name="completion", daemon=True).start()
    found = await asyncio.wrap_future(search)
    before = sought.text_before_cursor
    there = [one for one in found if before[len(before) + one.start_position :] == one.text]
    if there and (len(found) == 1 or there[0].text.endswith("/")):  # it would change nothing
        found.remove(there[0])
    return found
