"""Names of commands, of what they take, and of files, completed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from fsm_agent.interfaces.terminal.line.filenames import OFFERED, FileNames, written

Words = Callable[[], Iterable[tuple[str, str]]]
"""Gives words that a command takes, and what each says."""

_MENTION = r'(?<![A-Za-z0-9_.%+/@\\-])@(?:"([^"\n]*)|((?:\\.|[^\s"\\@])(?:\\.|[^\s"\\])*\\?)?)$'
"""A mention that ends at the cursor, quoted or not."""
_COMMAND = r"\s*/([^\s/]*)"
_ARGUMENT = r"\s*/([^\s/]+)\s+(\S*)"
_NEAR = 1000
"""Characters before the cursor in which a mention is looked for."""


class LineCompleter(Completer):
    """`/na` becomes `/name`, `/name wo` `/name word`, and `@pa` anywhere `@path`."""

    def __init__(
        self, commands: Mapping[str, str], words: Mapping[str, Words], files: FileNames
    ) -> None:
        """`commands` are names and what they do; `words` what some of them take."""
        self._commands, self._words, self._files = commands, words, files

    def get_completions(self, document: Document, _: CompleteEvent) -> Iterable[Completion]:
        """What may stand where the cursor is."""
        before = document.text_before_cursor
        if named := re.fullmatch(_COMMAND, before):
            yield from _beginning(named[1], self._commands.items(), before="/")
        elif mention := re.search(_MENTION, before[-_NEAR:]):
            yield from self._paths(mention)
        elif (asked := re.fullmatch(_ARGUMENT, before)) and asked[1] in self._commands:
            words = self._words.get(asked[1])
            yield from _beginning(asked[2], words() if words else ())

    def _paths(self, mention: re.Match[str]) -> Iterator[Completion]:
        quoted, plain = mention.groups()
        typed = quoted if quoted is not None else re.sub(r"\\(.?)", r"\1", plain or "")
        for name in self._files.matching(typed):
            text = f"@{written(name)}"
            if name.endswith("/"):  # the next Tab goes on in it
                text = text.removesuffix('"')
            yield Completion(text, -len(mention[0]), display=name)


def opens(before: str) -> bool:
    """Whether what can be chosen is shown unasked: of commands, what they take, and mentions."""
    if before.startswith("!"):  # the shell's own words
        return False
    near = before[-_NEAR:]
    command = len(near) == len(before) and re.fullmatch(f"{_COMMAND}|{_ARGUMENT}", before)
    return bool(command or re.search(_MENTION, near))


def _beginning(
    typed: str, words: Iterable[tuple[str, str]], before: str = ""
) -> Iterator[Completion]:
    found = [(word, meta) for word, meta in words if word.startswith(typed)]
    for word, meta in found[:OFFERED]:
        yield Completion(f"{before}{word}", -len(f"{before}{typed}"), display_meta=meta)
