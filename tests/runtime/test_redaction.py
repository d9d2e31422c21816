"""The value of a secret is nowhere but where it came from."""

from __future__ import annotations

import msgspec
import pytest

from fsm_agent.events import inputs as i
from fsm_agent.policy.grants import Grants
from fsm_agent.policy.judging import judge
from fsm_agent.runtime.redaction import Redactor, secrets_of

VALUE = "sk-0123456789abcdef"
REDACTOR = Redactor({"OPENAI_API_KEY": VALUE})
SHOWN = "[secret:OPENAI_API_KEY]"
SETTINGS = i.Settings(protocol="openai", model="m", permission="allow")


def call(name: str, **arguments: str) -> i.ToolCall:
    return i.ToolCall(instance="tool-1.1", activity=3, n=0, name=name, id="c", input=arguments)


def test_secrets_are_known_by_the_ends_of_their_names() -> None:
    environment = {"GITHUB_TOKEN": "g" * 20, "HOME": "/home/somebody", "SHORT_TOKEN": "abc"}

    assert secrets_of(environment, VALUE) == {"GITHUB_TOKEN": "g" * 20, "API_KEY": VALUE}


@pytest.mark.parametrize(
    "name",
    [
        "API_KEY",
        "TOKEN",
        "PASSWORD",
        "GITHUB_PAT",
        "DJANGO_SECRET_KEY",
        "DB_PASS",
        "SSH_PRIVATE_KEY",
        "OPENAI_APIKEY",
    ],
)
def test_secrets_by_other_names(name: str) -> None:
    assert secrets_of({name: "12345678"}, None) == {name: "12345678"}


@pytest.mark.parametrize("name", ["PATH", "COMPASS", "KEYBOARD", "TOKENIZERS_PARALLELISM"])
def test_names_that_only_look_so(name: str) -> None:
    assert secrets_of({name: "123456789"}, None) == {}


def test_a_password_in_an_address_is_one() -> None:
    address = "postgres://me:hunter2hunter2@db.example/x"

    assert secrets_of({"DATABASE_URL": address}, None) == {"DATABASE_URL": "hunter2hunter2"}


def test_a_secret_of_digits_breaks_no_number() -> None:
    redactor = Redactor({"PIN_TOKEN": "100000000000"})
    event = call("Bash", command="echo 100000000000")
    event.input["timeout"] = 100000000000

    clean = redactor.clean(event)

    assert clean.input == {"command": "echo [secret:PIN_TOKEN]", "timeout": 100000000000}


def test_every_field_of_an_input_is_cleaned() -> None:
    native = msgspec.Raw(b'{"command": "echo ' + VALUE.encode() + b'"}')
    event = i.ToolCall(
        instance="tool-1.1",
        activity=3,
        n=0,
        name="Bash",
        id="c",
        input={"command": f"echo {VALUE}"},
        native=native,
    )

    clean = msgspec.json.encode(REDACTOR.clean(event))

    assert VALUE.encode() not in clean
    assert clean.count(SHOWN.encode()) == 2


def test_an_input_without_secrets_is_left_as_it_is() -> None:
    event = i.UserInput(text="hello")

    assert REDACTOR.clean(event) is event


def test_a_call_that_holds_a_placeholder_is_blocked() -> None:
    verdict = judge(call("Bash", command=f"echo {SHOWN}"), SETTINGS, Grants(), "/p", ["Bash"])

    assert (verdict.action, verdict.layer) == ("block", "secret")
    assert SHOWN in verdict.reason


def test_a_placeholder_may_be_searched_for() -> None:
    verdict = judge(call("Grep", pattern=SHOWN), SETTINGS, Grants(), "/p", ["Grep"])

    assert verdict.action == "run"
