"""Rules about the log as a file, and the batches and lines in it."""

from __future__ import annotations

from fsm_agent.audit.catalogue.advice import DAMAGED, DIVERGED, REPORT, RESTORE, TORN, UNKNOWN
from fsm_agent.audit.findings import Rule

FILES = (
    Rule(
        "FSA001",
        "error",
        "Every line is a JSON object of this format.",
        "A line that cannot be read hides what happened there.",
        RESTORE,
        DAMAGED,
    ),
    Rule(
        "FSA002",
        "error",
        "`seq` grows by one from line to line.",
        "A hole means that lines were taken out; a repeated number, that two programs wrote.",
        RESTORE,
        DAMAGED,
    ),
    Rule(
        "FSA003",
        "error",
        "Each batch's seal follows from the seal before it and from the batch's bytes.",
        "A log that was changed after it was written proves nothing.",
        RESTORE,
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
        REPORT,
        DAMAGED,
    ),
    Rule(
        "FSA007",
        "error",
        "Each derived line names the line of its batch that caused it.",
        "Without true causes nobody can say why something happened.",
        REPORT,
    ),
    Rule(
        "FSA008",
        "error",
        "Long texts stand in blobs, and a result is no longer than its limit.",
        "Overlong lines make the log slow to read, and the model's context full.",
        REPORT,
    ),
    Rule(
        "FSA009",
        "error",
        "Every blob that the log names is there, with the bytes it names.",
        "A lost blob is a lost tool output, file or prompt.",
        "Copy the folder `blobs/` together with the log.",
        DAMAGED,
    ),
    Rule(
        "FSA010",
        "error",
        "Every transition is a row of the log's own tables, with answers that the row takes.",
        "A move that nobody declared is what this program promises never to make.",
        REPORT,
    ),
    Rule(
        "FSA011",
        "error",
        "A transition leaves the state in which its instance is.",
        "A gap between two states means that a move was not logged.",
        REPORT,
    ),
    Rule(
        "FSA012",
        "error",
        "Instances are known machines, are numbered in order and come to be once.",
        "A call or turn from nowhere was asked for by nobody.",
        REPORT,
    ),
    Rule(
        "FSA013",
        "error",
        "A transition writes the lines that its row emits, in their order, and no others.",
        "A missing or extra line makes the conversation differ from what the tables say.",
        REPORT,
    ),
    Rule(
        "FSA014",
        "error",
        "A batch takes exactly the moves that its input and its rows ask for, in their order.",
        "A move that was left out, doubled or put earlier breaks the machines' agreement.",
        REPORT,
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
        REPORT,
    ),
    Rule(
        "FSA018",
        "error",
        "Each line speaks of what is there.",
        "A line about an unknown call, line or answer cannot be folded; a resume would stop here.",
        REPORT,
    ),
    Rule(
        "FSA082",
        "note",
        "Every type of line is known to this program.",
        "What an unknown line did could not be judged.",
        "Audit with the version that wrote the log.",
    ),
)
"""Whether the log can be read, is whole, and says what its tables say."""
