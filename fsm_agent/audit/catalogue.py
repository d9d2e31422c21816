"""The built-in rules: what each claims, why, and what to do."""

from __future__ import annotations

from fsm_agent.audit.findings import Rule

TORN = 5
DAMAGED = 3
UNKNOWN = 6
DIVERGED = 4

_RESTORE = "Restore the file from a backup; `fsm-agent --resume ID` goes on from what is proved."
_REPORT = "Report it as a fault of the program that wrote the log, with this log."

RULES = (
    # integrity
    Rule(
        "FSA001",
        "error",
        "Every line is a JSON object of this format.",
        "A line that cannot be read hides what happened there.",
        _RESTORE,
        DAMAGED,
    ),
    Rule(
        "FSA002",
        "error",
        "`seq` grows by one from line to line.",
        "A hole means that lines were taken out; a repeated number, that two programs wrote.",
        _RESTORE,
        DAMAGED,
    ),
    Rule(
        "FSA003",
        "error",
        "Each batch's seal follows from the seal before it and from the batch's bytes.",
        "A log that was changed after it was written proves nothing.",
        _RESTORE,
        DAMAGED,
    ),
    Rule(
        "FSA004",
        "error",
        "The log holds the seal that was expected.",
        "A log that was cut back to an earlier seal still proves out; only a seal kept elsewhere "
        "shows it.",
        "Look for the longer log; do not trust this one.",
        DAMAGED,
    ),
    Rule(
        "FSA005",
        "warning",
        "The log ends with a whole batch.",
        "An append that was cut short (a crash, a full disk) has lost its last batch.",
        "Resume the session: it sets the torn tail aside and goes on.",
        TORN,
    ),
    Rule(
        "FSA006",
        "error",
        "Time never goes back, and all lines of a batch have one time.",
        "A wrong order of times makes every report about the session wrong.",
        _REPORT,
        DAMAGED,
    ),
    Rule(
        "FSA007",
        "error",
        "Each derived line names the line of its batch that caused it.",
        "Without true causes nobody can say why something happened.",
        _REPORT,
    ),
    Rule(
        "FSA008",
        "error",
        "Long texts stand in blobs, and a result is no longer than its limit.",
        "Overlong lines make the log slow to read, and the model's context full.",
        _REPORT,
    ),
    Rule(
        "FSA009",
        "error",
        "Every blob that the log names is there, with the bytes it names.",
        "A lost blob is a lost tool output, file or prompt.",
        "Copy the folder `blobs/` together with the log.",
        DAMAGED,
    ),
    # structure
    Rule(
        "FSA010",
        "error",
        "Every transition is a row of the log's own tables, with answers that the row takes.",
        "A move that nobody declared is what this program promises never to make.",
        _REPORT,
    ),
    Rule(
        "FSA011",
        "error",
        "A transition leaves the state in which its instance is.",
        "A gap between two states means that a move was not logged.",
        _REPORT,
    ),
    Rule(
        "FSA012",
        "error",
        "Instances are known machines, are numbered in order and come to be once.",
        "A call or turn from nowhere was asked for by nobody.",
        _REPORT,
    ),
    Rule(
        "FSA013",
        "error",
        "A transition writes the lines that its row emits, in their order, and no others.",
        "A missing or extra line makes the conversation differ from what the tables say.",
        _REPORT,
    ),
    Rule(
        "FSA014",
        "error",
        "A batch takes exactly the moves that its input and its rows ask for, in their order.",
        "A move that was left out, doubled or put earlier breaks the machines' agreement.",
        _REPORT,
    ),
    Rule(
        "FSA015",
        "error",
        "The log's format and its tables are known and sound.",
        "What was written by unknown rules cannot be judged by ours.",
        "Use the version that wrote the log, or copy its `blobs/` along.",
        UNKNOWN,
    ),
    Rule(
        "FSA016",
        "error",
        "The digest of the state in each seal follows from the lines before it.",
        "The program that wrote the log held another state than the log says.",
        "Run `fsm-agent replay --verify` for the first difference.",
        DIVERGED,
    ),
    Rule(
        "FSA017",
        "error",
        "Each outcome fits the activity that it names, and no activity has two.",
        "An outcome counted twice is an effect or a cost counted twice.",
        _REPORT,
    ),
    Rule(
        "FSA018",
        "error",
        "Each line speaks of what is there.",
        "A line about an unknown call, line or answer cannot be folded; a resume would stop here.",
        _REPORT,
    ),
    # runs and turns
    Rule(
        "FSA020",
        "error",
        "A log begins with `session_start`, once; after `session_end` only a resume follows.",
        "Lines outside a run were written by a program that had already left.",
        _REPORT,
    ),
    Rule(
        "FSA021",
        "error",
        "At most one turn is under way.",
        "Two turns at once mix two conversations.",
        _REPORT,
    ),
    Rule(
        "FSA022",
        "error",
        "Every turn ends through `persist` and `drain`, before the session does.",
        "A turn that ends elsewhere may have lost its answer or its results.",
        _REPORT,
    ),
    Rule(
        "FSA023",
        "error",
        "After an interrupt, a crash or a failed turn nothing starts until a person acts.",
        "A person who said stop must be able to rely on it.",
        _REPORT,
    ),
    Rule(
        "FSA024",
        "error",
        "Waiting lines are taken in their order, or given back; none is lost.",
        "A lost line is an instruction that the model never saw.",
        _REPORT,
    ),
    Rule(
        "FSA025",
        "error",
        "A resume closes what a crash has left open before anything else happens.",
        "What is left open may be done twice.",
        _REPORT,
    ),
    # requests, calls and answers
    Rule(
        "FSA030",
        "error",
        "Each tool call has exactly one result before the model is asked again.",
        "Model servers refuse a conversation with an unanswered call; the session is stuck.",
        _REPORT,
    ),
    Rule(
        "FSA031",
        "error",
        "Permissions, runs and results name a call of the answer, its tool and its id.",
        "A result under a wrong id is an answer to another question.",
        _REPORT,
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
        _REPORT,
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
        _REPORT,
    ),
    # permissions
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
    # budget
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
        _REPORT,
    ),
    Rule(
        "FSA073",
        "warning",
        "The same call with the same result is not made three times in a row.",
        "The model is in a loop, and pays for it.",
        "Interrupt such a turn, and tell the model what it misses.",
    ),
    # hygiene
    Rule(
        "FSA082",
        "note",
        "Every type of line is known to this program.",
        "What an unknown line did could not be judged.",
        "Audit with the version that wrote the log.",
    ),
)
"""All built-in rules, by id."""
