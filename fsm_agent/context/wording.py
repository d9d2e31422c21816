"""What model and person are told where something did not go its way."""

from __future__ import annotations

GO_ON = "Interrupted here; go on."
"""To the model, when it is to go on with an answer that was cut short."""
UNKNOWN = (
    "Error: outcome unknown: the agent died while this ran, so it may have taken effect. "
    "It was not run again. Look at the state of things before you go on."
)
NOT_BEGUN = "Error: not started: the agent died before it began."
INTERRUPTED = "Error: not started: interrupted by the person."
"""Results of calls that did not come to their end."""
CUT = {
    "max_tokens": "the answer was cut off at its limit of output tokens",
    "context_overflow": "the answer was cut off: the model's context is full",
    "refusal": "the model declined to answer",
    "content_filter": "the provider's content filter withheld the answer",
}
"""Why an answer is not whole, by its stop."""
CUT_HINT = {
    "max_tokens": "raise --max-tokens, or ask for less at once",
    "context_overflow": "/compact, a new session, or asking for less at once",
}
"""What a person can do about it."""
IRREDUCIBLE_HINT = (
    "ask for less at once, begin a new session, take a model with a larger window, "
    "or give it fewer tools and shorter instruction files"
)
"""What a person can do where a context cannot be reduced."""


def irreducible(tools: int, instructions: int, conversation: int) -> str:
    """Say that nothing is left to cut, and what takes the room; all sizes are tokens, about."""
    fixed = tools + instructions
    return (
        f"the context cannot be reduced: its fixed part is about {fixed:,} of "
        f"{fixed + conversation:,} tokens (tools {tools:,}, instructions {instructions:,})"
    )
