"""What file tools last saw of each file, so that nobody's change is lost."""

from __future__ import annotations

import hashlib
import threading

from fsm_agent.tools.calls import ToolFailure
from fsm_agent.tools.containment import Location


class Seen:
    """Digests of files by their place, for one session.

    Attributes:
        writing: Held from reading a file to replacing it: calls of one answer run side by side.
    """

    def __init__(self) -> None:
        self.writing = threading.Lock()
        self._digests: dict[tuple[int, int, str], bytes] = {}

    def note(self, location: Location, digest: bytes) -> None:
        """Remember the SHA-256 of the file as it is now."""
        self._digests[location.key] = digest

    def check(self, location: Location, content: bytes) -> None:
        """Compare the file as it is now with what was seen of it.

        Raises:
            ToolFailure: If it was seen and has changed since.
        """
        known = self._digests.get(location.key)
        if known not in (None, hashlib.sha256(content).digest()):
            raise ToolFailure(
                f"{location.shown} has changed on disk since you last read it: read it again first"
            )
