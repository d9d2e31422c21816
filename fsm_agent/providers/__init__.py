"""The edge to models: request bytes out, deltas and one answer back.

protocol  what a provider and its stream are
http      a server behind HTTP
fetching  a file from a server
stream    an answer on the wire, read until it ends, breaks or is let go
faults    what the network did, as failures
recorded  answers recorded from a real server, saved and replayed
scripted  a model that does what a script says
script    the script: steps, attempts, items
"""

import sys
from importlib.util import find_spec

# httpx imports its own command line (click, rich, pygments: 41 ms) when it can; nobody here wants
# it. `None` makes that one import fail, which httpx expects. It has to come before `import httpx`.
sys.modules.setdefault("httpx._main", None)  # type: ignore[arg-type]  # None is what the import system asks for

# httpcore looks for sniffio several times a request, and Python does not remember that it found
# nothing. Once said here, it saves a quarter of a millisecond a request.
if find_spec("sniffio") is None:
    sys.modules["sniffio"] = None  # type: ignore[assignment]  # as above
