"""The built-in rules: what each claims, why, what to do.

advice    what to do about findings, and their exit codes
files     the log as a file, its batches and lines
sessions  runs, turns, requests and calls
economy   cuts of the context, and the plan
"""

from fsm_agent.audit.catalogue.economy import ECONOMY
from fsm_agent.audit.catalogue.files import FILES
from fsm_agent.audit.catalogue.sessions import SESSIONS

RULES = tuple(sorted((*FILES, *SESSIONS, *ECONOMY), key=lambda rule: rule.id))
"""All built-in rules, by id."""

__all__ = ["RULES"]
