"""Where a session stands: model, mode, plan, tokens, cost and context."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from rich.cells import cell_len, set_cell_size

from fsm_agent.events import derived as d
from fsm_agent.events import inputs as i
from fsm_agent.events.inputs import Event
from fsm_agent.events.values import Price, Usage
from fsm_agent.interfaces.amounts import cost, thousands
from fsm_agent.interfaces.painting.escaping import escape_line

_PLANS = {"drafting": "plan: drafting", "executing": "plan: in force"}


class Standing(msgspec.Struct):
    """Takes log lines in, and knows what they come to.

    Attributes:
        model: Empty before the first settings.
        effort: How hard the model is to think; empty where nothing was said.
        mode: What runs unasked.
        plan: State of the plan.
        turn: Number of the last turn.
        requests: Requests of turns so far.
        usage: Tokens so far, summaries included.
        cost: Micro-dollars, of what has a price.
        unpriced: Requests that have none.
        context: Tokens of the context as last reported; 0 before that.
        window: Tokens that fit; 0 if that is not known.
    """

    model: str = ""
    effort: str = ""
    mode: str = ""
    plan: str = "none"
    turn: int = 0
    requests: int = 0
    usage: Usage = Usage()
    cost: int = 0
    unpriced: int = 0
    context: int = 0
    window: int = 0
    _listed: Price | None = None
    _price: Price | None = None

    def take(self, event: Event) -> None:
        """Take a line in."""
        match event:
            case i.Settings():
                self.model, self.effort, self.mode = event.model, event.effort, event.permission
                self.window, self._listed = event.economy.window, event.economy.price
            case d.SendRequest() | d.Summarise():
                self.requests += isinstance(event, d.SendRequest)
                self._price = self._listed  # settings may be others when the answer has come
            case d.Transition(source="ready", instance=name) if name.startswith("turn-"):
                self.turn = int(name.removeprefix("turn-"))
            case d.Plan():
                self.plan = event.state
            case d.ContextUpdate(of=int()):
                self.context = event.after
            case i.Command(arguments={"talk": True}):
                self.context = 0  # rewound: the next answer tells
            case i.Completed() | i.Broken() | i.Stopped() | i.Summarised() | i.Rejected():
                self._spend(event.usage, event)
            case _:
                pass

    def _spend(self, usage: Usage | None, event: Event) -> None:
        if usage is None:
            self.unpriced += not isinstance(event, i.Rejected)
            return
        self.usage += usage
        if not isinstance(event, i.Summarised) and usage.prompt:
            self.context = usage.prompt + usage.output
        if self._price is None:
            self.unpriced += 1
        else:
            self.cost += self._price.cost(usage)

    @property
    def cached(self) -> str:
        """Share of the input that came from the cache, `96%`; a dash before there is any."""
        base = self.usage.input + self.usage.cache_read
        return f"{round(100 * self.usage.cache_read / base)}%" if base else "—"


def line(standing: Standing, width: int) -> str:
    """What fits of it on one line, most wanted first; empty before there is a model."""
    parts = list(_parts(standing))
    kept: set[int] = set()
    for number, _ in sorted(enumerate(parts), key=lambda part: part[1][0]):
        wanted = " · ".join(parts[n][1] for n in sorted({*kept, number}))
        if cell_len(wanted) <= width:
            kept.add(number)
    shown = " · ".join(parts[n][1] for n in sorted(kept))
    return shown or set_cell_size(escape_line(standing.model), width).rstrip()


def _parts(standing: Standing) -> Iterator[tuple[int, str]]:
    """How much each is wanted (0 first), and its text."""
    if not standing.model:
        return
    yield 1, escape_line(standing.model)
    if standing.effort:
        yield 4, f"effort {escape_line(standing.effort)}"
    yield 2, standing.mode
    if standing.plan in _PLANS:
        yield 3, _PLANS[standing.plan]
    if standing.turn:
        yield 5, f"turn {standing.turn}"
    used = standing.usage
    if used.prompt or used.output:
        told = f"{thousands(used.input)} in + {thousands(used.cache_read)} cached"
        told += f" + {thousands(used.cache_write)} written, {thousands(used.output)} out"
        yield 7, told
        yield 6, f"{standing.cached} from cache"
    if standing.cost or standing.unpriced:
        yield 4, cost(standing.cost, standing.unpriced)
    yield 0, f"context {gauge(standing.context, standing.window)}"


def gauge(context: int, window: int) -> str:
    """`21k of 200k (10%)`; a question mark stands for what is not known."""
    known = thousands(context) if context else "?"
    if not window:
        return f"{known} of ?"
    share = f" ({round(100 * context / window)}%)" if context else ""
    return f"{known} of {thousands(window)}{share}"
