"""What is measured with somebody at a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from time import monotonic, sleep

from tests.bench.driving import Answers, Bench
from tests.bench.figures import Figure, Sizes

ENDED = " tokens in, "
"""What stands below a turn that is over."""
KEY_S = 0.05
"""Seconds between two keys that are pressed."""
QUICK_KEY_S = 0.005
"""The same, where each is waited for."""
PROMPT = "\x1b[?2004h"
"""What is written when the line can be edited."""
SIGNS = range(0x4E00, 0x9FFF)
"""Characters that nothing but a key writes."""


def prompt(bench: Bench, _: Sizes) -> Iterator[Figure]:
    """The start until a key is echoed at the prompt, beside that of a request without one."""
    agent = bench.agent([{"text": "ok"}])
    began = monotonic()
    typist = bench.typist([])
    typist.sees(PROMPT)
    typist.types(chr(SIGNS[0]))
    typist.sees(chr(SIGNS[0]))
    yield Figure("prompt", (monotonic() - began) * 1e3, agent.ttfr)
    typist.types("\x7f")
    typist.leave()


def held(bench: Bench, sizes: Sizes) -> Iterator[Figure]:
    """The longest that a key waited for its echo while a very long result came."""
    line = r"\033[32mPASSED\033[0m tests/test_one.py::test_number_%06d says this and that\n"
    command = f"sleep 0.5; seq {sizes.printed} | xargs printf '{line}'"
    typist = bench.typist([{"commands": [command]}, {"text": "ok"}])
    typist.types("Go.\r")
    typist.sees("[tool]")
    waited = []
    for sign in SIGNS:
        typist.types(chr(sign))
        waited.append(typist.sees(chr(sign)))
        if ENDED.encode() in typist.written:
            break
        sleep(QUICK_KEY_S)
    yield Figure("held up", max(waited) * 1e3)
    typist.types("\x15")
    typist.leave()


def painted(bench: Bench, sizes: Sizes) -> Iterator[Figure]:
    """A very long answer at a terminal, beside the same one without."""
    answers: Answers = [{"bytes": sizes.text, "delta": 20}]
    headless, typist = bench.agent(answers), bench.typist(answers)
    typist.types("Go.\r")
    typist.sees(ENDED)
    yield Figure("5 MB painted", typist.cpu * 1e3, headless.ended.cpu * 1e3)
    yield Figure("rss painted", typist.leave() / 1e6)


def typed(bench: Bench, sizes: Sizes) -> Iterator[Figure]:
    """Keys pressed while 1,000 deltas a second arrive."""
    long = {"bytes": int(12_000 * sizes.typed_s), "delta": 12, "rate": 1000}
    typist = bench.typist([long, {"text": "ok"}])
    typist.types("Go.\r")
    typist.sees("line 1 ")
    began, used = monotonic(), typist.cpu
    keys = "keys" * int(sizes.typed_s * 3)
    for key in keys:
        typist.types(key)
        sleep(KEY_S)
    yield Figure("1000 deltas/s", (typist.cpu - used) / (monotonic() - began) * 100)
    typist.types("\r")
    typist.sees(ENDED, 2)
    typist.leave()
    yield Figure("dropped keys", len(keys) - len(bench.lines()[-1]))


def turns(bench: Bench, sizes: Sizes) -> Iterator[Figure]:
    """What a turn leaves in memory."""
    typist = bench.typist([{"bytes": 2000, "delta": 20}] * sizes.turns)
    early = 0
    for turn in range(sizes.turns):
        typist.written.clear()
        typist.types("Go.\r")
        typist.sees(ENDED)
        if turn == sizes.turns // 5:
            early = typist.memory
    yield Figure("turn's memory", (typist.memory - early) / (sizes.turns * 0.8) / 1e3)
    typist.leave()
