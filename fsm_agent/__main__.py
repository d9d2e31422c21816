"""`python -m fsm_agent`; answers `--version` before any import."""

import os
import sys


def main() -> None:
    """Run the command line and end; the exit codes are in `docs/reference/cli.md`."""
    if sys.argv[1:] == ["--version"]:
        from fsm_agent.version import __version__  # noqa: PLC0415 - start-up

        print(f"fsm-agent {__version__}")  # noqa: T201 - the one word out before the interfaces
        sys.exit(0)
    try:
        from fsm_agent.interfaces.dispatch import dispatch  # noqa: PLC0415 - start-up

        code = dispatch(sys.argv[1:])
    except KeyboardInterrupt:  # so early that nothing has begun
        code = 130
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    os._exit(code)  # all is closed; taking the interpreter apart costs as much as an answer


if __name__ == "__main__":
    main()
