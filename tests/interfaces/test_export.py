"""Exports carry what a log tells, escaped, and say how much it is."""

from __future__ import annotations

import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import msgspec
import pytest
from syrupy.assertion import SnapshotAssertion

from fsm_agent.events.lines import KNOWN
from fsm_agent.events.values import Blob, Usage
from fsm_agent.interfaces.exporting.atif import atif
from fsm_agent.interfaces.exporting.command import FORMS
from fsm_agent.interfaces.exporting.html import html
from fsm_agent.interfaces.exporting.markdown import fenced, markdown
from fsm_agent.interfaces.exporting.otlp import otlp
from fsm_agent.interfaces.exporting.plain import plain
from fsm_agent.interfaces.exporting.transcribing import transcribe
from fsm_agent.interfaces.exporting.transcript import Said, Transcript
from fsm_agent.log.blobs import BlobStore
from fsm_agent.log.reading import read
from fsm_agent.testing.program import Ended, Program
from fsm_agent.testing.stage import Stage, say

GOOD = sorted((Path(__file__).parents[1] / "replays" / "1" / "good").glob("*.jsonl"))
ONE_TOOL = next(path for path in GOOD if path.stem == "one-tool")
EVIL = """\
---
thinking: <script>a()</script> \x1b]0;x\x07
text:
    <img src=x onerror=b()> ![i](http://e/i.png) [l](javascript:c()) \u202e
    ```
    </pre></details><script>d()</script>
call: Bash {"command": "echo '```' </pre><script>e()</script>", "output": "</pre><script>f()"}
---
text: ok
"""
REPAIR = """\
---
text: I write, then I look.
call: Write {"path": "a.py", "content": "one\\ntwo\\n"}
usage: 100 10
---
call: Edit {"path": "a.py", "old_string": "two", "new_string": "three"}
call: Bash {"command": "exit 3"}
usage: 20 5 100
---
text: Done.
usage: 30 5 120 7
"""


Verb = Callable[..., Ended]


def no_blobs(blob: Blob) -> bytes:
    raise AssertionError(blob)


def told(log: Path) -> Transcript:
    return transcribe(read(log), no_blobs)


@pytest.fixture
def repaired(program: Program) -> Program:
    """A session that wrote and changed a file, and a command that failed."""
    assert program.play(REPAIR, "mend it").code == 0
    return program


# -- the transcript ------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("log", GOOD, ids=lambda log: log.stem)
def test_every_golden_log_goes_into_every_form(form: str, log: Path) -> None:
    made, leaves_out = FORMS[form]
    transcript = told(log)

    assert made(transcript).endswith(b"\n")
    assert transcript.gaps == []
    assert all(n <= transcript.events[name] for name, n in transcript.carried.items())
    assert leaves_out <= set(KNOWN)


def test_a_transcript_tells_turns_answers_and_calls(repaired: Program) -> None:
    session = repaired.sessions[-1]
    transcript = transcribe(read(session / "events.jsonl"), BlobStore(session).get)

    (turn,) = transcript.turns
    write, edit, run = (call for answer in transcript.answers() for call in answer.calls)
    assert turn.how == "answered"
    assert [part.text for part in turn.parts if isinstance(part, Said)] == ["mend it"]
    assert [answer.text for answer in transcript.answers()] == [
        "I write, then I look.",
        "",
        "Done.",
    ]
    assert [(call.name, call.fault, call.layer) for call in (write, edit, run)] == [
        ("Write", "", "mode"),
        ("Edit", "", "mode"),
        ("Bash", "failed", "mode"),
    ]
    assert [(diff.path, diff.added, diff.removed) for diff in edit.diffs] == [("a.py", 1, 1)]
    assert turn.usage == transcript.usage == Usage(150, 20, 220, 7)


def test_what_was_tried_again_and_cut_off_is_told(snapshot: SnapshotAssertion) -> None:
    logs = [path for path in GOOD if path.stem in ("retry", "cut-answer-and-on")]

    assert [markdown(told(log)).decode() for log in logs] == snapshot


def test_a_missing_file_is_a_gap(repaired: Program, verb: Verb) -> None:
    for blob in (repaired.sessions[-1] / "blobs").iterdir():
        blob.unlink()

    run = verb("export", "--to", "html")

    assert run.code == 0
    assert run.err.count("the log names this blob, and it is not there") >= 2
    assert b"Done." in run.out


# -- forms ---------------------------------------------------------------------------------------


def test_markdown_is_one_text_to_read(snapshot: SnapshotAssertion) -> None:
    assert markdown(told(ONE_TOOL)).decode() == snapshot


