"""A long session, and ways to run it that cost more."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import msgspec

from fsm_agent.context.cutting import Asked, Cut, decide
from fsm_agent.context.economy import Facts, size
from fsm_agent.dialects import dialect
from fsm_agent.events.inputs import Settings
from fsm_agent.events.values import (
    AssistantMessage,
    CallBlock,
    Economy,
    Message,
    Price,
    Result,
    ResultsMessage,
    TextBlock,
    ToolSpec,
    Usage,
    UserMessage,
)

BLOCK = 512
"""Bytes that a cache knows or does not: 128 tokens."""
TOKEN = 4
SUMMARY = 500
"""Tokens of a summary."""
FIXED = 20_000
"""Bytes of prompt and tools together."""
SETTINGS = Settings(protocol="openai", model="bill", permission="allow")
FORM = dialect(SETTINGS.protocol)
WORDS = [f"{first}{last}" for first in ("ka", "lo", "mi", "ne", "su") for last in ("ra", "to", "v")]


class Turn(NamedTuple):
    """What a person says, and what the model and its tools say to that."""

    said: UserMessage
    steps: list[tuple[AssistantMessage, ResultsMessage]]
    answer: AssistantMessage


def text(draw: random.Random, length: float) -> str:
    """About so many bytes that are like no others."""
    return " ".join(draw.choices(WORDS, k=max(int(length / 4.4), 1)))


@cache
def filler(name: str, length: int) -> str:
    """About so many bytes, the same for the same name."""
    return text(random.Random(name), length)


def script(turns: int, seed: int = 60) -> list[Turn]:
    """A session as they are: a few calls a turn, most results short and some long."""
    draw = random.Random(seed)
    return [
        Turn(
            said=UserMessage(text(draw, draw.uniform(40, 400))),
            steps=[step(draw, f"call_{turn}_{n}") for n in range(draw.choice((1, 2, 3, 4, 6, 9)))],
            answer=answered(TextBlock(text(draw, draw.uniform(200, 1200)))),
        )
        for turn in range(turns)
    ]


def step(draw: random.Random, call: str) -> tuple[AssistantMessage, ResultsMessage]:
    """One call and its result."""
    length = min(draw.lognormvariate(6.9, 1.2), 50_000)
    asks = CallBlock("Bash", call, {"command": text(draw, draw.uniform(20, 200))})
    return answered(asks), ResultsMessage((Result(call, "Bash", text(draw, length)),))


def answered(*blocks: TextBlock | CallBlock) -> AssistantMessage:
    """An answer of the model."""
    return AssistantMessage(blocks, SETTINGS.protocol, SETTINGS.model)


class Bill:
    """The requests of a session, priced by what a cache knew of them.

    It knows a block together with all that stands before it, and forgets nothing.
    """

    def __init__(self) -> None:
        self.requests = self.summaries = 0
        self.total = Usage()
        self._known: set[bytes] = set()
        self._spent: list[Usage] = []

    def add(self, body: bytes, *, summary: bool = False) -> Usage:
        """Take a request in; what it cost. Only the output of summaries is counted."""
        read, before, missed = 0, b"", False
        for start in range(0, len(body) - BLOCK + 1, BLOCK):
            before = hashlib.blake2b(before + body[start : start + BLOCK], digest_size=16).digest()
            missed = missed or before not in self._known
            read += 0 if missed else BLOCK
            self._known.add(before)
        usage = Usage(
            cache_read=read // TOKEN,
            cache_write=(len(body) - read) // TOKEN,
            output=SUMMARY if summary else 0,
        )
        self.summaries += summary
        self.requests += not summary
        self.total += usage
        self._spent.append(usage)
        return usage

    def cost(self, price: Price) -> int:
        """In micro-dollars."""
        return sum(map(price.cost, self._spent))


class Line(NamedTuple):
    """A message, its tokens, and its bytes in a body."""

    message: Message
    tokens: int
    part: bytes


def line(message: Message) -> Line:
    """A message, measured and written once."""
    tokens = size(len(msgspec.json.encode(message)))
    return Line(message, tokens, FORM.message(message, SETTINGS))


ASK = line(UserMessage("Sum up all of the above in five fields, in plain text. " * 5, note=True))


class Never:
    """Never summarised, however full the window is."""

    def __init__(self, economy: Economy) -> None:
        self.economy, self.bill = economy, Bill()
        self._lines: list[Line] = []
        self._tokens = self._context = 0

    def run(self, turns: Sequence[Turn]) -> Bill:
        """The whole session."""
        for number, turn in enumerate(turns, 1):
            self._lines.append(line(turn.said))
            for answer, results in turn.steps:
                self._ask(number)
                self._lines += (line(answer), line(results))
            self._ask(number)
            self._lines.append(line(turn.answer))
        return self.bill

    def start(self, facts: Facts) -> int:
        """The first message that is kept; 0 if none is dropped."""
        return 0

    def asking(self, turn: int, dropped: Sequence[Line]) -> bytes:
        """The request for a summary: a turn's request, and a word at its end."""
        return body(head(self.prompt(turn)), [*dropped, ASK])

    def prompt(self, turn: int) -> str:
        """What the prompt says besides what it always says."""
        number = self.bill.summaries
        return filler(f"summary {number}", SUMMARY * TOKEN) if number else ""

    def decided(self, facts: Facts, why: Asked) -> Cut | None:
        """What this program would do."""
        return decide(
            [line.tokens for line in self._lines],
            [isinstance(line.message, UserMessage) for line in self._lines],
            [isinstance(line.message, AssistantMessage) for line in self._lines],
            facts,
            self.economy,
            why,
        )

    def _ask(self, turn: int) -> None:
        facts = Facts(turn, self.bill.requests, self._tokens, self.bill.summaries, self._context)
        if start := self.start(facts):
            self.bill.add(self.asking(turn, self._lines[:start]), summary=True)
            del self._lines[:start]
        self._context = self.bill.add(body(head(self.prompt(turn)), self._lines)).prompt
        self._tokens += self._context


class Decided(Never):
    """As this program decides, and each request as it should be: what `played` is held against."""

    def start(self, facts: Facts) -> int:
        cut = self.decided(facts, "auto")
        assert cut is None or cut.strategy == "summary", "turns of this script are short"
        return cut.start if cut else 0


class AtFourFifths(Never):
    """Summarised when four fifths of the window are full, by a request that shares nothing."""

    def start(self, facts: Facts) -> int:
        full = facts.context > self.economy.window * 80 // 100
        cut = self.decided(facts, "manual") if full else None
        return cut.start if cut else 0

    def asking(self, turn: int, dropped: Sequence[Line]) -> bytes:
        return body(FORM.head(SETTINGS, "You sum up what was said.", ()), [*dropped, ASK])


class Rebuilt(Never):
    """Never summarised; the prompt says something new each turn."""

    def prompt(self, turn: int) -> str:
        return f"It is turn {turn}."


@cache
def head(changing: str) -> bytes:
    """What stands before the messages: the tools, the fixed part and the changing one."""
    tool = ToolSpec("Bash", filler("tools", FIXED // 2), {"type": "object"})
    return FORM.head(SETTINGS, f"{filler('rules', FIXED // 2)}\n{changing}", [tool])


def body(beginning: bytes, lines: Sequence[Line]) -> bytes:
    """A request's body."""
    return beginning + b",".join(line.part for line in lines) + FORM.tail
