"""Which verb is meant; each is imported only when it is."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

from fsm_agent.errors import FsmAgentError
from fsm_agent.interfaces.arguments import VERBS


def dispatch(argv: Sequence[str]) -> int:
    """Run the command line; return its exit code."""
    try:
        code = _verb(argv)(argv)
        sys.stdout.flush()
    except BrokenPipeError:
        return _closed_stdout()
    except FsmAgentError as error:
        print(f"fsm-agent: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        return 130
    return code


def _verb(argv: Sequence[str]) -> Callable[[Sequence[str]], int]:
    word = argv[0] if argv else ""
    if word not in VERBS:
        from fsm_agent.interfaces.running import main  # noqa: PLC0415 - start-up

        return main
    if word == "demo":
        from fsm_agent.interfaces.demo import main  # noqa: PLC0415 - start-up

        return main
    from fsm_agent.interfaces.verbs import main  # noqa: PLC0415 - start-up

    return main


def _closed_stdout() -> int:
    """The reader has left (`head`): nothing more can be said there, and that is fine."""
    sys.stdout = None
    return 0
