"""Which model a session asks: begun, taken up again, from now on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import urlsplit

from msgspec.structs import replace

from fsm_agent.errors import UsageError
from fsm_agent.events import inputs as i
from fsm_agent.events.values import Failure
from fsm_agent.interfaces.configuring import DEFAULT_URLS, KEYS, server
from fsm_agent.interfaces.outlets import aside
from fsm_agent.providers.protocol import Provider, Stream
from fsm_agent.runtime.pricing import LOCAL, informed, renamed
from fsm_agent.runtime.session import Session
from fsm_agent.settings import RunSettings


class CurrentProvider:
    """Asks the model that the session's settings name, from the next request after they do."""

    def __init__(
        self, session: Session, settings: i.Settings, make: Callable[[i.Settings], Provider]
    ) -> None:
        """Begin with the model of these settings; `make` gives the one that others name."""
        self._session, self._make = session, make
        self._of, self._provider = _whom(settings), make(settings)

    async def open(self, body: bytes) -> Stream | Failure:
        """See `Provider`."""
        settings = self._session.world.settings
        if (whom := _whom(settings)) != self._of:
            await self._provider.close()
            self._of, self._provider = whom, self._make(settings)
        return await self._provider.open(body)

    async def close(self) -> None:
        """See `Provider`."""
        await self._provider.close()


def _whom(settings: i.Settings) -> tuple[str, ...]:
    """What a provider is made for; the scripted model says its script whatever it is called."""
    if settings.protocol == "scripted":
        return (settings.protocol,)
    named = (settings.protocol, settings.base_url, settings.vendor, settings.model)
    return (*named, settings.cache_key)


def provider_of(
    run: RunSettings, settings: i.Settings, session: Session, environment: Mapping[str, str]
) -> Provider:
    """The provider for `settings`, of a session that was begun as `run` says.

    A key goes to the server that it was given for, and to no other.
    """
    if settings.protocol == "scripted":
        from fsm_agent.providers.script import load  # noqa: PLC0415 - start-up
        from fsm_agent.providers.scripted import (  # noqa: PLC0415 - start-up
            Progress,
            ScriptedProvider,
            kill_this_process,
        )

        die = _stay if session.world.seq else kill_this_process
        scripted = ScriptedProvider(load(Path(run.script or "")), die=die)
        world = session.world
        scripted.progress = lambda: Progress(world.answers, world.cutting.cuts)
        return scripted
    from fsm_agent.providers.http import HttpProvider  # noqa: PLC0415 - start-up

    key = run.api_key
    if (settings.protocol, settings.base_url) != (run.protocol, run.base_url):
        url, known = server(settings.protocol, environment)
        key = known if settings.base_url == url else None
    return HttpProvider(
        settings,
        key,
        connect_s=run.connect_timeout_s,
        idle_s=run.idle_timeout_s,
        now=session.clock.unix,
    )


def _stay() -> None:
    """A script's `kill` has happened already when its session is taken up again."""


def taken_up(run: RunSettings, last: i.Settings, environment: Mapping[str, str]) -> RunSettings:
    """The settings of a run that takes a session up: what the command line leaves open, it keeps.

    That is the effort, the model and whom that is asked of. The environment says where a protocol's
    server is. A log may come from anywhere, so of the servers that only it names none is asked but
    one on this machine, without a key.
    """
    if not last.protocol:
        return run
    run = replace(run, effort=run.effort or last.effort)
    if run.said or last.protocol not in DEFAULT_URLS:
        same = (run.protocol, run.base_url) == (last.protocol, last.base_url)
        return replace(run, model=last.model) if same and "model" not in run.said else run
    url, key = server(last.protocol, environment)
    if (last.protocol, url) == (run.protocol, run.base_url):
        key = run.api_key
    if url == DEFAULT_URLS[last.protocol] and (last.base_url != url or not key):
        if urlsplit(last.base_url).hostname not in LOCAL:
            told = f"{last.model} at {last.base_url} is not asked again, but {run.model}"
            aside(f"fsm-agent: {told} at {run.base_url}; -m, --base-url and keys say whom to ask")
            return run
        url, key = last.base_url, None
    whom = {"protocol": last.protocol, "model": last.model, "vendor": last.vendor}
    return replace(run, base_url=url, api_key=key, **whom)


def switched(
    settings: i.Settings, name: str, home: Path, environment: Mapping[str, str]
) -> i.Settings:
    """The settings for the model `NAME` of the same server, or `PROTOCOL:NAME` of another one.

    Raises:
        UsageError: If there is no key for that server, or no name.
    """
    protocol, colon, model = name.partition(":")
    if not colon or protocol not in DEFAULT_URLS:
        return renamed(settings, name, home)
    if not model:
        raise UsageError(f"which model? {protocol}:NAME")
    url, key = server(protocol, environment)
    if not key and url == DEFAULT_URLS[protocol]:
        raise UsageError(f"{url} wants a key: {KEYS[protocol]} is not set")
    nobody = renamed(settings, "", home)  # with window and price only where they were given
    return informed(replace(nobody, protocol=protocol, base_url=url, vendor="", model=model), home)
