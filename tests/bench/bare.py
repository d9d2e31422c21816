"""The least that proving a log can do: lines decoded, batches hashed.

python bare.py LOG
"""

from __future__ import annotations

import sys
from hashlib import sha256
from pathlib import Path

from fsm_agent.events.lines import GENESIS, decode


def main(path: Path) -> None:
    """Read the log once."""
    previous, lines = GENESIS, list[bytes]()
    with path.open("rb") as file:
        for raw in file:
            decode(raw)
            lines.append(raw)
            if raw.endswith(b'"}}\n'):
                previous = sha256(previous + b"".join(lines)).digest()
                lines = []


if __name__ == "__main__":
    main(Path(sys.argv[1]))
