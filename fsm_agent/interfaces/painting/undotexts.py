"""How a person is told of what `/undo` and `/redo` took back."""

from __future__ import annotations

from fsm_agent.events import inputs as i
from fsm_agent.lifecycles.rewinding import REDO, UNDO


def told(command: i.Command) -> str:
    """What such a command did, or any other with its files, in a sentence."""
    about, paths = command.arguments, ", ".join(change.path for change in command.changes)
    if command.name not in (UNDO, REDO) or "turn" not in about:
        return f"/{command.name} {paths}".rstrip()
    first, last = about["turn"], about.get("until", about["turn"])
    turns, are = (f"turns {first}–{last}", "are") if last != first else (f"turn {first}", "is")
    if command.name == REDO:
        talk = " in the conversation" if about.get("talk") else ""
        return f"{turns} {are} there again{talk}{paths and f': {paths}'}"
    taken = "taken back with the conversation" if about.get("talk") else "taken back"
    return f"{turns} {'were' if are == 'are' else 'was'} {taken}{paths and f': {paths}'}"
