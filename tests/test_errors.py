"""Every error leads to an exit code that is listed with its meaning."""

from __future__ import annotations

import pytest

from fsm_agent import errors
from fsm_agent.errors import EXIT_CODES, DeclarationError, FsmAgentError, IllegalTrigger

ERRORS = [c for c in vars(errors).values() if isinstance(c, type) and issubclass(c, FsmAgentError)]


@pytest.mark.parametrize("error", ERRORS)
def test_an_error_s_exit_code_is_listed_and_is_not_good(error: type[FsmAgentError]) -> None:
    assert error.exit_code in EXIT_CODES
    assert error.exit_code != 0


def test_a_declaration_error_points_at_file_and_line() -> None:
    assert str(DeclarationError("turn.toml", 7, "no such state")) == "turn.toml:7: no such state"


def test_an_illegal_trigger_names_machine_trigger_and_state() -> None:
    assert (
        str(IllegalTrigger("door", "open", "pulled"))
        == "door: 'pulled' in 'open': no row allows it"
    )
