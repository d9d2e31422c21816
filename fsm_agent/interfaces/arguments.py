"""The command line's grammar."""

from __future__ import annotations

import argparse

from fsm_agent.interfaces.amounts import price, tokens

DIGITS = 9
"""Digits that a number may have: enough for any line, token or second."""
VERBS = (
    "audit",
    "demo",
    "export",
    "fork",
    "log",
    "memory",
    "models",
    "replay",
    "schema",
    "sessions",
    "states",
)
"""First words that are not a prompt; `-p` or `--` before a prompt that begins with one."""

EPILOG = """\
verbs: audit, demo, export, fork, log, memory, models, replay, schema, sessions, states. `fsm-agent VERB --help` says more.
exit codes: 0 good; 1 the turn failed; 2 usage or configuration; 3 log damaged;
4 replay diverged; 5 only a torn tail; 6 unknown version;
7 our own fault; 8 a limit was reached; 9 an approval is needed that nobody can give;
10 audit or check found something;
11 the log cannot be written; 129, 130, 143 after HUP, INT, TERM."""


def parser() -> argparse.ArgumentParser:
    """The grammar of a run: options, then the prompt."""
    made = argparse.ArgumentParser(
        prog="fsm-agent",
        description="A coding agent for the terminal whose every move is in a log you can replay.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = made.add_argument
    add("prompt", nargs="*", metavar="PROMPT", help="what to do; @FILE brings a file in")
    add("-p", "--print", action="store_true", help="one shot: answer on stdout, then leave")
    add(
        "-c",
        "--continue",
        dest="go_on",
        action="store_true",
        help="take up the newest session that is no mere fork",
    )
    add("--resume", nargs="?", const="", metavar="ID", help="take up this session, or pick one")
    add(
        "--plan-only", action="store_true", help="change nothing; the draft of a plan is the answer"
    )
    add("--execute-plan", metavar="FILE", help="carry this plan out, and only this text")
    add("--plan-hash", metavar="SHA256", help="what the plan's file must have, as hex digits")
    add_model_options(made)
    add(
        "--output-format",
        choices=("text", "json", "stream-json"),
        default="text",
        help="stream-json prints the log's lines",
    )
    add("--keys", choices=("emacs", "vi"), help="whose keys edit the line (FSM_AGENT_KEYS)")
    add(
        "--plain",
        action="store_true",
        help="lines only, no drawing: for screen readers (FSM_AGENT_PLAIN=1)",
    )
    add("--include-deltas", action="store_true", help="with stream-json: pieces as they come")
    add("--version", action="store_true", help="print the version")
    return made


def add_model_options(made: argparse.ArgumentParser) -> None:
    """Options that say whom to ask, and within which limits."""
    add = made.add_argument
    add("-m", "--model", metavar="NAME", help="the model (FSM_AGENT_MODEL)")
    add("--protocol", choices=("openai", "anthropic", "scripted"), help="what the server speaks")
    add("--base-url", metavar="URL", help="where the server is")
    add("--api-key", metavar="KEY", help="better in the environment: OPENAI_API_KEY, …")
    add("--script", metavar="FILE", help="what the scripted model says")
    add("--effort", metavar="LEVEL", help="how hard the model thinks: off, low, medium, high, …")
    add("--language", metavar="LOCALE", help="what it writes in: en, de_DE, … (FSM_AGENT_LANGUAGE)")
    add("--max-tokens", type=positive, metavar="N", help="longest answer, in tokens")
    add("--context-window", type=tokens, metavar="N", help="longest prompt, in tokens: 200k")
    add(
        "--price",
        type=price,
        metavar="IN,OUT[,READ[,WRITE]]",
        help="dollars per million tokens; else as `fsm-agent models` has it",
    )
    add(
        "--compact",
        choices=("auto", "off"),
        help="whether old messages give way to a summary where that pays (scripted model: off)",
    )
    add("--max-turns", type=positive, metavar="N", help="requests a turn may take")
    add("--max-retries", type=natural, metavar="N", help="tries after a failed request")
    add("--tool-timeout", type=positive, metavar="S", help="seconds a command may run")
    add(
        "--permission",
        "--mode",
        choices=("ask", "edits", "allow", "read", "plan"),
        help="what runs unasked (at a terminal: ask; without one: allow)",
    )
    add("--auto-approve", action="store_true", help="the same as --permission allow")


def positive(text: str) -> int:
    """A whole number from 1."""
    if (number := natural(text)) == 0:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return number


def natural(text: str) -> int:
    """A whole number from 0, of at most `DIGITS` digits."""
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number")
    if len(text) > DIGITS:
        raise argparse.ArgumentTypeError(f"a number of {len(text)} digits is too large")
    return int(text)
