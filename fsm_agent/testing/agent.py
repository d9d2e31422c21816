"""The agent for a test: a prompt in a workspace, then what came of it."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from fsm_agent.audit import Options, Report, audit
from fsm_agent.events import derived as d
from fsm_agent.events import inputs as i
from fsm_agent.events.lines import Line
from fsm_agent.interfaces.assembly import tool_environment
from fsm_agent.interfaces.configuring import ENVIRONMENT
from fsm_agent.lifecycles.replay import verify
from fsm_agent.log.blobs import BlobStore
from fsm_agent.log.reading import EVENTS, read
from fsm_agent.providers.script import parse
from fsm_agent.providers.scripted import ScriptedProvider
from fsm_agent.testing.cassette import Cassette, CassettePerson, CassetteTools
from fsm_agent.testing.recording import Recording
from fsm_agent.testing.stage import Scene, Stage, say
from fsm_agent.tools.protocol import Tool, Workplace
from fsm_agent.tools.registry import builtin_tools


class Played(msgspec.Struct, frozen=True):
    """What came of a session.

    Attributes:
        code: The exit code that the program would have ended with.
        lines: The log.
        directory: Where the session lies.
    """

    code: int
    lines: Sequence[Line]
    directory: Path

    @property
    def answer(self) -> str:
        """The text of the last answer."""
        heard: dict[int, str] = {}
        answer = ""
        for line in self.lines:
            match line.event:
                case i.Text(text=text):
                    heard[line.seq] = text
                case d.Blocks(kept=kept):
                    answer = "".join(heard.get(seq, "") for seq in kept)
                case _:
                    pass
        return answer

    @property
    def calls(self) -> list[tuple[str, Mapping[str, Any]]]:
        """All calls of tools, by name and input, in order."""
        events = (line.event for line in self.lines)
        return [(event.name, event.input) for event in events if isinstance(event, i.ToolCall)]

    def verify(self) -> int:
        """Decide all of it again from its inputs; return how many batches there were.

        Raises:
            ReplayDiverged: If anything comes out otherwise.
        """
        return verify(read(self.directory / EVENTS), BlobStore(self.directory).text)

    def audit(self, *rules: Path) -> Report:
        """Judge the log by the built-in rules, and by those of these files."""
        return audit([self.directory], Options(rules=rules, derive=True))


class NotRecorded(AssertionError):
    """Something was asked for that the recorded session does not hold."""


class Agent:
    """The real session, loop, log and tools; only the model is played.

    Attributes:
        workspace: Where tools act: a folder of its own, to be filled before a run.
        tools: What acts when tools are real; add your own, or take some out.
        environment: What commands see.
    """

    def __init__(self, place: Path) -> None:
        """Keep all that belongs to it below `place`, an absolute, resolved path."""
        self.workspace = place / "workspace"
        self.workspace.mkdir(parents=True)
        self.tools: dict[str, Tool] = dict(builtin_tools())
        self.environment = tool_environment(ENVIRONMENT)
        self._homes = (place / f"home-{number}" for number in itertools.count(1))

    def play(self, script: str, *prompts: str, **settings: Any) -> Played:  # noqa: ANN401 - see below
        """Run a new session with a model that says this, then leave.

        Args:
            script: What the model says, as in a script's file.
            prompts: What the person says, each when the turn before has ended.
            settings: Fields of `Settings`; permission is `allow` if it is not given.
        """
        model = ScriptedProvider(parse(script), die=lambda: None)
        stage = Stage(next(self._homes), "", provider=model, scene=self._scene(), **settings)
        return _played(stage, [say(prompt) for prompt in prompts])

    def rerun(
        self,
        session: Path,
        *prompts: str,
        tools: Literal["real", "recorded"] = "real",
        in_order: bool = False,
        **settings: Any,  # noqa: ANN401 - fields of `Settings`
    ) -> Played:
        """Run a recorded session again, with its answers, prompt and settings.

        Its paths are read as if its directory had been this workspace. Interrupts and lines put
        into a running turn are not made again.

        Args:
            session: Its log or directory.
            prompts: What the person says; without any, what was said then.
            tools: Whether they act, or give the recorded results.
            in_order: Give the answers in their order, whatever is asked.
            settings: Fields of `Settings` that shall be other ones.

        Raises:
            NotRecorded: If something else is asked for than then; with the first difference.
            UsageError: If no request is in the log.
            LogError: If the log cannot be read, or is damaged.
        """
        recording = Recording(session, self.workspace)
        model, person = Cassette(recording, in_order=in_order), CassettePerson(recording)
        recorded = CassetteTools(recording)
        scene = Scene(
            recorded if tools == "recorded" else self.tools,
            self._scene().place,
            recording.world.tools,
            recording.sections,
            msgspec.structs.replace(recording.settings, retry_base_ms=1),
        )
        stage = Stage(next(self._homes), "", asker=person, provider=model, scene=scene, **settings)
        said = [say(prompt) for prompt in prompts] or [[line] for line in recording.said]
        played = _played(stage, said)
        if missed := [*recorded.missed, *person.missed, *model.missed]:
            raise NotRecorded("\n".join(missed))
        return played

    def _scene(self) -> Scene:
        return Scene(self.tools, Workplace(root=str(self.workspace), environment=self.environment))


def _played(stage: Stage, acts: Iterable[Sequence[i.Event]]) -> Played:
    code = asyncio.run(stage.play(*acts))
    return Played(code, stage.lines, stage.directory)
