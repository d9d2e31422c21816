"""A session on disk: its directory, lock, log, blobs and world."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import msgspec

from fsm_agent.context.prompt import Surroundings, sections
from fsm_agent.errors import UnknownVersion
from fsm_agent.events import inputs as i
from fsm_agent.events.derived import LogDamage
from fsm_agent.events.lines import FORMAT, Line
from fsm_agent.events.values import Section, ToolSpec
from fsm_agent.lifecycles.declared import table_files, tables
from fsm_agent.lifecycles.fold import apply
from fsm_agent.lifecycles.projections import closes, conversation, stats
from fsm_agent.lifecycles.prompts import lasting, needless
from fsm_agent.lifecycles.replay import fold
from fsm_agent.lifecycles.step import SEMANTICS, Step, step
from fsm_agent.lifecycles.world import World, digest
from fsm_agent.log.blobs import BlobStore
from fsm_agent.log.lock import SessionLock
from fsm_agent.log.projections import Projections
from fsm_agent.log.reading import read
from fsm_agent.log.salvage import Salvage
from fsm_agent.log.writing import LogWriter
from fsm_agent.runtime.clock import Clock, iso
from fsm_agent.runtime.images import Images
from fsm_agent.runtime.naming import readable
from fsm_agent.runtime.places import DRAFT, LOG, project_home
from fsm_agent.runtime.planning import PlanFiles
from fsm_agent.runtime.salvage import Legacy, salvaged
from fsm_agent.version import __version__

Batch = tuple[Sequence[Line], bytes]
"""Lines, and their bytes in the log."""


class Session:
    """One log and what it says so far. Made by `create` or `resume`; close it in the end.

    Attributes:
        unknown: How many lines there were of each type that this program does not know.
    """

    def __init__(self, writer: LogWriter, world: World, blobs: BlobStore, clock: Clock) -> None:
        self.directory = writer.path.parent
        self.world, self.blobs, self.clock = world, blobs, clock
        self._writer = writer
        self._files = Projections(self.directory)
        self._spoken, self._epoch = len(world.messages), world.epoch
        self.plans: PlanFiles | None = None
        self._inherited: list[i.Event] = []
        self._draft = ""
        self.unknown: Mapping[str, int] = {}

    @classmethod
    def create(cls, home: Path, cwd: Path, clock: Clock) -> Session:
        """A new session for the project at `cwd`, locked, with nothing in its log yet.

        Raises:
            LogNotWritable: If the directory or the log cannot be made.
        """
        writer = LogWriter.create(project_home(home, cwd) / clock.session_id())
        blobs = BlobStore(writer.path.parent)
        session = cls(writer, World(lru_cache(64)(blobs.text)), blobs, clock)
        session.world.cwd = readable(str(cwd))
        return session

    @classmethod
    def resume(cls, directory: Path, clock: Clock) -> Session:
        """Take a session up: read, fold, set a torn tail aside, go on behind the last seal.

        Raises:
            SessionInUse: If another process holds it.
            DamagedLog: If the log is damaged before its tail.
            UnknownVersion: If this program has not the states that the log rests in.
        """
        lock = SessionLock(directory)
        try:
            log, blobs = read(directory / LOG), BlobStore(directory)
            world = fold(log, lru_cache(64)(blobs.text))
            _check_states(world)
            writer = LogWriter.resume(lock, log)
        except BaseException:
            lock.close()
            raise
        session = cls(writer, world, blobs, clock)
        session.unknown = log.unknown
        return session

    @classmethod
    def fork_damaged(cls, source: Path, home: Path, cwd: Path, clock: Clock) -> Session:
        """A new session that goes on from every batch of a damaged log that proves out.

        It belongs to the directory of the old one, if that is known and there. The damaged log is
        not touched.
        """
        salvage = Salvage(source / LOG)
        lines = [line for batch in salvage for line in batch.lines]
        left = salvaged(lines, BlobStore(source).text)
        starts = (line.event for line in lines if isinstance(line.event, i.SessionStart))
        began = next((Path(start.cwd) for start in starts if Path(start.cwd).is_dir()), cwd)
        session = cls.create(home, began, clock)
        session.inherit(i.SessionFork(source=source.name, reason="damage", messages=""), left)
        Images(session.directory).take_over(source)
        session._inherited += [  # noqa: SLF001 - its maker
            LogDamage(at=g.offset, bytes=g.bytes, why=g.why) for g in salvage.gaps
        ]
        return session

    def inherit(self, fork: i.SessionFork, left: Legacy) -> None:
        """Begin with this conversation: a new session's log says where it comes from.

        The draft is found in its file, as if somebody had written it there.
        """
        keep = self.blobs.text_or_blob
        messages = keep(msgspec.json.encode(left.messages).decode())
        plan, summary = keep(left.plan), keep(left.summary)
        self._inherited = [
            msgspec.structs.replace(fork, messages=messages, plan=plan, summary=summary)
        ]
        self._draft = left.draft

    @property
    def unfinished(self) -> bool:
        """Whether there is a turn to go on with; after damage that cannot be known."""
        return bool(self.world.live or self.world.unfinished or self._inherited)

    @property
    def name(self) -> str:
        """The session's id."""
        return self.directory.name

    def begin(
        self, settings: i.Settings, tools: Sequence[ToolSpec], around: Surroundings
    ) -> Iterator[Batch]:
        """Hand in what shapes the first request: all of it, or on resume what differs."""
        now = iso(self.clock.unix())
        home = BlobStore(self.directory.parents[2])
        mine = self.blobs.share(table_files(), home)
        if not self.world.seq:
            start = i.SessionStart(
                v=FORMAT,
                session=self.name,
                program=__version__,
                semantics=SEMANTICS,
                tables=mine,
                cwd=around.cwd,
            )
            yield self._take([start, *self._shape(settings, tools, around)], now)
            yield from self._damage(now)
            for event in self._inherited:
                fork = isinstance(event, i.SessionFork)
                yield self._take([event], now) if fork else self._note(event, now)
            parts = lasting(self.world, self.world.sections)
            if parts != self.world.sections:
                yield self._take([i.PromptRead(sections=parts)], now)
            return
        resumed = i.SessionResume(program=__version__, semantics=SEMANTICS, tables=mine)
        yield self._take([resumed], now)
        yield from self._damage(now)
        if self.world.open or self.world.live:
            yield self._take([i.Crashed()], now)
        if changed := self.changed(settings, tools, around):
            yield self._take(changed, now)

    def changed(
        self, settings: i.Settings, tools: Sequence[ToolSpec], around: Surroundings
    ) -> list[i.Event]:
        """What of all that shapes a request differs from what the log says."""
        return [e for e in self._shape(settings, tools, around) if self._differs(e)]

    def look_after_plans(self, clean: Callable[[str], str]) -> None:
        """Keep the files of draft and plan from here on, if the settings name them.

        `clean` takes out of their texts what no log may hold.
        """
        if self.world.settings.draft:
            if self._draft:
                with contextlib.suppress(OSError):
                    self._files.replace(DRAFT, self._draft.encode())
            self.plans = PlanFiles(self.world, self._files, clean)
            self.plans.begin()

    def give_up(self) -> Iterator[Batch]:
        """End the log because of our own fault, with all that is open closed as after a crash.

        The fault may have left the world half moved, so what the log says is folded anew.
        """
        self.world = fold(read(self.directory / LOG), lru_cache(64)(self.blobs.text))
        if not self.world.seq:
            return
        now = iso(self.clock.unix())
        if self.world.open or self.world.live:
            yield self._take([i.Crashed()], now)
        yield self._take([i.Leave(reason="fault")], now)

    def append(self, done: Step) -> bytes:
        """Write a batch; return its bytes once it is as safe as its lines ask for.

        Raises:
            LogNotWritable: If it could not be written; the session is read-only from then on.
        """
        raw = self._writer.append(done.lines, digest(self.world), durable=done.durable)
        self._project(done.lines)
        return raw

    def close(self) -> None:
        """Give the session up; of one in which nothing was logged, nothing stays."""
        if not self._writer.end.seq:
            with contextlib.suppress(OSError):
                for name in (LOG, "events.lock"):
                    (self.directory / name).unlink()
                self.directory.rmdir()
        self._writer.close()

    def _take(self, group: Sequence[i.Event], now: str) -> Batch:
        done = step(self.world, group, now)
        return done.lines, self.append(done)

    def _damage(self, now: str) -> Iterator[Batch]:
        if self._writer.damage:
            yield self._note(self._writer.damage, now)

    def _note(self, damage: i.Event, now: str) -> Batch:
        line = Line(self.world.seq, max(now, self.world.time), "note", damage)
        apply(self.world, line)
        return [line], self._writer.append([line], digest(self.world), durable=False)

    def _shape(
        self, settings: i.Settings, tools: Sequence[ToolSpec], around: Surroundings
    ) -> list[i.Event]:
        keep = self.blobs.text_or_blob
        read = tuple(
            Section(s.tag, keep(s.text) if isinstance(s.text, str) else s.text, s.name)
            for s in sections(around, [tool.name for tool in tools])
        )
        parts = lasting(self.world, read)
        specs = keep(msgspec.json.encode(list(tools)).decode())
        prompt = i.PromptRead(sections=parts, holds=needless(self.world))
        return [settings, i.Tools(specs=specs), prompt]

    def _differs(self, event: i.Event) -> bool:
        match event:
            case i.Settings():
                return event != self.world.settings
            case i.Tools():
                known = msgspec.json.encode(list(self.world.tools)).decode()
                return self.world.text(event.specs) != known
            case i.PromptRead():
                return event.sections != self.world.sections
            case _:
                return True

    def _project(self, lines: Sequence[Line]) -> None:
        """Keep the files beside the log up to date; a failure there is no failure of the log."""
        with contextlib.suppress(OSError):
            self._project_conversation()
            if self.plans:
                self.plans.project(lines)
            if any(map(closes, lines)):
                self._files.replace("stats.json", stats(self.world))

    def _project_conversation(self) -> None:
        messages, said = self.world.messages, self._spoken
        self._spoken = len(messages)
        if self._epoch != self.world.epoch or said > len(messages):
            self._epoch = self.world.epoch
            self._files.replace("conversation.jsonl", conversation(messages))
            self._files.replace("summary.txt", self.world.text(self.world.cutting.text).encode())
        elif new := messages[said:]:
            self._files.append("conversation.jsonl", conversation(new))


def _check_states(world: World) -> None:
    for name, state in world.at.items():
        machine = name.partition("-")[0]
        if machine not in tables() or state not in tables()[machine].states:
            raise UnknownVersion(
                f"{name} rests in '{state}', which this program's tables do not have; "
                "use the version that wrote the log, or start a new session"
            )
