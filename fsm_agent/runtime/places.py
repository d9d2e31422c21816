"""Where sessions live: one directory a project, one a session."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from fsm_agent.errors import UsageError
from fsm_agent.events.inputs import SessionFork, SessionResume, SessionStart, UserInput
from fsm_agent.log.listing import Listing, head
from fsm_agent.runtime.naming import readable

LOG = "events.jsonl"
DRAFT = "plan.draft"


def project_key(cwd: Path) -> str:
    """A project's directory name: `/srv/dev/my app` → `-srv-dev-my-app`."""
    text = re.sub(r"[^A-Za-z0-9._-]", "-", str(cwd.resolve()).lstrip("/"))
    return "-" + re.sub(r"-+", "-", text).strip("-")


def project_home(home: Path, cwd: Path) -> Path:
    """The directory of the sessions of the project at `cwd`."""
    return home / "projects" / project_key(cwd)


def sessions(home: Path, cwd: Path) -> Iterator[Path]:
    """The project's session directories in which anything was logged, newest log first.

    Those that cannot be read are among them: nothing is hidden.

    Raises:
        UsageError: If the project's directory cannot be looked into.
    """
    here = readable(str(cwd.resolve()))
    for _, log in sorted(_logs(project_home(home, cwd)), reverse=True):
        try:
            first = head(log)
        except OSError:
            first = None
        event = first and first.event
        # two directories may have one key
        if not isinstance(event, SessionStart) or event.cwd == here:
            yield log.parent


def newest(home: Path, cwd: Path) -> Path | None:
    """The session that is meant where none is named.

    The newest, but forks that nobody has gone on with only where there is no other: a fork is an
    experiment, and must not get between a person and their session.

    Raises:
        UsageError: If the project's directory cannot be looked into.
    """
    experiment = None
    for session in sessions(home, cwd):
        if not _is_experiment(session / LOG):
            return session
        experiment = experiment or session
    return experiment


def all_sessions(home: Path) -> Iterator[Path]:
    """The session directories of all projects in which anything was logged, newest log first.

    Raises:
        UsageError: If a directory cannot be looked into.
    """
    found = (each for project in _inside(home / "projects") for each in _logs(project))
    for _, log in sorted(found, reverse=True):
        yield log.parent


def all_logs(home: Path) -> Iterator[Path]:
    """The logs of all projects.

    Raises:
        UsageError: If a directory cannot be looked into.
    """
    for project in _inside(home / "projects"):
        yield from (log for _, log in _logs(project))


def find_session(home: Path, name: str) -> Path | None:
    """A session by its id, in whatever project it is.

    Raises:
        UsageError: If it may be where nobody may look.
    """
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", name):
        return None
    closed: OSError | None = None
    for project in _inside(home / "projects"):
        try:
            (project / name / LOG).stat()
        except _NOT_THERE:
            continue
        except OSError as error:
            closed = error
        else:
            return project / name
    if closed:
        raise _unreadable(closed) from closed
    return None


def _logs(project: Path) -> Iterator[tuple[int, Path]]:
    """When each log changed, in ns, and where it is; none that is empty."""
    for folder in _inside(project):
        log = folder / LOG
        try:
            found = log.stat()
        except _NOT_THERE:
            continue
        except OSError:  # nobody may look: it may be the newest
            yield folder.lstat().st_mtime_ns, log
        else:
            if found.st_size:
                yield found.st_mtime_ns, log


def _inside(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except _NOT_THERE:
        return []
    except OSError as error:
        raise _unreadable(error) from error


_NOT_THERE = (FileNotFoundError, NotADirectoryError)


def _unreadable(error: OSError) -> UsageError:
    return UsageError(f"{error.filename}: {error.strerror}")


def _is_experiment(log: Path) -> bool:
    """Whether `fork` made it, and nobody has gone on with it since."""
    forked = False
    try:
        for _, line in Listing(log):
            match line.event:
                case SessionFork(reason="fork"):
                    forked = True
                case SessionResume():
                    return False
                case UserInput() if not forked:
                    return False
                case _:
                    pass
    except OSError:
        return False
    return forked
