"""Failures of the wire, classed: what a response that is no answer means.

The order counts: an empty account, then a full context, then a content filter, then overload,
then the status. Codes decide before prose: the word "quota" is also used for plain rate limits.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import msgspec

from fsm_agent.dialects.spelling import clean
from fsm_agent.dialects.waits import asked_ms, in_words_ms, reset_ms
from fsm_agent.events.values import Failure, FailureKind

MESSAGE_LIMIT = 2000
"""Characters of a failure's message."""

# Patterns as text: they are compiled with the first failure, and a run may have none.
_QUOTA = (
    r"insufficient_quota|insufficient_balance|billing_hard_limit_reached|billing_error"
    r"|credit_balance_exhausted|.*_(?:spend|usage)_limit_(?:exceeded|reached)|usage_limit_reached"
    r"|exceeded_current_quota_error|usage_not_included|payment_required|arrearage"
    r"|1113|13(?:0[89]|1\d|2[01])"  # Z.ai: balance and plan
)
_QUOTA_TEXT = (
    r"(?i)exceeded your current quota|insufficient (?:account )?(?:balance|credits?|funds|quota)"
    r"|credit balance is too low|spend(?:ing)? limit|billing hard limit|out of credits"
    r"|free-models-per-day"
)
_RATE = r"rate_?limit.*|too_many_requests|throttling.*|resource_exhausted|ramp_limit.*"
_OVERFLOW = (
    r"context_length_exceeded|exceed_context_size_error|model_context_window_exceeded"
    r"|request_too_large"
)
_OVERFLOW_TEXT = (
    r"(?is)maximum context length|longer than the model's context length|exceeds the context window"
    r"|input tokens exceed the configured limit|prompt is too long|input is too long"
    r"|exceeds? (?:the )?context limit|input token count.*exceeds the maximum number of tokens"
    r"|maximum prompt length is \d+|reduce the length of the messages|exceeded model token limit"
    r"|context window exceeds limit|exceeds the available context size"
    r"|greater than the context length|prompt token count of \d+ exceeds the limit"
    r"|current length is .* while limit is|context[_ ]length[_ ]exceeded|token limit exceeded"
    r"|too many (?:input )?tokens"
)
_FILTER = (
    r"content_filter|content_policy_violation|responsibleaipolicyviolation|invalid_prompt"
    r"|bio_policy|misalignment_policy_violation|data_inspection_failed"
)
_OVERLOADED = r".*overloaded.*|slow_down|.*over_capacity.*|1305|insufficient_system_resource"
_OVERLOADED_TEXT = r"(?i)overloaded|over capacity|at capacity"
_TOO_LONG_STRING = r"string_above_max_length"
_AUTH = r"invalid_api_key|api_key_invalid|authentication_error|unauthenticated"

_TOO_MANY = HTTPStatus.TOO_MANY_REQUESTS
_WRONG_PLACES = (*range(300, 400), HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED)
_OUR_FAULTS = frozenset(range(400, 500)) - {_TOO_MANY}

_STATUS_OF = {
    "invalid_request_error": 400,
    "not_found_error": 404,
    "model_not_found": 404,
    "permission_error": 403,
    "timeout_error": 504,
    "api_error": 500,
    "server_error": 500,
}
"""Status of an error that came inside a 200, by its code or type."""

_KIND_OF: dict[int, FailureKind] = {
    401: "auth",
    402: "quota_exhausted",
    403: "auth",
    407: "network",
    408: "server_error",
    409: "server_error",
    413: "context_overflow",
    429: "rate_limit",
    503: "overloaded",
    529: "overloaded",
}
_TRANSIENT = ("rate_limit", "overloaded", "server_error", "malformed_answer")
_OVERRULED = (*_TRANSIENT, "bad_request")
"""Kinds for which the server's own word on trying again, `x-should-retry`, counts."""


class _Report(msgspec.Struct, frozen=True):
    """What an error says of itself. `status` is 0 where neither HTTP nor the error names one."""

    status: int
    codes: tuple[str, ...]
    code: str | None
    text: str
    moderated: bool = False

    def says(self, codes: str) -> bool:
        return any(re.fullmatch(codes, code) for code in self.codes)


def rejected(status: int, headers: Mapping[str, str], body: bytes, now: float, key: str) -> Failure:
    """Class a response whose status says that it is no answer.

    Args:
        status: HTTP status.
        headers: In any case.
        body: As it came; JSON, HTML, text or nothing.
        now: Unix time, for dates in headers.
        key: The environment variable that holds the key, for the hint.
    """
    low = {name.lower(): value for name, value in headers.items()}
    error = _error(_json(body))
    report = _report(error, readable(body), status)
    kind = _kind(report, waits=bool(low.get("retry-after") or low.get("retry-after-ms")))
    inner = _mapping(_mapping(error.get("metadata")).get("headers"))
    low |= {name.lower(): str(value) for name, value in inner.items()}
    asked = asked_ms(low, report.text, now)
    retry = kind in _TRANSIENT
    if kind in _OVERRULED and low.get("x-should-retry") in ("true", "false"):
        retry = low["x-should-retry"] == "true"
    shown = report.code if report.code and not report.code.isdecimal() else ""
    return Failure(
        kind,
        f"HTTP {status}{' ' if shown else ''}{shown}: {report.text or 'an empty body'}",
        retry=retry,
        status=status,
        code=report.code,
        retry_after_ms=asked if retry else None,
        hint=_hint(kind, status, key, reset_ms(low.get("x-ratelimit-reset", ""), now)),
    )


