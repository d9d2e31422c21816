"""Rules about cuts of the context, and about the plan."""

from __future__ import annotations

from fsm_agent.audit.catalogue.advice import DIVERGED, REPORT
from fsm_agent.audit.findings import Rule

_PERSON = "Look at what was done by that plan; report it with this log."

ECONOMY = (
    # cuts
    Rule(
        "FSA034",
        "error",
        "What a cut keeps begins with a line of the person, or with an answer behind the one line "
        "that stays: no call is parted from its result.",
        "Model servers refuse half a call; and without their request the model forgets what it is "
        "working on.",
        REPORT,
    ),
    Rule(
        "FSA035",
        "error",
        "A cut is made as it was asked for, by the sizes that the messages have, and the prompt "
        "behind it holds the summary, the plan and all else that lasts.",
        "A cut by wrong numbers wastes money; one that loses a part of the prompt loses rules.",
        REPORT,
    ),
    Rule(
        "FSA038",
        "error",
        "A request for a summary begins with the bytes of the requests before it, up to the "
        "instruction.",
        "Where the bytes differ the cache is of no use, and the whole context is paid for anew.",
        "Run `fsm-agent replay --verify` for the first difference.",
        DIVERGED,
    ),
    # the plan
    Rule(
        "FSA050",
        "error",
        "In plan mode no Write, Edit or Bash runs but a write to the draft.",
        "Who asks for a plan first relies on nothing being changed before they have seen it.",
        "Look at what the call changed; report it with this log.",
    ),
    Rule(
        "FSA051",
        "error",
        "A draft is confirmed only after a person has spoken to it as it is.",
        "A yes to something that nobody has seen is no yes.",
        _PERSON,
    ),
    Rule(
        "FSA052",
        "error",
        "The plan in force is the confirmed draft, word for word, in each `plan` line and prompt.",
        "A plan that changes by itself is not the one that the person said yes to.",
        _PERSON,
    ),
    Rule(
        "FSA053",
        "error",
        "Each `plan` line says where the plan rests and what the draft is; a draft that changed "
        "after the yes stays a draft.",
        "A person is asked about, and shown, another draft than there is.",
        REPORT,
    ),
    Rule(
        "FSA054",
        "error",
        "A cancelled draft and a cleared plan are gone: no later `plan` line or prompt holds them.",
        "What a person has cancelled would be carried out all the same.",
        _PERSON,
    ),
    Rule(
        "FSA055",
        "error",
        "What the mode decides of a call is what the mode in force at that moment gives.",
        "A mode that can be passed by protects nothing.",
        "Look at what the call changed; report it with this log.",
    ),
)
"""Whether nothing is lost by a cut, and nothing is done that the person did not say yes to."""
