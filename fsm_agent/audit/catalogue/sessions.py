"""Rules about runs, turns, requests and calls."""

from __future__ import annotations

from fsm_agent.audit.catalogue.advice import DIVERGED, REPORT
from fsm_agent.audit.findings import Rule

SESSIONS = (
    Rule(
        "FSA020",
        "error",
        "A log begins with `session_start`, once; after `session_end` only a resume follows.",
        "Lines outside a run were written by a program that had already left.",
        REPORT,
    ),
    Rule(
        "FSA021",
        "error",
        "At most one turn is under way.",
        "Two turns at once mix two conversations.",
        REPORT,
    ),
    Rule(
        "FSA022",
        "error",
        "Every turn ends through `persist` and `drain`, before the session does.",
        "A turn that ends elsewhere may have lost its answer or its results.",
        REPORT,
    ),
    Rule(
        "FSA023",
        "error",
        "After an interrupt, a crash or a failed turn nothing starts until a person acts.",
        "A person who said stop must be able to rely on it.",
        REPORT,
    ),
    Rule(
        "FSA024",
        "error",
        "Waiting lines are taken in their order, or given back; none is lost.",
        "A lost line is an instruction that the model never saw.",
        REPORT,
    ),
    Rule(
        "FSA025",
        "error",
        "A resume closes what a crash has left open before anything else happens.",
        "What is left open may be done twice.",
        REPORT,
    ),
    Rule(
        "FSA030",
        "error",
        "Each tool call has exactly one result before the model is asked again.",
        "Model servers refuse a conversation with an unanswered call; the session is stuck.",
        REPORT,
    ),
    Rule(
        "FSA031",
        "error",
        "Permissions, runs and results name a call of the answer, its tool and its id.",
        "A result under a wrong id is an answer to another question.",
        REPORT,
    ),
    Rule(
        "FSA032",
        "error",
        "Size and digest of each request follow from the lines before it.",
        "The model was sent something else than the log says.",
        "Run `fsm-agent replay --verify` for the first difference.",
        DIVERGED,
    ),
    Rule(
        "FSA033",
        "error",
        "Each request is closed once; tries are counted, bounded and never sooner than allowed.",
        "An open request hides its cost; too eager tries are an attack on the server.",
        REPORT,
    ),
    Rule(
        "FSA036",
        "error",
        "What overflowed the model's context is not sent again as long or longer.",
        "It will be refused again, and paid for again.",
        "Cut the context, or start a new session.",
    ),
    Rule(
        "FSA037",
        "error",
        "An answer enters the conversation at most once, whole blocks in their order.",
        "Doubled, lost or half calls make the model see what it never said.",
        REPORT,
    ),
    Rule(
        "FSA040",
        "error",
        "No call runs without a permission of its own, and each runs at most once.",
        "An unpermitted or repeated effect is the worst that an agent can do.",
        "Look at what the call changed; report it with this log.",
    ),
    Rule(
        "FSA041",
        "error",
        "A decision of a person follows that person's answer; a standing yes was given before.",
        "A forged yes is worse than none.",
        "Look at what the call changed; report it with this log.",
    ),
    Rule(
        "FSA042",
        "error",
        "What was denied or stopped does not run.",
        "A no must be a no.",
        "Look at what the call changed; report it with this log.",
    ),
    Rule(
        "FSA070",
        "warning",
        "The figures beside the log are the sums of what the log says.",
        "Wrong figures hide costs.",
        "Make `stats.json` again from the log.",
    ),
    Rule(
        "FSA072",
        "error",
        "A turn asks the model at most as often as its settings allow.",
        "A turn without an end costs without an end.",
        REPORT,
    ),
    Rule(
        "FSA073",
        "warning",
        "The same call with the same result is not made three times in a row.",
        "The model is in a loop, and pays for it.",
        "Interrupt such a turn, and tell the model what it misses.",
    ),
)
"""Whether the session did what it may, once, and to its end."""