def reported(error: object, key: str) -> Failure:
    """Class an error that came inside an answer with status 200: an object, a text or nothing."""
    report = _report(_error(error), "the server reported an error without saying which", 200)
    kind = _kind(report, waits=False)
    retry = kind in _TRANSIENT
    return Failure(
        kind,
        report.text,
        retry=retry,
        code=report.code,
        retry_after_ms=asked_ms({}, report.text, None) if retry else None,
        hint=_hint(kind, report.status, key, None),
    )


def readable(body: bytes) -> str:
    """A body in words: HTML as its title or its text, white space as single spaces, bounded."""
    text = clean(body[: MESSAGE_LIMIT * 8].decode("utf-8", "replace"))
    if text.lstrip("\ufeff \t\r\n").startswith("<"):
        title = re.search(r"<title[^>]*>(.*?)</title", text, re.IGNORECASE | re.DOTALL)
        text = re.sub(
            r"(?is)<(script|style)\b.*?</\1\s*>|<[^>]*>", " ", title[1] if title else text
        )
    return " ".join(text.split())[:MESSAGE_LIMIT]


def _json(body: bytes) -> object:
    try:
        value: object = msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError):
        return None
    return value


def _error(value: object) -> dict[str, Any]:
    """The error itself, out of a list of one, an object under `error`, or a bare text."""
    if isinstance(value, list) and value:
        value = value[0]
    if isinstance(value, dict):
        value = value.get("error") or value
    return value if isinstance(value, dict) else {"message": value} if value else {}


def _mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _report(error: dict[str, Any], otherwise: str, status: int) -> _Report:
    named = (
        error.get("code"),
        error.get("type"),
        error.get("status"),
        _mapping(error.get("details")).get("error_code"),
        _mapping(error.get("innererror")).get("code"),
    )
    codes = tuple(
        clean(str(n)).strip() for n in named if isinstance(n, str | int) and str(n).strip()
    )
    metadata = _mapping(error.get("metadata"))
    words = (error.get("message") or error.get("detail"), metadata.get("raw"))
    text = " ".join(" ".join(w.split()) for w in words if isinstance(w, str)) or otherwise
    low = tuple(code.lower() for code in codes)
    return _Report(
        status if status != HTTPStatus.OK else _status(low),
        low,
        next((c for c in codes if not c.isdecimal()), codes[0] if codes else None),
        clean(text)[:MESSAGE_LIMIT],
        moderated=bool(metadata.get("reasons") or metadata.get("flagged_input")),
    )


def _status(codes: tuple[str, ...]) -> int:
    """The status of an error inside a 200: a code that is one, else what its type stands for."""
    numbers = [int(code) for code in codes if re.fullmatch(r"[45]\d\d", code)]
    return next(iter(numbers + [_STATUS_OF[code] for code in codes if code in _STATUS_OF]), 0)


def _kind(report: _Report, *, waits: bool) -> FailureKind:
    status, text = report.status, report.text
    limited = status in (413, 429) and "tokens per minute" in text.lower()  # Groq's 413
    rate = limited or report.says(_RATE)
    # A server that names a wait means a rate, not an empty account.
    broke = not (rate or waits or in_words_ms(text)) and re.search(_QUOTA_TEXT, text)
    one_string = report.says(_TOO_LONG_STRING)
    full = not (rate or one_string or status == _TOO_MANY) and re.search(_OVERFLOW_TEXT, text)
    # A fault of ours may well mention overload; a fault of theirs that does is one.
    busy = not rate and status not in _OUR_FAULTS and re.search(_OVERLOADED_TEXT, text)
    found: tuple[tuple[FailureKind, object], ...] = (
        ("quota_exhausted", report.says(_QUOTA) or status == HTTPStatus.PAYMENT_REQUIRED or broke),
        ("context_overflow", full or report.says(_OVERFLOW)),
        ("content_filter", report.says(_FILTER) or report.moderated),
        ("overloaded", report.says(_OVERLOADED) or busy),
        ("rate_limit", rate),
        ("auth", report.says(_AUTH)),
        ("malformed_answer", "tool_use_failed" in report.codes),
    )
    other: FailureKind = "bad_request" if 300 <= status < 500 else "server_error"  # noqa: PLR2004
    return next((kind for kind, holds in found if holds), _KIND_OF.get(status, other))


def _hint(kind: FailureKind, status: int, key: str, reset: float | None) -> str | None:
    if kind == "auth":
        return f"Check the API key: {key}, or the variable your provider's settings name."
    if kind == "quota_exhausted":
        when = f" The limit is reset in {_span(reset)}." if reset and reset > 0 else ""
        return f"Add credit, or choose another provider or model (/model).{when}"
    if kind == "bad_request" and status in _WRONG_PLACES:
        return "Check the model's name and the base URL."
    if kind == "bad_request":
        return "The server refuses the request as it stands: check model, effort and vendor."
    if kind == "context_overflow":
        return "The request is larger than the model's context: ask for less at once, or start a new session."
    if kind == "network":
        return "The proxy asks for a login: put it into the proxy's URL."
    return None


def _span(ms: float) -> str:
    minutes = int(ms // 60_000) + 1
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h"  # noqa: PLR2004
