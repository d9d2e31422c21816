"""Diffs say the same as the standard ones, and say it fast."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from fsm_agent.tools.diffs import diff

CONTENT = st.lists(st.sampled_from(["a\n", "b\n", "\n", "c\r\n", "d\x0be\n"]), max_size=30).flatmap(
    lambda lines: st.sampled_from(["", "end"]).map(lambda end: "".join([*lines, end]).encode())
)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(CONTENT, CONTENT)
@example(b"a\nb\na\nb\na\nb\na\n", b"b\na\nb\na\n")
@example(b"a\na\na\na\nb\na\n", b"a\na\na\nb\na\n")
def test_a_diff_applies(tmp_path: Path, before: bytes, after: bytes) -> None:
    file = tmp_path / "f"
    file.write_bytes(before)
    change = diff("f", before, after)
    patch = ["git", "apply", "--whitespace=nowarn", "-p0", "-"]
    if before != after:
        subprocess.run(patch, input=change.text.encode(), cwd=tmp_path, check=True)

    assert file.read_bytes() == after
    assert change.added - change.removed == lines(after) - lines(before)


def lines(content: bytes) -> int:
    return content.count(b"\n") + (not content.endswith(b"\n") and content != b"")


def test_a_change_in_a_large_file_is_found_fast() -> None:
    before = b"".join(b"%d\n" % (n % 100) for n in range(200_000))
    begun = time.perf_counter()
    change = diff("f", before, before[:300_000] + b"x\n" + before[300_000:])

    assert change.added - change.removed == 1
    assert change.added <= 2
    assert time.perf_counter() - begun < 1


def test_a_file_that_is_all_new_is_not_searched_for_equal_lines() -> None:
    before = b"a\nb\n" * 5000
    begun = time.perf_counter()
    change = diff("f", before, b"b\na\n" * 5000)

    assert (change.added, change.removed) == (10_000, 10_000)
    assert time.perf_counter() - begun < 1
