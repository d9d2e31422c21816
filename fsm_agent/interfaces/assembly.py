"""A session with its model, tools and place, ready to run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import msgspec

from fsm_agent.context.prompt import Surroundings
from fsm_agent.dialects.compat import compat
from fsm_agent.dialects.protocol import Delta
from fsm_agent.errors import DamagedLog, UsageError
from fsm_agent.events import inputs as i
from fsm_agent.events.values import Economy, Price
from fsm_agent.interfaces.configuring import ENVIRONMENT, config_home, home
from fsm_agent.interfaces.outlets import aside
from fsm_agent.interfaces.providing import CurrentProvider, provider_of, taken_up
from fsm_agent.policy.judging import plan_of
from fsm_agent.runtime.clock import SystemClock
from fsm_agent.runtime.hands import Asker, Hands
from fsm_agent.runtime.instructions import Instructions, Places, gather, read_instructions
from fsm_agent.runtime.loop import Loop, Show
from fsm_agent.runtime.naming import readable
from fsm_agent.runtime.places import DRAFT, find_session, newest
from fsm_agent.runtime.pricing import informed
from fsm_agent.runtime.redaction import Redactor, secrets_of
from fsm_agent.runtime.remembering import MemoryFiles, located
from fsm_agent.runtime.session import Session
from fsm_agent.runtime.surroundings import Watch, read_surroundings
from fsm_agent.settings import Permission, RunSettings
from fsm_agent.tools.planning import planning_specs
from fsm_agent.tools.protocol import Workplace
from fsm_agent.tools.registry import builtin_tools

BLOCKING = frozenset({"read", "plan"})
"""Modes in which nothing is changed, whoever says yes."""


class Wanted(msgspec.Struct, frozen=True):
    """Which session a run is about: a new one, the newest, or one by name (empty: to be picked)."""

    go_on: bool = False
    resume: str | None = None


Say = Callable[[str], None]
"""Says a line to the person."""


def _aside(text: str) -> None:
    aside(f"fsm-agent: {text}")


def open_session(wanted: Wanted, home: Path, cwd: Path, say: Say = _aside) -> Session:
    """The session that is meant, locked and read.

    Raises:
        UsageError: If there is no such session.
        SessionInUse: If another process holds it.
    """
    clock = SystemClock()
    if wanted.resume is not None:
        found = find_session(home, wanted.resume)
        if found is None:
            raise UsageError(
                f"there is no session '{wanted.resume}'; `fsm-agent sessions` lists them"
            )
    elif wanted.go_on:
        found = newest(home, cwd)
        if found is None:
            raise UsageError("this directory has no session yet; leave out -c to begin one")
    else:
        return Session.create(home, cwd, clock)
    try:
        session = Session.resume(found, clock)
    except DamagedLog as damage:
        session = Session.fork_damaged(found, home, cwd, clock)
        say(str(damage))
        say(f"going on in a new session, {session.name}")
    if session.unknown:
        types = ", ".join(f"{name} ({count})" for name, count in session.unknown.items())
        say(f"the log has lines of types not known here, which are kept: {types}")
    return session


def place_of(session: Session, cwd: Path, say: Say = _aside) -> Path:
    """Where a session goes on: where it began, from wherever it is taken up.

    Raises:
        UsageError: If that directory is gone.
    """
    began = session.world.cwd
    if began in ("", readable(str(cwd))):
        return cwd
    place = Path(began)
    if not place.is_dir() or place.resolve() != place:
        raise UsageError(
            f"session {session.name} belongs to {began}, which is no longer there: bring it back, "
            f"or begin a new session. `fsm-agent log {session.name}` shows what was done"
        )
    say(f"session {session.name} goes on in {began}")
    return place


def recorded_settings(
    settings: RunSettings, draft: str, *, person: bool, kept: Permission = "ask"
) -> i.Settings:
    """What of the settings shapes requests and decisions, as the log keeps it.

    A mode that blocks outlives the run that it was chosen in: only another one that is said lifts
    it. `kept` is the session's mode so far.
    """
    usual: Permission = kept if kept in BLOCKING else "ask" if person else "allow"
    return i.Settings(
        protocol=settings.protocol,
        model=settings.model,
        base_url=settings.base_url,
        vendor=settings.vendor,
        max_tokens=settings.max_tokens,
        effort=settings.effort,
        max_turns=settings.max_turns,
        max_retries=settings.max_retries,
        retry_base_ms=settings.retry_base_ms,
        permission=settings.permission or usual,
        person=person,
        draft=draft,
        economy=msgspec.convert(
            {
                "automatic": settings.compact,
                "window": settings.window,
                "price": Price(*settings.price) if settings.price else None,
                **settings.weights,
            },
            Economy,
        ),
    )


def with_what_is_known(settings: i.Settings, home: Path, conversation: str) -> i.Settings:
    """The settings with what lists say of their model, and servers want to be told.

    `home` is where a fetched list is; a server that keeps a conversation on one cache gets its name.
    """
    if settings.protocol == "scripted":
        return settings
    key = conversation if compat(settings).keeps_conversations else ""
    return msgspec.structs.replace(informed(settings, home), cache_key=key)


def places(cwd: Path, environment: Mapping[str, str] = ENVIRONMENT) -> Places:
    """Where files of the person and of the project are looked for."""
    return Places(cwd, Path(environment.get("HOME") or "/"), config_home(environment))


def workplace(
    session: Session, cwd: Path, environment: Mapping[str, str] = ENVIRONMENT
) -> Workplace:
    """Where a session's tools act: its workspace, and its own files beside it."""
    draft = str(session.directory / DRAFT)
    return Workplace(
        root=str(cwd),
        environment=tool_environment(environment),
        draft=draft,
        plan=plan_of(draft),
        user_memory=located(config_home(environment)),
        project_memory=located(session.directory.parent),
    )