def test_atif_is_one_trajectory(snapshot: SnapshotAssertion) -> None:
    assert atif(told(ONE_TOOL)).decode() == snapshot


def test_otlp_is_one_tree_of_spans_a_turn(snapshot: SnapshotAssertion) -> None:
    assert otlp(told(ONE_TOOL)).decode() == snapshot


def test_json_is_the_transcript(snapshot: SnapshotAssertion) -> None:
    assert plain(told(ONE_TOOL)).decode() == snapshot
    assert msgspec.json.decode(plain(told(ONE_TOOL)), type=Transcript) == told(ONE_TOOL)


def test_the_page_shows_diffs_and_failures_open(repaired: Program, verb: Verb) -> None:
    assert repaired.sessions
    page = verb("export", "--to", "html").out.decode()

    assert '<span class="removed">-two</span><span class="added">+three</span>' in page
    assert "+2 −0" in page
    assert re.search(r'class="call failed" open>.*failed', page)
    assert "377 tokens in, 20 out" in page


class Tags(HTMLParser):
    """The tags of a page, and what they may load or run."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.all: set[str] = set()
        self.loads: list[str] = []
        self.runs: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.all.add(tag)
        self.loads += [name for name, _ in attrs if name in ("src", "style", "srcset")]
        self.runs += [name for name, _ in attrs if name.startswith("on")]
        self.runs += [to for name, to in attrs if name == "href" and to and "script" in to]
        if tag not in ("meta", "br", "hr"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


async def test_nothing_that_was_said_becomes_markup_or_is_loaded(tmp_path: Path) -> None:
    stage = Stage(tmp_path, EVIL)
    await stage.play(say("</div><script>g()</script>\x1b[2J"))
    page = html(told(stage.directory / "events.jsonl")).decode()

    tags = Tags()
    tags.feed(page)
    tags.close()

    assert tags.open == []
    assert tags.all.isdisjoint({"script", "img", "link", "iframe"})
    assert tags.loads == tags.runs == []
    assert "\x1b" not in page
    assert "\u202e" not in page
    assert page.count("&lt;script&gt;") >= 5
    assert "default-src 'none'" in page


async def test_nothing_that_was_said_steers_a_terminal_or_closes_a_fence(tmp_path: Path) -> None:
    stage = Stage(tmp_path, EVIL)
    await stage.play(say("a\n# no heading"))
    text = markdown(told(stage.directory / "events.jsonl")).decode()

    assert "\x1b" not in text
    assert "> a\n> # no heading" in text
    assert "````\n{" in text
    assert fenced("```") == "````\n```\n````"


def spans(log: Path) -> list[dict[str, Any]]:
    (resource,) = msgspec.json.decode(otlp(told(log)))["resourceSpans"]
    (scope,) = resource["scopeSpans"]
    return list(scope["spans"])


@pytest.mark.parametrize("log", GOOD, ids=lambda log: log.stem)
def test_spans_have_their_own_ids_and_lie_within_their_parents(log: Path) -> None:
    found = spans(log)
    by_id = {span["spanId"]: span for span in found}

    assert len(by_id) == len(found) > 0
    for span in found:
        assert re.fullmatch("[0-9a-f]{16}", span["spanId"])
        assert re.fullmatch("[0-9a-f]{32}", span["traceId"])
        assert int(span["startTimeUnixNano"]) <= int(span["endTimeUnixNano"])
        if parent := by_id.get(span.get("parentSpanId", "")):
            assert parent["traceId"] == span["traceId"]
            assert int(parent["startTimeUnixNano"]) <= int(span["startTimeUnixNano"])
            assert int(span["endTimeUnixNano"]) <= int(parent["endTimeUnixNano"])
        else:
            assert span["name"] == "invoke_agent fsm-agent"
    assert spans(log) == found


@pytest.mark.parametrize("log", GOOD, ids=lambda log: log.stem)
def test_a_trajectory_numbers_its_steps_and_pairs_calls_with_results(log: Path) -> None:
    made = msgspec.json.decode(atif(told(log)))

    assert [step["step_id"] for step in made["steps"]] == [*range(1, len(made["steps"]) + 1)]
    assert made["final_metrics"]["total_steps"] == len(made["steps"])
    for step in made["steps"]:
        calls = [call["tool_call_id"] for call in step.get("tool_calls", [])]
        results = [r["source_call_id"] for r in step.get("observation", {}).get("results", [])]
        assert calls == results
        assert step["source"] in ("user", "agent", "system")
