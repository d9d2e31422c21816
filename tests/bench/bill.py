"""The bill of one long session, as it is and as others would have run it.

    python tests/bench/bill.py [--turns N] [--window TOKENS] [--strict]

The same sixty turns are sent in four ways: as this program decides (`ours`), never summarised
(`never`), summarised at 80 % of the window by a request of its own (`at 80 %`), and never summarised
with a prompt that is made anew each turn (`rebuilt`). Bodies are real ones, in OpenAI's dialect; one
cache model says what of each was there before, and three sets of prices what that costs. Answers
cost the same everywhere and are left out but for summaries, which only some ask for.

What a summary forgets costs nothing here, and the cache forgets nothing between two requests.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import sys
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple, Self

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

MISSED = 10
"""Exit code when another way was cheaper and `--strict` asked for an answer."""
PRICES = {
    "Claude Sonnet 4": Price(
        input=3_000_000, output=15_000_000, cache_read=300_000, cache_write=3_750_000
    ),
    "GPT-4o": Price(
        input=2_500_000, output=10_000_000, cache_read=1_250_000, cache_write=2_500_000
    ),
    "DeepSeek v4 flash": Price(
        input=1_000_000, output=3_000_000, cache_read=20_000, cache_write=1_000_000
    ),
}
BLOCK = 512
"""Bytes that a cache knows or does not: 128 tokens."""
TOKEN = 4
SUMMARY = 500
"""Tokens of a summary."""
FIXED = 20_000
"""Bytes of prompt and tools together."""
SETTINGS = Settings(protocol="openai", model="bill")
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


def script(turns: int) -> list[Turn]:
    """A session as they are: a few calls a turn, most results short and some long."""
    draw = random.Random(60)
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


class Cache:
    """What a provider remembers of a session's bodies: each block with all that stands before it."""

    def __init__(self) -> None:
        self._known: set[bytes] = set()

    def usage(self, body: bytes) -> Usage:
        """What of a body was known; now all of it is."""
        read, before, missed = 0, b"", False
        for start in range(0, len(body) - BLOCK + 1, BLOCK):
            before = hashlib.blake2b(before + body[start : start + BLOCK], digest_size=16).digest()
            missed = missed or before not in self._known
            read += 0 if missed else BLOCK
            self._known.add(before)
        return Usage(cache_read=read // TOKEN, cache_write=(len(body) - read) // TOKEN)


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


class Way:
    """A way to run the session: never summarised, unless it says otherwise."""

    def __init__(self, window: int, price: Price | None = None) -> None:
        self.economy = Economy(window=window, price=price)
        self.spent: list[Usage] = []
        self.summaries = 0
        self._lines: list[Line] = []
        self._cache = Cache()
        self._requests, self._tokens, self._context = 0, 0, 0

    def run(self, turns: Sequence[Turn]) -> Self:
        """The whole session."""
        for number, turn in enumerate(turns, 1):
            self._lines.append(line(turn.said))
            for answer, results in turn.steps:
                self._ask(number)
                self._lines += (line(answer), line(results))
            self._ask(number)
            self._lines.append(line(turn.answer))
        return self

    def cut(self, facts: Facts) -> int:
        """The first message that is kept; 0 if none is dropped."""
        return 0

    def asking(self, head: bytes, dropped: list[Line]) -> bytes:
        """The request for a summary: the one before it, and a word at its end."""
        return body(head, [*dropped, ASK])

    def prompt(self, turn: int) -> str:
        """What the prompt says besides what it always says."""
        return text(random.Random(self.summaries), SUMMARY * TOKEN) if self.summaries else ""

    def decided(self, facts: Facts, why: Asked) -> Cut | None:
        """What this program would do."""
        messages = [line.message for line in self._lines]
        return decide(
            [line.tokens for line in self._lines],
            [isinstance(message, UserMessage) for message in messages],
            [isinstance(message, AssistantMessage) for message in messages],
            facts,
            self.economy,
            why,
        )

    def _ask(self, turn: int) -> None:
        facts = Facts(turn, self._requests, self._tokens, self.summaries, self._context)
        if start := self.cut(facts):
            asking = self.asking(head(self.prompt(turn)), self._lines[:start])
            self.spent.append(self._cache.usage(asking) + Usage(output=SUMMARY))
            self.summaries += 1
            del self._lines[:start]
        usage = self._cache.usage(body(head(self.prompt(turn)), self._lines))
        self.spent.append(usage)
        self._requests, self._context = self._requests + 1, usage.prompt
        self._tokens += usage.prompt


class Ours(Way):
    """As this program decides."""

    def cut(self, facts: Facts) -> int:
        cut = self.decided(facts, "auto")
        assert cut is None or cut.strategy == "summary", "turns of this script are short"
        return cut.start if cut else 0


class AtFourFifths(Way):
    """Summarised when the window is nearly full, by a request that shares nothing."""

    def cut(self, facts: Facts) -> int:
        full = facts.context > self.economy.window * 80 // 100
        cut = self.decided(facts, "manual") if full else None
        return cut.start if cut else 0

    def asking(self, head: bytes, dropped: list[Line]) -> bytes:
        return body(FORM.head(SETTINGS, "You sum up what was said.", ()), [*dropped, ASK])


class Rebuilt(Way):
    """Never summarised; the prompt says something new each turn."""

    def prompt(self, turn: int) -> str:
        return f"It is turn {turn}."


OTHERS: dict[str, type[Way]] = {
    "never": Way,
    "at 80 %": AtFourFifths,
    "rebuilt": Rebuilt,
}


@cache
def head(changing: str) -> bytes:
    """What stands before the messages: the tools, the fixed part and the changing one."""
    draw = random.Random(1)
    tool = ToolSpec("Bash", text(draw, FIXED / 2), {"type": "object"})
    return FORM.head(SETTINGS, f"{text(draw, FIXED / 2)}\n{changing}", [tool])


def body(beginning: bytes, lines: Sequence[Line]) -> bytes:
    """A request's body."""
    return beginning + b",".join(line.part for line in lines) + FORM.tail


def main() -> int:
    """Print the table and give the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    add = parser.add_argument
    add("--turns", type=int, default=60)
    add("--window", type=int, default=200_000, help="tokens that each model takes")
    add("--strict", action="store_true", help=f"exit {MISSED} if another way was cheaper")
    given = parser.parse_args()
    missed = False
    show("prices", "way", "bill", "ratio", "requests", "prompts", "cached", "")
    turns = script(given.turns)
    others = {way: kind(given.window).run(turns) for way, kind in OTHERS.items()}
    for name, price in PRICES.items():
        ways = {"ours": Ours(given.window, price).run(turns), **others}
        bills = {way: sum(map(price.cost, run.spent)) for way, run in ways.items()}
        for way, run in ways.items():
            total = sum(run.spent, Usage())
            cheaper = bills[way] < bills["ours"]
            missed = missed or cheaper
            show(
                name,
                way,
                f"{bills[way] / 1e6:.2f} $",
                f"{bills[way] / bills['ours']:.2f}",
                f"{len(run.spent) - run.summaries} + {run.summaries}",
                f"{total.prompt / 1e6:.2f} M",
                f"{100 * total.cache_read / total.prompt:.1f} %",
                "MISSED" if cheaper else "OK",
            )
    return MISSED if missed and given.strict else 0


def show(*cells: str) -> None:
    """Print a row."""
    row = "{:18} {:8} {:>9} {:>6} {:>9} {:>9} {:>8}  {}".format(*cells)
    print(row.rstrip(), flush=True)  # noqa: T201 - the table


if __name__ == "__main__":
    sys.exit(main())
