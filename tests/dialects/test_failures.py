"""A response that is no answer is classed by what it says."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsm_agent.dialects import dialect
from fsm_agent.dialects.failures import MESSAGE_LIMIT, rejected
from fsm_agent.events.values import Failure


def rejection(status: int, error: Any = None, headers: dict[str, str] | None = None) -> Failure:
    body = b"" if error is None else json.dumps({"error": error}).encode()
    return rejected(status, headers or {}, body, 0, "THE_KEY")


@pytest.mark.parametrize(
    ("status", "kind", "retry"),
    [
        (302, "bad_request", False),
        (400, "bad_request", False),
        (401, "auth", False),
        (402, "quota_exhausted", False),
        (403, "auth", False),
        (404, "bad_request", False),
        (405, "bad_request", False),
        (407, "network", False),
        (408, "server_error", True),
        (409, "server_error", True),
        (413, "context_overflow", False),
        (422, "bad_request", False),
        (429, "rate_limit", True),
        (500, "server_error", True),
        (502, "server_error", True),
        (503, "overloaded", True),
        (504, "server_error", True),
        (522, "server_error", True),
        (529, "overloaded", True),
    ],
)
def test_a_bare_status_has_its_meaning(status: int, kind: str, retry: bool) -> None:
    failure = rejection(status)
    assert (failure.error, failure.retry, failure.status) == (kind, retry, status)
    assert str(status) in failure.message


@pytest.mark.parametrize(
    ("status", "error", "kind"),
    [
        (429, {"code": "insufficient_quota"}, "quota_exhausted"),
        (429, {"message": "quota exceeded, retry in 3s", "type": "rate_limit"}, "rate_limit"),
        (429, {"message": "You exceeded your current quota, please check"}, "quota_exhausted"),
        (429, {"message": "You exceeded your current quota. Retry in 14.4s"}, "rate_limit"),
        (429, {"type": "exceeded_current_quota_error"}, "quota_exhausted"),
        (429, {"code": "1113", "message": "x"}, "quota_exhausted"),
        (429, {"code": "1302", "message": "x"}, "rate_limit"),
        (429, {"code": "1305", "message": "x"}, "overloaded"),
        (429, {"message": "Request too large: too many tokens"}, "rate_limit"),
        (429, {"type": "engine_overloaded_error"}, "overloaded"),
        (
            429,
            {"type": "rate_limit_error", "details": {"error_code": "enforced_spend_limit_reached"}},
            "quota_exhausted",
        ),
        (400, {"message": "Your credit balance is too low to access"}, "quota_exhausted"),
        (413, {"message": "Request too large on tokens per minute (TPM)"}, "rate_limit"),
        (400, {"code": "context_length_exceeded"}, "context_overflow"),
        (
            400,
            {"message": "prompt is too long: 210000 tokens > 200000 maximum"},
            "context_overflow",
        ),
        (400, {"message": "exceeded model token limit: 8192"}, "context_overflow"),
        (400, {"code": "string_above_max_length", "message": "too many tokens"}, "bad_request"),
        (400, {"code": "content_filter", "innererror": {"code": "x"}}, "content_filter"),
        (400, {"innererror": {"code": "ResponsibleAIPolicyViolation"}}, "content_filter"),
        (403, {"message": "flagged", "metadata": {"reasons": ["violence"]}}, "content_filter"),
        (500, {"message": "The engine is currently overloaded"}, "overloaded"),
        (400, {"message": "operator + is overloaded"}, "bad_request"),
        (400, {"code": "invalid_api_key"}, "auth"),
        (400, {"code": "tool_use_failed"}, "malformed_answer"),
        (404, {"type": "invalid_request_error", "code": "model_not_found"}, "bad_request"),
        (500, {"type": "invalid_request_error"}, "server_error"),
    ],
)
def test_what_an_error_says_counts_before_its_status(status: int, error: Any, kind: str) -> None:
    assert rejection(status, error).error == kind


def test_a_rate_limit_carries_the_wait_and_what_is_final_does_not() -> None:
    asked = {"Retry-After": "2"}
    assert rejection(429, headers=asked).retry_after_ms == 2000
    assert rejection(503, headers=asked).retry_after_ms == 2000
    assert rejection(429, {"code": "insufficient_quota"}, asked).retry_after_ms is None


def test_the_reset_hidden_in_a_body_is_found() -> None:
    soon = {"message": "slow down", "metadata": {"headers": {"X-RateLimit-Reset": "4000"}}}
    assert rejection(429, soon).retry_after_ms == 4_000_000
    spent = soon | {"code": "insufficient_quota"}
    assert "reset in 67 min" in (rejection(429, spent).hint or "")


@pytest.mark.parametrize(
    ("status", "said", "retry"),
    [(429, "false", False), (400, "true", True), (401, "true", False), (402, "true", False)],
)
def test_the_server_may_say_whether_to_try_again(status: int, said: str, retry: bool) -> None:
    assert rejection(status, headers={"X-Should-Retry": said}).retry is retry


@pytest.mark.parametrize("status", [302, 400, 401, 402, 403, 404, 405, 407, 413, 422])
def test_what_is_final_comes_with_a_hint(status: int) -> None:
    assert rejection(status).hint


@pytest.mark.parametrize(("name", "key"), [("openai", "OPENAI"), ("anthropic", "ANTHROPIC")])
def test_a_refused_key_is_named(name: str, key: str) -> None:
    failure = dialect(name).failure(401, {}, b"", 0)
    assert f"{key}_API_KEY" in (failure.hint or "")


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        (b"", "HTTP 400: an empty body"),
        (b"plain\n text", "HTTP 400: plain text"),
        (b"<html><title>Bad\nGateway</title><p>x</html>", "HTTP 400: Bad Gateway"),
        (b"<p>Some <b>text</b><script>x<y</script></p>", "HTTP 400: Some text"),
        (b'{"error":{"code":"c","message":"m"}}', "HTTP 400 c: m"),
        (b'{"error":"m"}', "HTTP 400: m"),
        (b'{"message":"m","code":400}', "HTTP 400: m"),
        (b'[{"error":{"message":"m","status":"INVALID"}}]', "HTTP 400 INVALID: m"),
        (b'{"detail":"m"}', "HTTP 400: m"),
        (b'{"detail":[{"msg":"m"}]}', 'HTTP 400: {"detail":[{"msg":"m"}]}'),
        (b'{"error":{"message":"m","metadata":{"raw":"upstream"}}}', "HTTP 400: m upstream"),
        (b"\xff\xfe", "HTTP 400: \ufffd\ufffd"),
    ],
)
def test_the_message_is_status_and_body_in_readable_form(body: bytes, shown: str) -> None:
    assert rejected(400, {}, body, 0, "KEY").message == shown


def test_the_message_is_bounded() -> None:
    for body in (b"x" * 100_000, json.dumps({"error": {"message": "x" * 100_000}}).encode()):
        assert len(rejected(500, {}, body, 0, "KEY").message) < MESSAGE_LIMIT + 50


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["error", "code", "type", "message", "metadata", "details", "headers"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=8,
)


@given(st.integers(300, 599), JSON.map(lambda v: json.dumps(v).encode()) | st.binary())
def test_no_body_breaks_it(status: int, body: bytes) -> None:
    failure = rejected(status, {}, body, 0, "KEY")
    assert str(status) in failure.message
