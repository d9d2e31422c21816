"""Which verb is meant; each is imported only when it is."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module

from fsm_agent.errors import FsmAgentError
from fsm_agent.interfaces.arguments import VERBS, parser
from fsm_agent.interfaces.outlets import Outlet, prepare
from fsm_agent.interfaces.painting.escaping import escape
from fsm_agent.runtime.naming import readable

OUR_FAULT = """\
fsm-agent: our own fault: {fault}
What was logged is safe. Please report this, with what PYTHONDEVMODE=1 shows of it."""


def dispatch(argv: Sequence[str]) -> int:
    """Run the command line; return its exit code."""
    prepare()
    out, beside = Outlet(sys.stdout), Outlet(sys.stderr)
    try:
        code = _run([readable(word) for word in argv])
    except SystemExit as left:  # the grammar has said why
        code = left.code if isinstance(left.code, int) else 2
    except FsmAgentError as error:
        beside.say(escape(f"fsm-agent: {error}"))
        code = error.exit_code
    except BrokenPipeError as error:  # the reader has left (`head`), and that is fine
        out.lose(error)
        code = 0
    except KeyboardInterrupt:
        code = 130
    except Exception as fault:  # noqa: BLE001 - there is nobody above to say it
        if sys.flags.dev_mode:
            sys.excepthook(type(fault), fault, fault.__traceback__)
        beside.say(escape(OUR_FAULT.format(fault=f"{type(fault).__name__}: {fault}")))
        code = 7
    out.flush()
    beside.flush()
    return code


ROOMS = {
    "audit": "auditing",
    "demo": "demo",
    "export": "exporting.command",
    "fork": "forking",
    "memory": "remembering",
    "models": "models",
    "replay": "replaying",
}
"""Where a verb lives that is not among the small ones."""


def _run(argv: Sequence[str]) -> int:
    word = argv[0] if argv else ""
    if word in VERBS:  # each is loaded only when it is meant: start-up is a feature
        room = import_module(f"fsm_agent.interfaces.{ROOMS.get(word, 'verbs')}")
        code: int = room.main(argv)
        return code
    given = parser().parse_args(argv)
    from fsm_agent.interfaces.running import run  # noqa: PLC0415 - start-up: not for --help

    return run(given)
