"""How long to wait is understood in every form, and only if it lies ahead."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsm_agent.dialects.waits import asked_ms

NOW = 1_796_029_200.0  # Mon, 30 Nov 2026 09:00:00 GMT


@pytest.mark.parametrize(
    ("text", "ms"),
    [
        ("2", 2000),
        ("1.5", 1500),
        (" 3 ", 3000),
        ("86400", 86_400_000),
        ("0", None),
        ("-5", None),
        ("soon", None),
        ("", None),
        ("nan", None),
        ("inf", None),
        ("1e3", None),
        ("0x10", None),
        ("9" * 400, None),
        ("2, 5", 5000),
        ("2, soon", 2000),
        ("soon, 2", 2000),
        ("Mon, 30 Nov 2026 09:00:03 GMT", 3000),
        ("Monday, 30-Nov-26 09:00:03 GMT", 3000),
        ("Mon Nov 30 09:00:03 2026", 3000),
        ("Mon, 30 Nov 2026 10:00:03 +0100", 3000),
        ("Mon, 30 Nov 2026 09:00:03 GMT, Mon, 30 Nov 2026 09:00:09 GMT", 9000),
        ("Mon, 30 Nov 2026 08:59:57 GMT", None),
        ("Mon, 99 Nov 2026 99:99:99 GMT", None),
        ("Foo, 30 Bar 2026 09:00:03 GMT", None),
    ],
)
def test_retry_after_is_seconds_or_a_date_to_come(text: str, ms: int | None) -> None:
    assert asked_ms({"retry-after": text}, "", NOW) == ms


@pytest.mark.parametrize(
    ("headers", "message", "ms"),
    [
        ({"retry-after-ms": "1500", "retry-after": "9"}, "", 1500),
        ({"retry-after-ms": "0.4"}, "", 1),
        ({"retry-after-ms": "-1", "retry-after": "2"}, "", 2000),
        ({"retry-after": "soon"}, "Please try again in 20s.", 20_000),
        ({}, "Rate limit reached. Please try again in 1h2m3.5s. Visit", 3_723_500),
        ({}, "try again in 59.7ms", 60),
        ({}, "quota exceeded, retry in 3s", 3000),
        ({}, "Please retry after 2 seconds", 2000),
        ({}, "Please wait 2 minutes", 120_000),
        ({}, "try again in a while", None),
        ({}, f"try again in {'9' * 400} hours", 10**12),
        ({"x-ratelimit-reset-tokens": f"{'9' * 400}s"}, "", 10**12),
        ({"retry-after": "9" * 15}, "", 10**12),
        ({"x-ratelimit-reset-requests": "1m2s"}, "", 62_000),
        ({"x-ratelimit-reset-requests": "6m0s", "x-ratelimit-remaining-requests": "12"}, "", None),
        (
            {
                "x-ratelimit-reset-requests": "9s",
                "x-ratelimit-remaining-requests": "3",
                "x-ratelimit-reset-tokens": "59.7ms",
                "x-ratelimit-remaining-tokens": "0",
            },
            "",
            60,
        ),
        ({"x-ratelimit-reset-tokens": "17"}, "", 17_000),
        ({"x-ratelimit-reset": "1796029260"}, "", 60_000),
        ({"x-ratelimit-reset": "1796029260000"}, "", 60_000),
        ({"x-ratelimit-reset": "30"}, "", 30_000),
        ({"x-ratelimit-reset": "-1"}, "", None),
    ],
)
def test_each_place_is_looked_at_in_its_order(
    headers: dict[str, str], message: str, ms: int | None
) -> None:
    assert asked_ms(headers, message, NOW) == ms


def test_a_date_without_a_zone_is_not_in_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    try:
        assert asked_ms({"retry-after": "Mon Nov 30 09:00:03 2026"}, "", NOW) == 3000
    finally:
        monkeypatch.undo()
        time.tzset()


def test_points_in_time_mean_nothing_without_a_clock() -> None:
    date = {"retry-after": "Mon, 30 Nov 2026 09:00:03 GMT", "x-ratelimit-reset": "1796029260"}
    assert asked_ms(date, "", None) is None


@given(st.text(), st.text(), st.text())
def test_no_header_or_message_breaks_it(after: str, reset: str, message: str) -> None:
    headers = {"retry-after": after, "x-ratelimit-reset": reset, "x-ratelimit-reset-tokens": reset}
    asked = asked_ms(headers, message, NOW)
    assert asked is None or asked > 0
