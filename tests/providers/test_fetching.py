"""A file is fetched whole, once, or it is said why not."""

from __future__ import annotations

import socket

import pytest

from fsm_agent.events.values import Failure
from fsm_agent.providers import fetching
from fsm_agent.providers.fetching import Fetched, fetch
from fsm_agent.testing import ModelServer, Reply
from fsm_agent.testing.replies import GARBAGE, HUNG_UP, redirected

JSON = {"Content-Type": "application/json", "ETag": '"v1"'}
LIST = Reply((b'{"a"', b":1}"), headers=JSON)


def said(reply: Reply, **options: float) -> str:
    """Why this reply is no file."""
    with ModelServer(reply) as server:
        failed = fetch(f"{server.url}/api.json", **options)  # type: ignore[arg-type]  # seconds only
    assert isinstance(failed, Failure)
    return failed.message


def test_a_file_comes_with_what_its_server_calls_it() -> None:
    with ModelServer(LIST) as server:
        got = fetch(f"{server.url}/api.json")

        assert got == Fetched(b'{"a":1}', '"v1"')
        assert server.requests[0].method == "GET"
        assert server.requests[0].path == "/api.json"
        assert "if-none-match" not in server.requests[0].headers


def test_a_file_that_has_not_changed_is_not_sent_again() -> None:
    with ModelServer(Reply(status=304, headers={}, framing="length")) as server:
        got = fetch(server.url, '"v1"')

        assert got == Fetched(None, '"v1"')
        assert server.requests[0].headers["if-none-match"] == '"v1"'


@pytest.mark.parametrize("status", [400, 403, 404, 429, 500, 503])
def test_a_status_is_said(status: int) -> None:
    assert str(status) in said(Reply((b"no",), status, {}))


def test_an_unchanged_file_is_none_where_there_is_no_old_one() -> None:
    assert "status 304" in said(Reply(status=304, headers={}, framing="length"))


@pytest.mark.parametrize("url", ["", "ftp://127.0.0.1/x", "file:///etc/hosts", "models.json"])
def test_what_is_no_address_of_the_web_is_said(url: str) -> None:
    failed = fetch(url)

    assert isinstance(failed, Failure)
    assert failed.message == f"'{url}' is not the address of a file"


def test_a_redirect_is_not_followed() -> None:
    assert "redirects to https://elsewhere.example/" in said(
        redirected("https://elsewhere.example/")
    )


@pytest.mark.parametrize("reply", [GARBAGE, HUNG_UP], ids=["garbage", "hung up"])
def test_what_is_no_answer_is_said(reply: Reply) -> None:
    assert "closed the connection, or did not answer in HTTP" in said(reply)


def test_a_file_that_is_cut_off_is_no_file() -> None:
    assert "closed inside the answer" in said(LIST.first(1, "cut"))


def test_a_file_that_stands_still_is_given_up() -> None:
    assert "stood still" in said(LIST.first(1, "stall"), step_s=0.1)


def test_a_server_that_says_nothing_is_given_up() -> None:
    assert "did not begin an answer within 0.1 s" in said(Reply((1.0,), framing="raw"), step_s=0.1)


def test_a_file_that_trickles_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetching, "WHOLE_S", 0.05)
    pieces = [piece for _ in range(50) for piece in (b" ", 0.02)]

    assert "did not come within" in said(Reply(tuple(pieces), headers=JSON))


def test_a_huge_file_is_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetching, "MOST_BYTES", 1 << 20)

    assert "longer than 1 MiB" in said(Reply((b" " * (1 << 20),) * 2, headers=JSON))


def test_a_server_that_is_not_there_is_said() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        failed = fetch(f"http://127.0.0.1:{taken.getsockname()[1]}")

    assert isinstance(failed, Failure)
    assert "refused the connection" in failed.message


@pytest.mark.parametrize(
    "url", ["", "nonsense", "ftp://a.example/b", "http://[", "file:///etc/hosts"]
)
def test_what_is_no_address_is_said(url: str) -> None:
    assert isinstance(fetch(url), Failure)
