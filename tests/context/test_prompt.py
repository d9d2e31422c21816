"""The prompt is the same bytes wherever its facts are the same."""

from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from fsm_agent.context.calls import sent_id
from fsm_agent.context.prompt import Surroundings, render, sections
from fsm_agent.events.values import Section


def around(language: str, *files: tuple[str, str]) -> Surroundings:
    return Surroundings(
        language=language,
        cwd="/project",
        home="/home/somebody",
        platform="Linux",
        shell="bash",
        instructions=files,
    )


@pytest.mark.parametrize("language", ["en_US", "zh_CN"])
def test_the_whole_prompt(language: str, snapshot: SnapshotAssertion) -> None:
    files = ("/project/AGENTS.md", "Use tabs.\n"), ('/project/a "b"/AGENTS.md', "Or not.\r\n")

    assert render(sections(around(language, *files)), str) == snapshot


def test_an_empty_instruction_file_is_left_out() -> None:
    tags = [s.tag for s in sections(around("en_US", ("/project/AGENTS.md", " \n")))]

    assert tags == [
        "agent-identity",
        "environment",
        "rules",
        "using-your-tools",
        "output-language",
    ]


def test_a_section_s_text_may_lie_in_a_blob() -> None:
    shown = render((Section("rules", "see blob"),), lambda _: "kept elsewhere\n\n")

    assert shown == "<rules>\nkept elsewhere\n</rules>"


@pytest.mark.parametrize(
    ("given", "used", "sent"),
    [
        ("call_9", set[str](), "call_9"),
        ("", set[str](), "call_3_1"),
        ("call_9", {"call_9"}, "call_3_1"),
        ("bash:0", set[str](), "call_3_1"),
        ("x" * 41, set[str](), "call_3_1"),
        ("", {"call_3_1"}, "call_3_1x"),
    ],
)
def test_a_call_is_sent_with_an_id_of_its_own(given: str, used: set[str], sent: str) -> None:
    assert sent_id(given, "tool-3.1", used) == sent
