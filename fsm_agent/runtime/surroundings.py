"""What the prompt says of machine and project; watched files."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from fsm_agent.context.prompt import Surroundings
from fsm_agent.events.inputs import Seen
from fsm_agent.runtime.naming import readable

INSTRUCTIONS = ("AGENTS.md", "CLAUDE.md")
"""Names of instruction files; the first that a directory holds is taken."""
CAP = 32 * 1024
"""Bytes of one instruction file that the model is shown."""


def language(environment: Mapping[str, str]) -> str:
    """The locale's language: `LC_ALL`, `LC_MESSAGES`, `LANG`, else `en_US`."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        value = environment.get(name, "").partition(".")[0]
        if value and value not in ("C", "POSIX"):
            return value
    return "en_US"


def read_surroundings(
    cwd: Path, environment: Mapping[str, str], instructions: Iterable[Path] | None = None
) -> Surroundings:
    """Look at machine and project, as an epoch starts; `instructions` replace AGENTS.md files."""
    files = instruction_files(cwd) if instructions is None else instructions
    return Surroundings(
        language=readable(language(environment)),
        cwd=readable(str(cwd)),
        home=readable(environment.get("HOME", "~")),
        platform=os.uname().sysname,
        shell=readable(Path(environment.get("SHELL", "sh")).name),
        instructions=tuple((readable(str(path)), read_text(path)) for path in files),
    )


def instruction_files(cwd: Path) -> Iterator[Path]:
    """AGENTS.md (or CLAUDE.md) of each directory from the git root down to `cwd`.

    A link that leads out of the project is passed over: a clone may not have what lies elsewhere
    sent to a model.
    """
    chain = [cwd, *cwd.parents]
    root = next((k for k, place in enumerate(chain) if _stat(place / ".git")), 0)
    for place in reversed(chain[: root + 1]):
        found = (place / name for name in INSTRUCTIONS)
        path = next((p for p in found if _is_file(p)), None)
        if path and path.resolve().is_relative_to(chain[root].resolve()):
            yield path


def read_text(path: Path) -> str:
    """The file's text: BOM and CRLF gone, bad bytes shown as such, cut at `CAP` with a note."""
    try:
        with path.open("rb") as file:
            raw = file.read(CAP + 1)
    except OSError as error:
        return f"(could not be read: {error.strerror})"
    text = raw[:CAP].decode("utf-8-sig", "replace").replace("\r\n", "\n")
    return text if len(raw) <= CAP else f"{text}\n(cut: the file is longer than {CAP} bytes)"


class _Known(NamedTuple):
    stat: tuple[int, int, int] | None
    digest: str


class Watch:
    """Instruction files as last known; says what differs just before a line or a tool's end."""

    def __init__(self, cwd: Path) -> None:
        self._cwd = cwd
        self._known: dict[Path, _Known] = {}
        self._look()

    def _look(self) -> list[Path]:
        changed = []
        paths = dict.fromkeys((*instruction_files(self._cwd), *self._known))
        for path in paths:
            before, stat = self._known.get(path), _stat(path)
            if before and before.stat == stat:
                continue
            digest = hashlib.sha256(read_text(path).encode()).hexdigest() if stat else ""
            self._known[path] = _Known(stat, digest)
            if before is None or before.digest != digest:
                changed.append(path)
        return changed

    def changes(self) -> list[Seen]:
        """An input for each file that is not what it was."""
        return [
            Seen(
                what="instructions",
                path=readable(str(path)),
                text=read_text(path) if _stat(path) else None,
            )
            for path in self._look()
        ]


def _is_file(path: Path) -> bool:
    with contextlib.suppress(OSError):  # `is_file` raises where a directory is closed to us
        return path.is_file()
    return False


def _stat(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
