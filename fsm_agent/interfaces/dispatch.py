"""Which verb is meant; each is imported only when it is."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from fsm_agent.errors import FsmAgentError
from fsm_agent.interfaces.arguments import VERBS, parser


def dispatch(argv: Sequence[str]) -> int:
    """Run the command line; return its exit code."""
    try:
        code = _run(argv)
        sys.stdout.flush()
    except BrokenPipeError:
        return _closed_stdout()
    except FsmAgentError as error:
        print(f"fsm-agent: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        return 130
    return code


def _run(argv: Sequence[str]) -> int:
    word = argv[0] if argv else ""
    if word == "demo":
        from fsm_agent.interfaces.demo import main as demo  # noqa: PLC0415 - start-up

        return demo(argv)
    if word in VERBS:
        from fsm_agent.interfaces.verbs import main as verb  # noqa: PLC0415 - start-up

        return verb(argv)
    given = parser().parse_args(argv)
    from fsm_agent.interfaces.running import run  # noqa: PLC0415 - start-up: not for --help

    return run(given)


def _closed_stdout() -> int:
    """The reader has left (`head`): nothing more can be said there, and that is fine."""
    sys.stdout = None
    return 0
