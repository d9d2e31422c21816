"""What is measured: each scenario gives figures, each figure has a target."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from statistics import median
from time import monotonic, perf_counter, process_time, sleep
from typing import TypeAlias

from fsm_agent.context.cutting import decide
from fsm_agent.context.economy import Facts
from fsm_agent.events.inputs import Settings
from fsm_agent.events.values import AssistantMessage, Economy, TextBlock, UserMessage
from fsm_agent.lifecycles.world import World
from tests.bench import seated
from tests.bench.driving import AGENT, HERE, PYTHON, Answers, Bench, Run
from tests.bench.figures import Figure, Sizes, Target

POLL_S = 0.01
STREAMING_S = 0.1
"""How long a stalled answer is left to itself before it is interrupted, in seconds."""
REPEATED = 20
"""How often what takes a few ms is done in a run."""


TARGETS = {
    "version": Target("ms", 2, "python -c pass"),
    "help": Target("ms", 6, "python -c pass"),
    "ttfr": Target("ms", 1.2, "floor"),
    "first request": Target("kB", 7),
    "tail": Target("ms", 30),
    "step": Target("ms", 1.5, "floor"),
    "step 200": Target("ms", 1.1, "step 10"),
    "rss of 200 steps": Target("MB", 60),
    "step 1000": Target("ms", 1.3, "step 10"),
    "5 MB": Target("ms", 2, "floor"),
    "rss of 5 MB": Target("MB", 90),
    "8 in parallel": Target("ms", 1.1, "one"),
    "interrupt": Target("ms", 100),
    "verify": Target("us", 6, "bare"),
    "resume": Target("ms", 600),
    "list": Target("ms", 300),
    "states check": Target("ms", 5000),
    "cut": Target("ms", 10),
    "request": Target("us", 1.3, "2k tokens"),
    "5 MB painted": Target("ms", 3, "headless"),
    "rss painted": Target("MB", 120),
    "1000 deltas/s": Target("%", 25),
    "dropped keys": Target("", 0),
    "turn's memory": Target("kB", 20),
    "prompt": Target("ms", 2.5, "ttfr"),
    "held up": Target("ms", 50),
}


def version(bench: Bench, _: Sizes) -> Iterator[Figure]:
    """The shortest start there is."""
    yield Figure(
        "version", started(bench, AGENT, "--version"), started(bench, PYTHON, "-c", "pass")
    )


def usage(bench: Bench, _: Sizes) -> Iterator[Figure]:
    """The start of a command line that is read."""
    yield Figure("help", started(bench, AGENT, "--help"), started(bench, PYTHON, "-c", "pass"))


def cold(bench: Bench, _: Sizes) -> Iterator[Figure]:
    """One request and its answer."""
    floor, agent = bench.floor([{"text": "ok"}]), bench.agent([{"text": "ok"}])
    yield Figure("ttfr", agent.ttfr, floor.ttfr)
    yield Figure("first request", agent.requests[0].size / 1e3)
    yield Figure("tail", agent.tail)


def loop50(bench: Bench, sizes: Sizes) -> Iterator[Figure]:
    """What a step costs."""
    answers = commands(sizes.steps[0])
    floor, agent = bench.floor(answers), bench.agent(answers)
    yield Figure("step", median(agent.steps), median(floor.steps))


def loop200(bench: Bench, sizes: Sizes) -> Iterator[Figure]:
    """Whether steps get slower, and how much memory they take."""
    run = bench.agent(commands(sizes.steps[1]))
    yield Figure("step 200", *late_and_early(run))
    yield Figure("rss of 200 steps", run.ended.peak / 1e6)


def loop1000(bench: Bench, sizes: Sizes) -> Iterator[Figure]:
    """Whether steps get slower in a very long turn."""
    yield Figure("step 1000", *late_and_early(bench.agent(commands(sizes.steps[2]))))


def stream5mb(bench: Bench, sizes: Sizes) -> Iterator[Figure]:
    """A very long answer in very short deltas."""
    answers: Answers = [{"bytes": sizes.text, "delta": 20}]
    floor, agent = bench.floor(answers), bench.agent(answers)
    yield Figure("5 MB", agent.wall, floor.wall)
    yield Figure("rss of 5 MB", agent.ended.peak / 1e6)


def par8(bench: Bench, sizes: Sizes) -> Iterator[Figure]:
    """Eight calls at once beside one."""
    sleep = f"sleep {sizes.sleep_s}"
    one, eight = (bench.agent([{"commands": [sleep] * n}, {"text": "done"}]) for n in (1, 8))
    yield Figure("8 in parallel", eight.steps[0], one.steps[0])


def interrupt(bench: Bench, _: Sizes) -> Iterator[Figure]:
    """SIGINT while an answer stalls, to exit."""
    bench.script([{"text": "ok", "stall": True}])
    process = bench.start(bench.command())
    while not any(request.sent for request in bench.script()):
        sleep(POLL_S)
    sleep(STREAMING_S)
    began = monotonic()
    process.send_signal(signal.SIGINT)
    yield Figure("interrupt", (bench.end(process, 130).time - began) * 1e3)


def verify(bench: Bench, sizes: Sizes) -> Iterator[Figure]:
    """A line of a long log decided again, beside one that is only read."""
    path = str(bench.lay_down(1, sizes.lines))
    agent = started(bench, AGENT, "replay", path, "--verify")
    bare = started(bench, PYTHON, str(HERE / "bare.py"), path)
    yield Figure("verify", agent * 1e3 / sizes.lines, bare * 1e3 / sizes.lines)


def resume(bench: Bench, sizes: Sizes) -> Iterator[Figure]:
    """How much later the first request is out when a long log is gone on with."""
    long, short = (bench.resumed([{"text": "ok"}], lines) for lines in (sizes.lines, 1))
    yield Figure("resume", long.ttfr - short.ttfr)


def listing(bench: Bench, sizes: Sizes) -> Iterator[Figure]:
    """The list of many sessions."""
    for number in range(sizes.sessions):
        bench.lay_down(number, 1)
    yield Figure("list", started(bench, AGENT, "sessions"))


def states(bench: Bench, sizes: Sizes) -> Iterator[Figure]:
    """The proof of the tables."""
    yield Figure(
        "states check", started(bench, AGENT, "states", "check", "--tools", str(sizes.tools))
    )


def cut(_: Bench, sizes: Sizes) -> Iterator[Figure]:
    """The decision on one turn so long that every way to cut it is tried."""
    count = sizes.messages
    tokens, users = [100] * count, [True] + [False] * (count - 1)
    answers = [index % 2 == 1 for index in range(count)]
    economy = Economy(window=50 * count, calls=0, quality="0.2")
    facts = Facts(turns=3, requests=count, tokens=7 * 10**9, cuts=1, context=economy.window)
    began = process_time()
    for _repeated in range(REPEATED):
        decide(tokens, users, answers, facts, economy, "auto")
    yield Figure("cut", (process_time() - began) * 1e3 / REPEATED)


def request(_: Bench, sizes: Sizes) -> Iterator[Figure]:
    """One more message and the request with it, behind 200k tokens of others and behind 2k."""
    yield Figure("request", building(sizes.messages // 25), building(4))


def building(turns: int) -> float:
    """Message and request behind so many turns of 500 tokens, in us; the fastest of many."""
    world = World(lambda _: "")
    world.settings = Settings(protocol="anthropic", model="m")
    world.reshape()
    for _turn in range(turns):
        world.say(UserMessage("word " * 200))
        world.say(AssistantMessage((TextBlock("word " * 200),), "anthropic", "m"))
    world.body.next(world)
    times = []
    for _repeated in range(10 * REPEATED):
        began = perf_counter()
        world.say(UserMessage("word " * 200))
        world.body.next(world)
        world.body.marked(world)
        times.append(perf_counter() - began)
    return min(times) * 1e6


Scenario: TypeAlias = Callable[[Bench, Sizes], Iterator[Figure]]
SCENARIOS: dict[str, Scenario] = {
    "version": version,
    "help": usage,
    "cold": cold,
    "loop50": loop50,
    "loop200": loop200,
    "loop1000": loop1000,
    "stream5mb": stream5mb,
    "par8": par8,
    "interrupt": interrupt,
    "verify": verify,
    "resume": resume,
    "list": listing,
    "states": states,
    "cut": cut,
    "request": request,
    "prompt": seated.prompt,
    "painted": seated.painted,
    "typed": seated.typed,
    "held": seated.held,
    "turns": seated.turns,
}


def started(bench: Bench, *argv: str) -> float:
    """A command's start to exit, in ms."""
    began = monotonic()
    return (bench.end(bench.start(argv)).time - began) * 1e3


def commands(steps: int) -> Answers:
    """So many steps of one call each, no command like another, and an end."""
    return [*({"commands": [f"true # {n}"]} for n in range(steps)), {"text": "done"}]


def late_and_early(run: Run) -> tuple[float, float]:
    """A step of the last 20, and one of the 20 behind the fifth, in ms."""
    return median(run.steps[-20:]), median(run.steps[5:25])
