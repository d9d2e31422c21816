"""The debugger's commands, from a prompt or from stdin."""

from __future__ import annotations

import sys
from argparse import ArgumentTypeError
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache

from fsm_agent.errors import FsmAgentError, UsageError
from fsm_agent.events.derived import SendRequest, Summarise
from fsm_agent.interfaces.arguments import natural
from fsm_agent.interfaces.debugging import printing
from fsm_agent.interfaces.debugging.breaking import KINDS, Break, breakpoint_of
from fsm_agent.interfaces.debugging.comparing import differences
from fsm_agent.interfaces.debugging.stepping import Stepper
from fsm_agent.interfaces.debugging.telling import causes, told
from fsm_agent.interfaces.logs import Proved
from fsm_agent.interfaces.outlets import aside
from fsm_agent.interfaces.painting.escaping import escape, escape_line
from fsm_agent.lifecycles.world import World
from fsm_agent.log.blobs import BlobStore

HELP = f"""\
  n [COUNT], b [COUNT]  the next line, the line before
  N, B                  the end of the next batch, of the batch before
  g SEQ                 behind this line
  c                     on to the next breakpoint, else to the end
  break KIND …          stop there:
{chr(10).join(f"    {kind:8}{what}" for kind, what in KINDS.items())}
  breaks, delete N      all breakpoints; forget one
  p WHAT                print conversation, plan, economy, stats, states, prompt, body, line
  why SEQ               the lines that led to this one, nearest first
  diff SEQ SEQ          what changed between two lines
  h, q                  this help; leave"""

NEAREST = 24
"""Lines of a chain of causes that are printed, and the first of all."""


def debug(log: Proved) -> int:
    """Step through what is proved of a log, as commands say; 0, or 5 if there is nothing yet.

    Raises:
        DamagedLog: If nothing of it is proved.
        UsageError: If it is no log of this program.
    """
    blobs = BlobStore(log.path.parent)
    debugger = Debugger(Stepper(log, lru_cache(64)(blobs.text)))
    code = 0
    try:
        code = log.verdict()
    except FsmAgentError as error:
        if not debugger.stepper.lines:
            raise
        aside(f"fsm-agent: {error}")
    if not debugger.stepper.lines:
        return code
    print(f"{log.path}: {len(debugger.stepper.lines)} lines; h for help")
    for command in _commands():
        if not debugger.obey(command):
            break
    return 0


def _commands() -> Iterator[str]:
    if sys.stdin.isatty() and sys.stdout.isatty():
        from fsm_agent.interfaces.debugging.prompting import prompted  # noqa: PLC0415 - start-up

        return prompted(tuple(_DO), tuple(_PRINT), tuple(KINDS))
    return (raw.decode(errors="replace") for raw in sys.stdin.buffer)


