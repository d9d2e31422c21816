"""An answer as input lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fsm_agent.context.economy import size
from fsm_agent.context.wording import CUT, CUT_HINT
from fsm_agent.dialects.protocol import Answer
from fsm_agent.events import derived as d
from fsm_agent.events import inputs as i
from fsm_agent.events.values import (
    BlobText,
    Block,
    CallBlock,
    Failure,
    TextBlock,
    ThinkingBlock,
)
from fsm_agent.tools.registry import canonical

MOST_CALLS = 128
"""Calls that one answer may hold; one with more is no plan but a fault of the model."""
ROOM = 4000
"""Tokens that a summary may have even where it replaces less."""


def block_lines(instance: str, activity: int, blocks: Sequence[Block]) -> list[i.Event]:
    """The input lines of an answer's blocks, in wire order."""
    return [_block_line(instance, activity, n, block) for n, block in enumerate(blocks)]


def _block_line(instance: str, activity: int, n: int, block: Block) -> i.Event:
    if isinstance(block, CallBlock):
        return i.ToolCall(
            instance=instance,
            activity=activity,
            n=n,
            name=canonical(block.name),
            id=block.id,
            input=block.input,
            native=block.native,
            malformed=block.malformed,
            partial=block.partial,
        )
    kind = i.Thinking if isinstance(block, ThinkingBlock) else i.Text
    return kind(
        instance=instance,
        activity=activity,
        n=n,
        text=block.text,
        native=block.native,
        partial=block.partial,
    )


def answer_lines(instance: str, activity: int, answer: Answer) -> list[i.Event]:
    """All input lines of an answer: its blocks, then how it ended.

    One that ended because the context is full is broken: with less before it, it may come whole.
    """
    end: i.Event
    calls = sum(isinstance(block, CallBlock) for block in answer.blocks)
    if calls > MOST_CALLS:
        why = f"the answer asks for {calls} tool calls at once; {MOST_CALLS} are the most"
        answer = Answer(
            (), usage=answer.usage, failure=Failure("malformed_answer", why, retry=True)
        )
    failure = answer.failure
    if failure is None and answer.stop == "context_overflow":
        failure = Failure("context_overflow", CUT[answer.stop], hint=CUT_HINT[answer.stop])
    if failure is not None:
        end = i.Broken(instance=instance, activity=activity, failure=failure, usage=answer.usage)
    else:
        end = i.Completed(
            instance=instance,
            activity=activity,
            stop=answer.stop or "end_turn",
            usage=answer.usage,
            warning=answer.warning,
        )
    return [*block_lines(instance, activity, answer.blocks), end]


def summary_line(
    asked: d.Summarise, activity: int, answer: Answer, keep: Callable[[str], BlobText]
) -> i.Event:
    """The end of a summary: its text, if the answer is one and came to its end.

    What a model says before it calls a tool, or instead of an answer, must not take the place of
    the conversation, nor must what is longer than that.
    """
    name, failure, usage = asked.instance, answer.failure, answer.usage
    text = "".join(block.text for block in answer.blocks if isinstance(block, TextBlock)).strip()
    why = _no_summary(answer)
    if size(len(text.encode())) > max(asked.before, ROOM):
        why = "the summary is longer than what it would replace"
    if not failure and why:
        failure = Failure("malformed_answer", f"{why}; it is not used")
    if failure:
        return i.Rejected(instance=name, activity=activity, failure=failure, usage=usage)
    return i.Summarised(instance=name, activity=activity, text=keep(text), usage=usage)


def _no_summary(answer: Answer) -> str:
    """Why it is none by its form; nothing if it is one."""
    if any(isinstance(block, CallBlock) for block in answer.blocks):
        return "the model went on to call a tool where it was to write the summary"
    match answer.stop:
        case "max_tokens" | "context_overflow" | "pause":
            return "the summary was cut off"
        case "refusal" | "content_filter":
            return "the summary was declined"
        case _:
            return ""
