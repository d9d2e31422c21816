"""A report as text; each is a pure function of the report.

plain        for people, grouped by rule
data         JSON
junit        JUnit XML: a suite a log, a case a rule
sarif        SARIF 2.1.0, for code scanning
github       annotations of a GitHub job
"""

from fsm_agent.audit.formats.data import as_json
from fsm_agent.audit.formats.github import github
from fsm_agent.audit.formats.junit import junit
from fsm_agent.audit.formats.plain import human
from fsm_agent.audit.formats.sarif import sarif

__all__ = ["as_json", "github", "human", "junit", "sarif"]
