"""`@file` in a person's line, replaced before the core sees it."""

from __future__ import annotations

import re
from pathlib import Path

CAP = 50_000
"""Bytes of one file that a line may bring in."""
_MENTION = re.compile(r'(?:(?<=\s)|^)@(?:"([^"\n]+)"|([^\s"@]+))')


def expand(line: str, cwd: Path) -> tuple[str, list[str]]:
    """The line with each `@path` replaced, and warnings about paths that are no files.

    `@"a name.txt"` quotes; a trailing `.`, `,`, `;`, `:` or `)` is the sentence's.
    """
    warnings: list[str] = []

    def replace(found: re.Match[str]) -> str:
        name = found[1] or found[2]
        path = cwd / name
        if not path.is_file() and not found[1]:
            name = name.rstrip(".,;:)!?")
            path = cwd / name
        rest = "" if found[1] else found[2][len(name) :]
        try:
            with path.open("rb") as file:
                raw = file.read(CAP + 1)
        except OSError as error:
            warnings.append(f"@{name}: {error.strerror}; left as it is")
            return found[0]
        text = raw[:CAP].decode("utf-8-sig", "replace")
        note = "" if len(raw) <= CAP else f"\n(cut: the file is longer than {CAP} bytes)"
        end = "" if text.endswith("\n") and not note else "\n"
        return f'<file path="{name}">\n{text}{note}{end}</file>{rest}'

    return _MENTION.sub(replace, line), warnings


def with_stdin(prompt: str, piped: str) -> str:
    """The prompt and what was piped in, as one line of the person."""
    if not piped.strip():
        return prompt
    return f"{prompt}\n\n<stdin>\n{piped.rstrip()}\n</stdin>" if prompt else piped
