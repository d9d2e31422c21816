"""Plays with plans: the model writes a draft, and it is found there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from fsm_agent.events import derived as d
from fsm_agent.events import inputs as i
from fsm_agent.events.lines import Line
from fsm_agent.events.values import Failure
from fsm_agent.providers.protocol import Stream
from fsm_agent.providers.script import parse
from fsm_agent.providers.scripted import ScriptedProvider
from fsm_agent.testing.stage import CWD, Cue, Scene, Stage
from fsm_agent.tools.planning import planning_specs
from fsm_agent.tools.protocol import Workplace

DRAFT = "/session/plan.draft"
"""The draft's name in the log; on a stage there is no such file."""


class Model(ScriptedProvider):
    """A scripted model that remembers what it was asked: `bodies`, oldest first."""

    def __init__(self, steps: Sequence[str]) -> None:
        script = [step if step.startswith("---") else f"---\n{step}" for step in steps]
        super().__init__(parse("\n".join(script)), die=lambda: None)
        self.bodies: list[bytes] = []

    async def open(self, body: bytes) -> Stream | Failure:
        """Remember the request, then answer it."""
        self.bodies.append(body)
        return await super().open(body)

    @property
    def prompts(self) -> list[str]:
        """The system prompt of each request."""
        return [messages(body)[0]["content"] for body in self.bodies]


class Drafts:
    """What the model writes into the draft is found there before its call ends."""

    def __init__(self) -> None:
        self._text: str | None = None

    def __call__(self, line: Line) -> Iterator[Sequence[i.Event]]:
        """See `React`."""
        match line.event:
            case i.ToolCall(name="Edit", input={"path": path, "text": text}) if path == DRAFT:
                self._text = text
            case d.RunTool(name="Edit") if self._text is not None:
                yield draft(self._text, "tool")
                self._text = None


def draft(text: str, by: Literal["person", "tool"] = "person") -> list[i.Event]:
    """The draft is found changed."""
    return [i.Seen(what="draft", path=DRAFT, text=text, by=by)]


def writes(text: str) -> str:
    """The model's step that writes this into the draft."""
    return f"call: Edit {msgspec.json.encode({'path': DRAFT, 'text': text}).decode()}"


def staged(home: Path, *steps: str, **settings: Any) -> tuple[Stage, Model]:  # noqa: ANN401 - fields of `Settings`
    """A stage with plans, and its model."""
    tools, model = {name: Cue(name) for name in ("Read", "Edit", "Bash")}, Model(steps)
    specs = (*(tool.spec for tool in tools.values()), *planning_specs())
    scene = Scene(tools, Workplace(root=CWD, environment={}), specs)
    return Stage(home, "", provider=model, scene=scene, draft=DRAFT, **settings), model


def messages(body: bytes) -> list[dict[str, Any]]:
    """What a request says, its system prompt first."""
    said: list[dict[str, Any]] = msgspec.json.decode(body)["messages"]
    return said


def moves(stage: Stage) -> list[str]:
    """Where the plan went: trigger and state."""
    events = [line.event for line in stage.lines]
    taken = [e for e in events if isinstance(e, d.Transition) and e.instance == "plan"]
    return [f"{move.trigger} {move.target}" for move in taken]