class Debugger:
    """Obeys commands; what they say goes to stdout, escaped."""

    def __init__(self, stepper: Stepper) -> None:
        self.stepper = stepper
        self._breaks: dict[int, Break] = {}
        self._numbered = 0

    def obey(self, command: str) -> bool:
        """Do what the command says, or say why not; False if it ends the session."""
        name, _, rest = command.strip().partition(" ")
        if name in ("q", "quit"):
            return False
        do = _DO.get(name)
        try:
            if do is not None:
                do(self, rest.strip())
            elif name and not name.startswith("#"):
                print(f"there is no command '{escape_line(name)}'; h lists them")
        except FsmAgentError as error:
            print(escape(str(error)))
        return True

    # -- moving ----------------------------------------------------------------------------------

    def next(self, count: str) -> None:
        """Go a line on, or so many."""
        self.stepper.move(_number(count or "1"))
        self.line()

    def back(self, count: str) -> None:
        """Go a line back, or so many."""
        self.stepper.move(-_number(count or "1"))
        self.line()

    def next_batch(self, _: str) -> None:
        """Go to the end of the next batch."""
        self.stepper.next_batch()
        self.line()

    def previous_batch(self, _: str) -> None:
        """Go to the end of the batch before."""
        self.stepper.previous_batch()
        self.line()

    def go(self, seq: str) -> None:
        """Go behind a line."""
        self.stepper.go(_number(seq))
        self.line()

    def run(self, _: str) -> None:
        """Go on to a breakpoint."""
        stepper = self.stepper
        for seq in range(stepper.taken, len(stepper.lines)):
            line, raw = stepper.lines[seq], stepper.raws[seq]
            for number, one in self._breaks.items():
                if one.stops(line, raw):
                    stepper.go(seq)
                    print(escape_line(f"breakpoint {number}: {one.words}"))
                    self.line()
                    return
        stepper.go(len(stepper.lines) - 1)
        print("the end of the log")
        self.line()

    def line(self) -> None:
        """Say behind which line this stands."""
        stepper = self.stepper
        print(told(stepper.raws[stepper.at]) if stepper.taken else "before the first line")
        if fault := stepper.faults.get(stepper.at):
            print(f"      not taken in: {escape_line(fault)}")

    # -- breakpoints -----------------------------------------------------------------------------

    def add_break(self, words: str) -> None:
        """Add a breakpoint."""
        one = breakpoint_of(words)
        self._numbered += 1
        self._breaks[self._numbered] = one
        print(escape_line(f"breakpoint {self._numbered}: {one.words}"))

    def list_breaks(self, _: str) -> None:
        """List the breakpoints."""
        for number, one in self._breaks.items():
            print(escape_line(f"{number}: {one.words}"))
        if not self._breaks:
            print("there are no breakpoints")

    def delete_break(self, number: str) -> None:
        """Forget a breakpoint."""
        if self._breaks.pop(_number(number), None) is None:
            raise UsageError(f"there is no breakpoint {number}")

    # -- looking ---------------------------------------------------------------------------------

    def print(self, what: str) -> None:
        """Print a part of the world, or the line."""
        if what not in _PRINT:
            raise UsageError(f"p prints one of: {', '.join(_PRINT)}")
        print(_PRINT[what](self))

    def why(self, seq: str) -> None:
        """Say which lines led to this one."""
        at = _number(seq) if seq else self.stepper.at
        if not 0 <= at < len(self.stepper.lines):
            raise UsageError(f"there is no line {at}")
        chain = causes(self.stepper.lines, at)
        for cause in chain[:NEAREST]:
            print(told(self.stepper.raws[cause]))
        if len(chain) > NEAREST:
            print(f"      … {len(chain) - NEAREST - 1} more, back to")
            print(told(self.stepper.raws[chain[-1]]))

    def diff(self, seqs: str) -> None:
        """Say what changed between two lines."""
        both = seqs.split()
        if len(both) != 2:  # noqa: PLR2004 - two, as the name says
            raise UsageError("diff takes two seqs")
        first, second = (self.stepper.world_at(_number(seq)) for seq in both)
        print("\n".join(differences(first, second)) or "nothing differs")

    def help(self, _: str) -> None:
        """Say what can be said."""
        print(HELP)

    def world(self) -> World:
        """What the lines so far say."""
        return self.stepper.world

    def raw(self) -> str:
        """The line as it is in the log."""
        stepper = self.stepper
        return escape(stepper.raws[stepper.at].decode()) if stepper.taken else "no line yet"

    def body(self) -> str:
        """The request that could be sent here, and which of the log's it is."""
        text = printing.body(self.world())
        digest = text.split()[1].rstrip(",")
        for line in reversed(self.stepper.lines[: self.stepper.taken]):
            if isinstance(line.event, SendRequest | Summarise) and line.event.digest == digest:
                return f"as sent in line {line.seq}: {text}"
        return f"not sent: {text}"


def _number(text: str) -> int:
    try:
        return natural(text)
    except ArgumentTypeError as error:
        raise UsageError(str(error)) from None


_DO: Mapping[str, Callable[[Debugger, str], None]] = {
    "n": Debugger.next,
    "b": Debugger.back,
    "N": Debugger.next_batch,
    "B": Debugger.previous_batch,
    "g": Debugger.go,
    "c": Debugger.run,
    "break": Debugger.add_break,
    "breaks": Debugger.list_breaks,
    "delete": Debugger.delete_break,
    "p": Debugger.print,
    "why": Debugger.why,
    "diff": Debugger.diff,
    "h": Debugger.help,
}
_PRINT: Mapping[str, Callable[[Debugger], str]] = {
    "conversation": lambda debugger: printing.conversation(debugger.world()),
    "plan": lambda debugger: printing.plan(debugger.world()),
    "economy": lambda debugger: printing.economy(debugger.world()),
    "stats": lambda debugger: printing.figures(debugger.world()),
    "states": lambda debugger: printing.states(debugger.world()),
    "prompt": lambda debugger: printing.prompt(debugger.world()),
    "body": Debugger.body,
    "line": Debugger.raw,
}
