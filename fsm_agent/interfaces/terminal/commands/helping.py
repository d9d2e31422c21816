"""`/help`: what can be typed here, and what there is to know of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from rich.text import Text

from fsm_agent.interfaces.painting.escaping import escape_line
from fsm_agent.interfaces.terminal.commands.command import Command

KEYS = """\
  Enter hands the line in; while a turn runs, it waits for the turn's end
  Alt-Enter, or Esc Enter, starts a new line; Tab completes /commands and @files
  Ctrl-V puts the picture on the clipboard into the line; one that is dragged there, too
  Ctrl-T shows the last result in full; Ctrl-Z stops the program until the shell's `fg`
  Ctrl-O puts the line into the running turn; ↑ takes the last waiting line back
  Ctrl-R searches what was typed in this project; Ctrl-G opens $VISUAL or $EDITOR
  !command is a shell line of your own, unasked; !!command tells the model what came of it
  Esc or Ctrl-C stops what runs; Ctrl-C twice leaves, and so does Ctrl-D
  With --plain only Ctrl-C, Ctrl-D and Ctrl-Z do; a backslash at its end goes on with the line"""
"""What `/help keys` says."""
HINT = "/help NAME says more of one, /help keys what the keys do; Esc stops what runs"
SHOWN = 12
"""Words that a command takes, as far as its help lists them."""


def listed(groups: Mapping[str, Iterable[Command]], own: Mapping[str, str]) -> Iterator[Text]:
    """All commands by kind, a line each; `own` are the person's own and the project's."""
    for title, commands in groups.items():
        yield Text(title, "person")
        yield from (_row(command.name, command.what) for command in commands)
    if own:
        yield Text("Prompt files", "person")
        yield from (_row(name, what) for name, what in own.items())
    yield Text(HINT, "quiet")


def explained(command: Command, words: Iterable[tuple[str, str]]) -> Iterator[Text]:
    """One command: how it is written, what it does, when, what it takes, an example."""
    yield Text(f"  /{command.name} {command.takes}".rstrip(), "person")
    yield Text(f"  {command.what}")
    if command.more:
        yield Text(f"  {command.more}")
    offered = list(islice(words, SHOWN + 1))
    for word, meaning in offered[:SHOWN]:
        yield Text(f"    {escape_line(word):14} {escape_line(meaning)}".rstrip())
    if len(offered) > SHOWN:
        yield Text("    … Tab offers more", "quiet")
    yield Text(f"  {when(command)}", "quiet")
    if command.example:
        yield Text(f"  example: {command.example}", "quiet")


def when(command: Command) -> str:
    """Whether the command waits for the end of a running turn, in a sentence."""
    if command.waits is True:
        return "While a turn runs, it waits for the turn's end."
    if command.waits is False:
        return "It acts at once, also while a turn runs."
    words = ", ".join(sorted(command.waits))
    return f"It acts at once; with {words} it waits for the turn's end."


def _row(name: str, what: str) -> Text:
    return Text(f"  /{escape_line(name):12} {escape_line(what)}")
