"""`@file` in a person's line, replaced before the core sees it."""

from __future__ import annotations

import errno
import re
import stat
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
        quoted, plain = found.groups()
        fault = ""
        for name in [quoted] if quoted else [plain, plain.rstrip(".,;:)!?")]:
            try:
                return _shown(name, cwd / name) + ("" if quoted else plain[len(name) :])
            except OSError as error:
                fault = f"@{name}: {error.strerror}; left as it is"
            except ValueError:  # NUL
                fault = f"@{name!r}: no file has such a name; left as it is"
        warnings.append(fault)
        return found[0]

    return _MENTION.sub(replace, line), warnings


def _shown(name: str, path: Path) -> str:
    mode = path.stat().st_mode
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):  # a pipe or device may never end
        raise OSError(errno.EINVAL, "Not a regular file")
    with path.open("rb") as file:
        raw = file.read(CAP + 1)
    text = raw[:CAP].decode("utf-8-sig", "replace")
    note = "" if len(raw) <= CAP else f"\n(cut: the file is longer than {CAP} bytes)"
    end = "" if text.endswith("\n") and not note else "\n"
    return f'<file path="{name}">\n{text}{note}{end}</file>'


def with_stdin(prompt: str, piped: str) -> str:
    """The prompt and what was piped in, as one line of the person."""
    if not piped.strip():
        return prompt
    return f"{prompt}\n\n<stdin>\n{piped.rstrip()}\n</stdin>" if prompt else piped
