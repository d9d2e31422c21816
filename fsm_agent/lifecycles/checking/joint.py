"""The states of all instances together, and the few facts beside them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec

from fsm_agent.machine import Answers, Row, Table

SPEAKS = frozenset({"user_input", "continue", "plan_command", "compact_command"})
"""After one of these something may begin again."""
ANSWERS = frozenset({"user_input", "plan_command"})
"""A person's words: an answer to the draft as it is then."""
DRAFTS = ("blank", "written")
"""What a draft's text can become."""
MOVED = "moved"
"""The draft while it is confirmed: another text than the one that the person said yes to."""


class Move(msgspec.Struct, frozen=True):
    """One row taken. `by` is the instance that sent the trigger, if another did."""

    instance: str
    trigger: str
    by: str | None
    source: str
    target: str
    does: str | None
    """What begins."""
    enters: bool
    row: Row
    answers: Answers
    spends: frozenset[tuple[str, str, str]]
    """The bounded answers that the row was taken for: instance, question, answer."""
    id: tuple[str, str]
    """Machine and row: the row's name among those of all machines."""


class Joint(msgspec.Struct):
    """What `World` is to a log, cut down to what decides which rows are taken."""

    at: dict[str, str]
    asker: dict[str, str] = {}
    spent: frozenset[tuple[str, str, str]] = frozenset()
    """The bounded answers that were given."""
    answered: frozenset[str] = frozenset()
    """The calls that have their result."""
    ended: str = "no"
    lines: int = 0
    news: bool = False
    due: bool = False
    """The model is owed results, or wants to be asked again."""
    unfinished: bool = False
    leaving: bool = False
    halted: bool = False
    """Nothing may begin before a person speaks."""
    overflowed: bool = False
    """The server has just said that the context is too long, and a cut will help."""
    draft: str = DRAFTS[0]
    said: bool = False
    """A person has spoken after the draft last changed (while there is one)."""
    planned: bool = False
    """A confirmed plan is in force."""
    flaw: tuple[str, str] | None = None
    """The first property that was broken, and how."""

    def fork(self) -> Joint:
        """A copy that is moved on its own."""
        return msgspec.structs.replace(self, at=self.at.copy(), asker=self.asker.copy())

    @property
    def tools(self) -> list[str]:
        """The calls of the turn, in their order."""
        return [name for name in self.at if name[:5] == "tool-"] if "turn" in self.at else []

    def breaks(self, rule: str, how: str) -> None:
        """Keep the first property that is broken."""
        self.flaw = self.flaw or (rule, how)

    def hear(self, on: str, *, idle: bool) -> None:
        """Take an input in, as the fold does before any row."""
        self.lines += on == "user_input"
        self.news |= on == "notice"
        self.said |= on in ANSWERS and self.draft != DRAFTS[0]
        self.leaving = on == "leave" or (self.leaving and on not in ("session_resume", "crashed"))
        if idle:
            self.halted &= on not in SPEAKS
        else:
            self.halted |= on in ("interrupt", "leave", "crashed")

    def drafts(self) -> list[Joint]:
        """What can be after somebody has written the draft."""
        texts = (*DRAFTS, MOVED) if self.at["plan"] == "confirming" else DRAFTS
        return [msgspec.structs.replace(self.fork(), draft=text, said=False) for text in texts]

    def take(self, move: Move, tables: Mapping[str, Table], calls: Mapping[str, str]) -> None:
        """Take a row in, as the fold does; keep what must never be as `flaw`."""
        name, row, table = move.instance, move.row, tables[move.id[0]]
        state = table.states[move.target]
        self.at[name] = move.target
        self.spent |= move.spends
        if move.by and move.trigger in ("asked", "CONFIRM", "CANCEL", "CLEAR"):
            self.asker[name] = move.by
        elif move.by in self.asker and move.trigger in ("settled", "dropped"):
            del self.asker[move.by]
        if name == "turn":
            self._turn(move, final=state.final)
        elif name == "plan":
            self._plan(move)
        if row.emits:
            self._emit(move, calls)
        if name in calls and state.final and name not in self.answered:
            self.breaks("answered", f"{name} ends without a result")
        if move.does:
            self._begin(move.does, move)
        if self.spent and (state.final or move.target == table.initial):
            self.spent = frozenset(given for given in self.spent if given[0] != name)

    def _emit(self, move: Move, calls: Mapping[str, str]) -> None:
        for kind in move.row.emits:
            if kind == "blocks" and ("answer", "tools") in move.answers:
                self.at |= calls
            elif emit := _EMITS.get(kind):
                emit(self, move.instance)

    def _turn(self, move: Move, *, final: bool) -> None:
        source, target = move.source, move.target
        if source == "ready":
            self.unfinished, self.ended = False, "no"
        self.overflowed = ("help", "cutting") in move.answers
        cut_short = self.ended == "no" and move.trigger in ("interrupt", "dropped")
        if cut_short or move.trigger == "crashed":
            self.ended = "interrupted"
        if source == "tool_exec" != target:
            for name in self.tools:
                if self.at.pop(name) and name not in self.answered:
                    self.breaks("answered", f"the turn goes on, and {name} has no result")
            self.answered, self.due = frozenset(), True
        elif target == "compact":
            self.due = False
        self.due |= ("answer", "paused") in move.answers
        if (target == "drain" and source != "persist") or (final and source != "drain"):
            self.breaks("closing", f"the turn goes from '{source}' to '{target}'")
        if final:
            del self.at["turn"]
            self.ended, self.due, self.unfinished = "no", False, target != "answered"
            self.halted |= self.unfinished

    def _plan(self, move: Move) -> None:
        source, settled = move.source, move.trigger == "settled"
        if settled:
            self.planned = source == "confirming"
        locked = settled and source == "confirming" and self.draft != MOVED
        if locked or (move.trigger == "CANCEL" and move.target != source):
            self.draft = DRAFTS[0]
        elif source == "confirming" != move.target and self.draft == MOVED:
            self.draft = DRAFTS[1]
        self.said &= self.draft != DRAFTS[0]

    def _begin(self, does: str, move: Move) -> None:
        if self.halted and not does.startswith("stop_"):
            self.breaks("still", f"'{does}' begins, and nobody has spoken")
        if does == "send_request" and self.tools:
            self.breaks("answered", "the model is asked while its calls are open")
        if does == "run_tool" and "allow" not in dict(move.answers).values():
            self.breaks("judged", f"{move.instance} runs, and nothing has allowed it now")


def _error(joint: Joint, name: str) -> None:
    joint.ended = "failed" if name == "turn" else joint.ended


def _lines_returned(joint: Joint, _: str) -> None:
    joint.lines = 0


def _notices(joint: Joint, _: str) -> None:
    joint.news = False


def _tool_result(joint: Joint, name: str) -> None:
    if name in joint.answered:
        joint.breaks("answered", f"{name} has two results")
    joint.answered |= {name}


def _user_line(joint: Joint, name: str) -> None:
    if not joint.lines:
        joint.breaks("matched", f"{name} takes a line, and none waits")
    joint.lines -= 1


_EMITS: dict[str, Callable[[Joint, str], None]] = {
    "error": _error,
    "lines_returned": _lines_returned,
    "notices": _notices,
    "tool_result": _tool_result,
    "user_line": _user_line,
}
"""What the fold makes of the lines that rows emit; `blocks` is above."""
