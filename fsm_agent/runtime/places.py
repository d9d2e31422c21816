"""Where sessions live: one directory a project, one a session."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from fsm_agent.events.inputs import SessionStart
from fsm_agent.log.listing import head
from fsm_agent.runtime.naming import readable

LOG = "events.jsonl"


def project_key(cwd: Path) -> str:
    """A project's directory name: `/srv/dev/my app` → `-srv-dev-my-app`."""
    text = re.sub(r"[^A-Za-z0-9._-]", "-", str(cwd.resolve()).lstrip("/"))
    return "-" + re.sub(r"-+", "-", text).strip("-")


def project_home(home: Path, cwd: Path) -> Path:
    """The directory of the sessions of the project at `cwd`."""
    return home / "projects" / project_key(cwd)


def sessions(home: Path, cwd: Path) -> Iterator[Path]:
    """The project's session directories in which anything was logged, newest log first."""
    try:
        logs = [log for log in project_home(home, cwd).glob(f"*/{LOG}") if log.stat().st_size]
    except OSError:
        return
    here = readable(str(cwd.resolve()))
    for log in sorted(logs, key=lambda log: log.stat().st_mtime_ns, reverse=True):
        first = head(log)
        event = first and first.event
        # two directories may have one key; but what cannot be read is not hidden
        if not isinstance(event, SessionStart) or event.cwd == here:
            yield log.parent


def find_session(home: Path, name: str) -> Path | None:
    """A session by its id, in whatever project it is."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", name):
        return None
    return next((log.parent for log in (home / "projects").glob(f"*/{name}/{LOG}")), None)