class Run(msgspec.Struct, frozen=True):
    """A loop and its hands; `reread` gives what shapes requests and is not as it was."""

    loop: Loop
    hands: Hands
    redactor: Redactor
    reread: Callable[[i.Settings, Say], list[i.Event]]


def assemble(  # noqa: PLR0913 - the parts of a run
    session: Session,
    settings: RunSettings,
    cwd: Path,
    *,
    show: Show,
    deltas: Callable[[str, Sequence[Delta]], None] = lambda _, __: None,
    asker: Asker | None = None,
    instructions: Sequence[Path] | None = None,
    environment: Mapping[str, str] = ENVIRONMENT,
) -> Run:
    """Put a run together and write what shapes its first request.

    `instructions` are read instead of the project's AGENTS.md files.
    """
    settings = taken_up(settings, session.world.settings, environment)
    place = workplace(session, cwd, environment)
    memory = MemoryFiles(place)
    tools = builtin_tools(memory.told)
    kept = session.world.settings.permission
    given = recorded_settings(settings, place.draft, person=asker is not None, kept=kept)
    recorded = with_what_is_known(given, home(environment), session.name)
    redactor = Redactor(secrets_of(environment, settings.api_key))
    where = places(cwd, environment)

    def around(say: Say) -> Surroundings:
        found = gather(where) if instructions is None else [*map(read_instructions, instructions)]
        seen = read_surroundings(cwd, environment, _usable(found, say), settings.output_language)
        seen = msgspec.structs.replace(seen, draft=place.draft, memory=memory.read())
        return redactor.clean(seen)

    def reread(held: i.Settings, say: Say) -> list[i.Event]:
        now = msgspec.structs.replace(held, economy=given.economy)
        now = with_what_is_known(now, home(environment), session.name)
        return session.changed(now, specs, around(say))

    make = partial(provider_of, settings, session=session, environment=environment)
    provider = CurrentProvider(session, recorded, make)
    loop = Loop(session, show, Watch(where, memory), redactor)
    specs = [*(tool.spec for tool in tools.values()), *planning_specs()]
    loop.begin(session.begin(recorded, specs, around(aside)))
    session.look_after_plans(redactor.text)
    hands = Hands(
        session.world,
        loop.give,
        provider=provider,
        tools=tools,
        place=msgspec.structs.replace(place, tool_timeout_s=settings.tool_timeout_s),
        blobs=session.blobs,
        redactor=redactor,
        now=session.clock.unix,
        asker=asker,
        show=deltas,
    )
    return Run(loop, hands, redactor, reread)


def _usable(found: Iterable[Instructions], say: Say) -> Iterator[Instructions]:
    for one in found:
        if one.fault:
            say(f"fsm-agent: {one.path} {one.fault}; it is passed over")
        else:
            yield one


def tool_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """What subprocesses see of the environment: no keys of models."""
    return {
        name: value
        for name, value in environment.items()
        if not name.endswith("_API_KEY") and not name.startswith("FSM_AGENT_")
    }
