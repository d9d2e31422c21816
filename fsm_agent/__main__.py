"""`python -m fsm_agent`; answers `--version` before any import."""

import sys


def main() -> int:
    """Run the command line; the exit codes are in `docs/reference/cli.md`."""
    if sys.argv[1:] == ["--version"]:
        from fsm_agent.version import __version__  # noqa: PLC0415 - start-up

        print(f"fsm-agent {__version__}")  # noqa: T201 - the one word out before the interfaces
        return 0
    from fsm_agent.interfaces.dispatch import dispatch  # noqa: PLC0415 - start-up

    return dispatch(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
