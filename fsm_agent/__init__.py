"""A terminal coding agent: nothing moves without a declared transition."""

from fsm_agent.errors import FsmAgentError
from fsm_agent.version import __version__

__all__ = ["FsmAgentError", "__version__"]
