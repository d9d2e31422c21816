"""What slash commands act on."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from fsm_agent.events import inputs as i
from fsm_agent.events.outcome import Change
from fsm_agent.events.values import Blob, FileChange
from fsm_agent.interfaces.assembly import Say, workplace
from fsm_agent.interfaces.catalogue import Catalogue
from fsm_agent.interfaces.terminal.background import Work
from fsm_agent.interfaces.terminal.commands.changes import Changes
from fsm_agent.interfaces.terminal.commands.custom import CustomCommands
from fsm_agent.interfaces.terminal.switching import Coming
from fsm_agent.runtime.session import Session
from fsm_agent.tools.protocol import Workplace


@dataclass(frozen=True, slots=True)
class Desk:
    """What commands act on.

    Attributes:
        session: What the log says so far.
        changes: Fold of the changed files.
        home: Where the program keeps its files.
        cwd: The workspace.
        settings: Those that hold when all that was handed in is in the log.
        give: Hands an input in.
        print: Prints pictures.
        shell: Runs a shell line.
        inject: Puts a line into the running turn.
        take_back: Takes the last waiting line back.
        open: Leaves this session for the one that comes.
        pick: Lets the person pick a session, beginning with those in which a text stands.
        background: Does work beside the prompt, in the name of a command.
        custom: The prompt files that can be asked for.
        reread: Reads again what shapes requests, with these settings; what of it is not as it was.
            It says what failed.
    """

    session: Session
    changes: Changes
    home: Path
    cwd: Path
    settings: Callable[[], i.Settings]
    give: Callable[[Sequence[i.Event]], None]
    print: Callable[..., None]
    shell: Callable[[str], None]
    inject: Callable[[str], None]
    take_back: Callable[[], None]
    open: Callable[[Coming], None]
    pick: Callable[[Catalogue, str], Awaitable[Path | None]]
    background: Callable[[str, Work], None]
    custom: CustomCommands
    reread: Callable[[i.Settings, Say], list[i.Event]]

    @property
    def place(self) -> Workplace:
        """Where files may be put back."""
        return workplace(self.session, self.cwd)

    def kept(self, changes: Sequence[Change]) -> tuple[FileChange, ...]:
        """Changes as a line of the log has them; their bytes are on disk then."""

        def keep(data: bytes | None) -> Blob | None:
            return None if data is None else self.session.blobs.put(data)

        return tuple(FileChange(c.path, keep(c.before), keep(c.after)) for c in changes)

    def loaded(self, changes: Sequence[FileChange]) -> Iterator[Change]:
        """Changes of the log with their bytes."""

        def load(blob: Blob | None) -> bytes | None:
            return None if blob is None else self.session.blobs.get(blob)

        yield from (Change(c.path, load(c.before), load(c.after)) for c in changes)
