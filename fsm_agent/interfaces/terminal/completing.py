"""Names of commands and files, completed with Tab."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from prompt_toolkit.completion import CompleteEvent, Completer, Completion, PathCompleter
from prompt_toolkit.document import Document


class LineCompleter(Completer):
    """`/na` at the start of the line becomes `/name`, `@pa` anywhere becomes `@path`."""

    def __init__(self, commands: Mapping[str, str], cwd: Path) -> None:
        """`commands` are names and what they do; paths are those below `cwd`."""
        self._commands = commands
        self._paths = PathCompleter(get_paths=lambda: [str(cwd)])

    def get_completions(self, document: Document, event: CompleteEvent) -> Iterable[Completion]:
        """What may stand where the cursor is."""
        before = document.text_before_cursor
        word = before.split()[-1] if before and not before[-1].isspace() else ""
        if word.startswith("/") and word == before:
            for name, help_ in self._commands.items():
                if f"/{name}".startswith(word):
                    yield Completion(f"/{name}", -len(word), display_meta=help_)
        elif word.startswith("@"):
            path = word[1:]
            yield from self._paths.get_completions(Document(path, len(path)), event)
