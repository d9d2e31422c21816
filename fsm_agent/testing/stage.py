"""A real session with a scripted model and tools that wait for their cue.

Everything but the model and the tools is what a user gets: loop, tables, log on disk. Time and
names are the stage's own, so the same play always writes the same lines.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from fsm_agent.events import inputs as i
from fsm_agent.events.lines import FORMAT, Line
from fsm_agent.events.outcome import ToolOutcome
from fsm_agent.events.values import Section, ToolSpec
from fsm_agent.lifecycles.step import SEMANTICS, step
from fsm_agent.lifecycles.world import World
from fsm_agent.providers.protocol import Provider
from fsm_agent.providers.script import parse
from fsm_agent.providers.scripted import Progress, ScriptedProvider
from fsm_agent.runtime.clock import iso
from fsm_agent.runtime.hands import Asker, Hands
from fsm_agent.runtime.loop import Loop
from fsm_agent.runtime.session import Session
from fsm_agent.tools.protocol import Tool, Workplace

React = Callable[[Line], Iterable[Sequence[i.Event]] | None]
"""What happens on stage when a line is written: the inputs it leads to."""
CWD = "/project"
"""The workspace's name in the log."""


class StageClock:
    """A clock that moves one millisecond each time it is asked."""

    def __init__(self, start: float = 1_764_493_964.0) -> None:
        self._ms = int(start * 1000)

    def unix(self) -> float:
        """The next millisecond."""
        self._ms += 1
        return self._ms / 1000

    def session_id(self) -> str:
        """Always the same."""
        return "20251130-091244-0000"


class Cue:
    """A tool that ends when it is told to, or at once when its input has `now`."""

    def __init__(self, name: str) -> None:
        parameters = {"type": "object", "properties": {}}
        self.spec = ToolSpec(name, f"The {name} of the stage.", parameters)
        self.effects: list[Mapping[str, Any]] = []
        self._cues: dict[str, asyncio.Future[ToolOutcome]] = {}

    async def start(self, arguments: Mapping[str, Any], _: Workplace) -> _Playing:
        """Take effect, then wait for the cue that the input names, if it does."""
        self.effects.append(arguments)
        future = self._cue(arguments.get("cue", f"at once {len(self.effects)}"))
        if "cue" not in arguments:
            ok = bool(arguments.get("ok", True))
            future.set_result(ToolOutcome(str(arguments.get("output", "done")), ok))
        return _Playing(future)

    def end(self, cue: str, output: str = "done", *, ok: bool = True) -> None:
        """Give the cue, maybe before the tool waits for it."""
        future = self._cue(cue)
        if not future.done():
            future.set_result(ToolOutcome(output, ok))

    def _cue(self, name: str) -> asyncio.Future[ToolOutcome]:
        if name not in self._cues:
            self._cues[name] = asyncio.get_running_loop().create_future()
        return self._cues[name]


class _Playing:
    def __init__(self, future: asyncio.Future[ToolOutcome]) -> None:
        self._future = future

    async def wait(self) -> ToolOutcome:
        return await asyncio.shield(self._future)

    async def stop(self) -> ToolOutcome:
        stopped = ToolOutcome("half of it", ok=False)
        if not self._future.done():
            self._future.set_result(stopped)
        return stopped


class Scene(msgspec.Struct, frozen=True):
    """What a play begins with, where it is not the stage's own.

    Attributes:
        tools: Those that act, by name.
        place: Where they act.
        specs: What the model is told of them; without it, what they say themselves.
        sections: The system prompt.
        settings: What shapes requests and decisions.
    """

    tools: Mapping[str, Tool]
    place: Workplace
    specs: tuple[ToolSpec, ...] | None = None
    sections: tuple[Section, ...] = (Section("rules", "Play your part."),)
    settings: i.Settings = i.Settings(
        protocol="scripted", model="script", retry_base_ms=2, permission="allow"
    )


