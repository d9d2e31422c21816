"""Which verb is meant; each is imported only when it is."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Sequence

from fsm_agent.errors import FsmAgentError
from fsm_agent.interfaces.arguments import VERBS, parser
from fsm_agent.interfaces.outlets import Outlet, prepare


def dispatch(argv: Sequence[str]) -> int:
    """Run the command line; return its exit code."""
    prepare()
    out, aside = Outlet(sys.stdout), Outlet(sys.stderr)
    try:
        code = _run([readable(word) for word in argv])
    except FsmAgentError as error:
        aside.say(f"fsm-agent: {error}")
        code = error.exit_code
    except SystemExit as left:  # argparse has said what it had to
        code = left.code if isinstance(left.code, int) else 2
    except KeyboardInterrupt:
        code = 130
    except BrokenPipeError as error:
        ...
    except Exception as fault:  # noqa: BLE001 - nobody above could say it
        aside.say(_our_own(fault))
        code = 7
    ...
