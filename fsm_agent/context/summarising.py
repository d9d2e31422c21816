"""What the model is told of the context: a summary, or rounding off."""

from __future__ import annotations

INSTRUCTION = """\
The conversation up to here is about to be replaced by a summary that you write now. Whoever goes \
on has only that summary and the latest messages. Answer with plain text alone: call no tool, do \
not think at length. Take over what still matters of an earlier context-snapshot. Write these five \
fields, in this order, each beginning with its name at the start of a line:
Task focus: what is being worked on, and what it must satisfy.
Latest request: the person's last request above, in their own words as far as they matter.
Progress: what is done and checked, what is under way, what comes next.
Tool evidence: exact paths, lines, commands, names, values and error texts that are still needed.
Reflections: what was tried and failed, and why; decisions, and changes of plan."""


def instruction(word: str) -> str:
    """The request for a summary; `word` is what the person wants of it, maybe nothing."""
    return f"{INSTRUCTION}\nThe person asks for this in particular: {word}" if word else INSTRUCTION


def rounding_off(percent: int, first: int, last: int) -> str:
    """The word that the context is filling up; the turns still in it have these numbers."""
    return (
        f"The context is {percent} % full. It holds the turns {first} to {last}, counted by the "
        "person's lines. Where details of finished turns are no longer needed, call Compress with a "
        "summary that loses nothing; then go on."
    )
