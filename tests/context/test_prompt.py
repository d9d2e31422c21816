"""The prompt is the same bytes wherever its facts are the same."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from fsm_agent.context.calls import sent_id
from fsm_agent.context.prompt import (
    INSTRUCTIONS_CAP,
    ORDER,
    Surroundings,
    instruction_sections,
    render,
    replaced,
    sections,
)
from fsm_agent.events.values import Blob, Section

TOOLS = ("Read", "Write", "Edit", "Bash", "Glob", "Grep", "TodoWrite")
BARE = Surroundings("en_US", "/project", "/home/somebody", "Linux", "bash")
FULL = msgspec.structs.replace(
    BARE,
    instructions=(
        ("/project/AGENTS.md", "Use tabs.\n"),
        ('/project/a "b"/AGENTS.md', "Or not.\r\n"),
    ),
    memory=(("user", "Prefers short answers.\n"),),
    draft="/state/session/plan.draft",
)


def tags(parts: tuple[Section, ...]) -> list[str]:
    return [part.tag for part in parts]


@pytest.mark.parametrize("language", ["en_US", "zh_CN"])
def test_the_whole_prompt(language: str, snapshot: SnapshotAssertion) -> None:
    parts = sections(msgspec.structs.replace(FULL, language=language), TOOLS)
    plan = Section("current-plan", "1. Look.\n2. Leap.\n", "/state/session/plan.md")
    parts = replaced(parts, "current-plan", [plan])
    parts = replaced(parts, "context-snapshot", [Section("context-snapshot", "We looked.")])

    assert render(parts, str) == snapshot


@pytest.mark.parametrize("language", ["en_US", "ru_RU", "ja_JP", "xx_XX"])
def test_what_the_prompt_says_by_itself_is_short(language: str) -> None:
    around = msgspec.structs.replace(BARE, language=language, draft="/state/session/plan.draft")

    assert len(render(sections(around, TOOLS), str).encode()) / 4 < 1_800  # tokens, about


def test_what_there_is_nothing_to_say_of_is_left_out() -> None:
    around = msgspec.structs.replace(
        BARE, instructions=(("/project/AGENTS.md", " \n"),), memory=(("user", ""),)
    )

    assert tags(sections(around, ())) == [
        "agent-identity",
        "environment",
        "rules",
        "output-language",
    ]


def test_only_tools_that_there_are_are_spoken_of() -> None:
    about = {part.tag: str(part.text) for part in sections(BARE, ("Read", "Bash"))}

    assert "todo-guidance" not in about
    assert "checkpoint-guidance" not in about
    for absent in ("Grep", "Glob", "Edit", "Write"):
        assert absent not in about["using-your-tools"]
    assert "Use Read rather than a command" in about["using-your-tools"]


def test_a_plan_is_spoken_of_where_there_can_be_one() -> None:
    with_draft = {part.tag: str(part.text) for part in sections(FULL, TOOLS)}

    assert "plan-lifecycle-guidance" not in tags(sections(BARE, TOOLS))
    for word in ("REVISE", "CONFIRM", "CANCEL", "/state/session/plan.draft", "/session/plan.md"):
        assert word in with_draft["plan-lifecycle-guidance"]


@given(st.sets(st.sampled_from(TOOLS)), st.booleans())
def test_sections_stand_in_their_order(tools: set[str], full: bool) -> None:
    places = [list(ORDER).index(tag) for tag in tags(sections(FULL if full else BARE, tools))]

    assert places == sorted(places)


@given(st.permutations(list(ORDER)))
def test_sections_put_in_one_by_one_come_out_in_order(order: list[str]) -> None:
    parts: tuple[Section, ...] = ()
    for tag in order:
        parts = replaced(parts, tag, [Section(tag, "one"), Section(tag, "two")])

    assert tags(parts) == [tag for tag in ORDER for _ in range(2)]
    for tag in order:
        parts = replaced(parts, tag, [])
    assert parts == ()


def test_blank_sections_replace_by_nothing_and_a_blob_is_not_blank() -> None:
    old = (Section("rules", "x"), Section("current-plan", "old"), Section("output-language", "y"))
    long = Section("current-plan", Blob("0" * 64, 5000))

    assert replaced(old, "current-plan", [Section("current-plan", " \n")]) == (old[0], old[2])
    assert replaced(old, "current-plan", [long]) == (old[0], long, old[2])


def test_a_section_that_is_not_known_stays_where_it_is() -> None:
    old = Section("rules", "x"), Section("of-another-version", "?"), Section("output-language", "y")
    plan = Section("current-plan", "go")

    assert replaced(old, "current-plan", [plan]) == (*old[:2], plan, old[2])


def test_instructions_that_are_too_much_lose_their_outer_ones() -> None:
    half, text = INSTRUCTIONS_CAP // 2, "é" * (INSTRUCTIONS_CAP // 4)
    files = [(f"/{name}/AGENTS.md", text) for name in ("outer", "middle", "inner")]

    outer, middle, inner = instruction_sections([("/first", "x" * half), *files])[1:]

    assert (middle.text, inner.text) == (text, text)
    assert str(outer.text).startswith("(cut: all instruction files together")


def test_an_instruction_file_is_cut_between_characters() -> None:
    (cut,) = instruction_sections([("/AGENTS.md", "x" + "é" * INSTRUCTIONS_CAP)])

    kept, _, note = str(cut.text).partition("\n")
    assert kept == "x" + "é" * (INSTRUCTIONS_CAP // 2 - 1)
    assert note.startswith("(cut: ")


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
