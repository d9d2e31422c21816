"""What a finished log must never show; nothing is ever written.

auditing   one pass over each log; findings come out
catalogue  the built-in rules: what each claims, why, what to do
sharing    many logs judged by several processes
proving    the proved batches, and each way in which one can fail to be
evidence   what a rule may look at, and how it says what it found
moves      rules about transitions
runs       rules about runs, turns and waiting lines
requests   rules about requests and answers
tries      rules about how often a request is tried, and what closes it
calls      rules about tool calls
cutting    rules about cuts of the context
planning   rules about the plan
keeping    rules about texts, blobs, tables and figures
deriving   rules that re-derive digests, when asked for
rulefiles  rule files read: the built-in ones in `watches/`, and a team's own
watching   rules as machines at work on a log
peers      logs of other programs, as far as they say what the rules need
folding    the world that an audit looks at
findings   findings, results and the report
counting   what was taken of the tables
covering   how much of the tables that is, as text or data
formats    a report as plain text, JSON, JUnit, SARIF or GitHub's annotations
"""

from fsm_agent.audit.auditing import Options, audit
from fsm_agent.audit.findings import Finding, Report, Result, Rule
from fsm_agent.audit.formats import as_json, github, human, junit, sarif

__all__ = [
    "Finding",
    "Options",
    "Report",
    "Result",
    "Rule",
    "as_json",
    "audit",
    "github",
    "human",
    "junit",
    "sarif",
]