class Stage:
    """One play: a session, its lines so far, and how to go on with it after a crash."""

    def __init__(
        self,
        home: Path,
        script: str,
        *,
        asker: Asker | None = None,
        provider: Provider | None = None,
        scene: Scene | None = None,
        **settings: Any,  # noqa: ANN401 - fields of `Settings`
    ) -> None:
        self.home, self.lines = home, list[Line]()
        self.tools = {name: Cue(name) for name in ("Read", "Edit", "Bash")}
        self.clock = StageClock()
        self._provider = provider or ScriptedProvider(parse(script), die=lambda: None)
        self._asker = asker
        self._scene = scene or Scene(self.tools, Workplace(root=CWD, environment={}))
        self._settings = msgspec.structs.replace(self._scene.settings, **settings)

    @property
    def log(self) -> str:
        """The whole log's text."""
        return (self.directory / "events.jsonl").read_text()

    @property
    def directory(self) -> Path:
        """Where the session lies."""
        return next((self.home / "projects").glob("*/*"))

    async def play(self, *acts: Sequence[i.Event], react: React | None = None) -> int:
        """Begin, hand the acts in as the session comes to rest, leave; return the exit code."""
        session = Session.create(self.home, Path(self._scene.place.root), self.clock)
        return await self._play(session, [self._opening(session)], acts, react)

    async def resume(self, *acts: Sequence[i.Event], react: React | None = None) -> int:
        """Take the session up again and go on."""
        session = Session.resume(self.directory, self.clock)
        resumed = i.SessionResume(program="stage", semantics=SEMANTICS, tables={})
        crashed = [[i.Crashed()]] if session.world.open or session.world.live else []
        return await self._play(session, [[resumed], *crashed], acts, react)

    async def _play(
        self,
        session: Session,
        opening: Sequence[Sequence[i.Event]],
        acts: Sequence[Sequence[i.Event]],
        react: React | None,
    ) -> int:
        queue = list(acts)

        def show(lines: Sequence[Line], _: bytes) -> None:
            self.lines += lines
            for line in lines if react else ():
                for group in (react and react(line)) or ():
                    loop.give(group)
            if session.world.at.get("session", "idle") == "idle":
                loop.give(queue.pop(0) if queue else [i.Leave(reason="done")])

        if isinstance(self._provider, ScriptedProvider):
            self._provider.progress = progress_of(session.world)
        loop = Loop(session, show)
        hands = Hands(
            session.world,
            loop.give,
            provider=self._provider,
            tools=self._scene.tools,
            place=self._scene.place,
            blobs=session.blobs,
            now=self.clock.unix,
            asker=self._asker,
        )
        loop.begin(self._opened(session, opening))
        try:
            return await loop.run(hands)
        finally:
            session.close()

    def _opened(
        self, session: Session, opening: Sequence[Sequence[i.Event]]
    ) -> Iterator[tuple[Sequence[Line], bytes]]:
        """The opening's batches: before the loop, which ends where a session is closed."""
        for group in opening:
            done = step(session.world, group, iso(self.clock.unix()))
            yield done.lines, session.append(done)

    def _opening(self, session: Session) -> list[i.Event]:
        scene, keep = self._scene, session.blobs.text_or_blob
        specs = scene.specs or [tool.spec for tool in scene.tools.values()]
        sections = tuple(
            Section(s.tag, keep(session.world.text(s.text)), s.name) for s in scene.sections
        )
        return [
            i.SessionStart(
                v=FORMAT,
                session=session.name,
                program="stage",
                semantics=SEMANTICS,
                tables={},
                cwd=scene.place.root,
            ),
            self._settings,
            i.Tools(specs=keep(msgspec.json.encode(specs).decode())),
            i.PromptRead(sections=sections),
        ]


def progress_of(world: World) -> Callable[[], Progress]:
    """Where a scripted model is in this world."""
    return lambda: Progress(world.answers, world.cutting.cuts)


def say(text: str) -> list[i.Event]:
    """The person says this."""
    return [i.UserInput(text=text)]
