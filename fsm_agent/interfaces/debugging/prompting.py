"""The debugger's line at a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import NestedCompleter


def prompted(
    commands: Sequence[str], printed: Sequence[str], kinds: Sequence[str]
) -> Iterator[str]:
    """What is typed, until Ctrl-D; an empty line is the command before it, again."""
    words = {**dict.fromkeys(commands), "p": set(printed), "break": set(kinds), "q": None}
    session: PromptSession[str] = PromptSession(
        completer=NestedCompleter.from_nested_dict(words), complete_while_typing=False
    )
    before = ""
    while True:
        try:
            before = session.prompt("(replay) ").strip() or before
        except KeyboardInterrupt:
            continue
        except EOFError:
            return
        yield before
