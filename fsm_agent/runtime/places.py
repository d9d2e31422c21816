"""Where sessions live: one directory a project, one a session."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

LOG = "events.jsonl"


def project_key(cwd: Path) -> str:
    """A project's directory name: `/srv/dev/my app` → `-srv-dev-my-app`."""
    text = re.sub(r"[^A-Za-z0-9._-]", "-", str(cwd.resolve()).lstrip("/"))
    return "-" + re.sub(r"-+", "-", text).strip("-")


def project_home(home: Path, cwd: Path) -> Path:
    """The directory of the sessions of the project at `cwd`."""
    return home / "projects" / project_key(cwd)


def sessions(home: Path, cwd: Path) -> Iterator[Path]:
    """The project's session directories, newest log first."""
    try:
        found = [p for p in project_home(home, cwd).iterdir() if (p / LOG).is_file()]
    except OSError:
        return iter(())
    return iter(sorted(found, key=lambda p: (p / LOG).stat().st_mtime_ns, reverse=True))


def find_session(home: Path, name: str) -> Path | None:
    """A session by its id, in whatever project it is."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", name):
        return None
    return next((log.parent for log in (home / "projects").glob(f"*/{name}/{LOG}")), None)
