"""A recorded session answers as it did, and nothing that was not recorded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from fsm_agent.errors import UsageError
from fsm_agent.events import derived as d
from fsm_agent.events import inputs as i
from fsm_agent.events.lines import Line
from fsm_agent.events.values import Failure
from fsm_agent.testing.acting import Crash, Person, is_line
from fsm_agent.testing.cassette import Cassette, CassettePerson, CassetteTools
from fsm_agent.testing.recording import Recording
from fsm_agent.testing.stage import CWD, Scene, Stage, say
from fsm_agent.tools.protocol import Workplace

SNAPSHOTS = Path(__file__).parents[1] / "runtime" / "__snapshots__" / "test_sequences"
PLAYED = sorted(SNAPSHOTS.glob("test_a_turn_without_a_person_in_between*.jsonl"))
MORE = [
    SNAPSHOTS / f"{name}.jsonl"
    for name in (
        "test_a_standing_yes_is_asked_for_once",
        "test_an_edit_waits_for_the_read_of_the_same_file",
        "test_denied_by_a_person_with_a_word",
        "test_malformed_arguments_are_told_to_the_model",
        "test_the_step_limit",
    )
]
READS = '---\ncall: Read {"path": "a.py"}\n---\ntext: Done.'


def again(home: Path, recording: Recording, *, in_order: bool = False) -> Stage:
    """A stage on which the recording plays all parts."""
    return Stage(
        home,
        "",
        asker=CassettePerson(recording),
        provider=Cassette(recording, in_order=in_order),
        scene=Scene(
            CassetteTools(recording),
            Workplace(root=CWD, environment={}),
            recording.world.tools,
            recording.sections,
            recording.settings,
        ),
    )


async def recorded(home: Path, script: str = READS, *lines: str) -> Recording:
    """The recording of a play."""
    stage = Stage(home / "recorded", script)
    await stage.play(*map(say, lines or ("go",)))
    return Recording(stage.directory)


def told(stage: Stage) -> str:
    """Why the session failed."""
    (error,) = (line.event for line in stage.lines if isinstance(line.event, d.Error))
    return error.message


@pytest.mark.parametrize("log", [*PLAYED, *MORE], ids=lambda log: log.stem)
async def test_a_recorded_session_played_again_writes_the_same_bytes(
    log: Path, tmp_path: Path
) -> None:
    recording = Recording(log)
    stage = again(tmp_path, recording)

    await stage.play(*[[line] for line in recording.said])

    assert stage.log == log.read_text()


@pytest.mark.parametrize("protocol", ["openai", "anthropic"])
async def test_a_request_is_known_in_every_protocol(protocol: str, tmp_path: Path) -> None:
    """Anthropic's carry cache marks, which move on with each request."""
    source = SNAPSHOTS / "test_a_turn_without_a_person_in_between[one tool].jsonl"
    recording = Recording(source)
    first = Stage(
        tmp_path / "1",
        "",
        provider=Cassette(recording, in_order=True),
        scene=Scene(CassetteTools(recording), Workplace(root=CWD, environment={})),
        protocol=protocol,
    )
    assert await first.play(say("go")) == 0

    second = again(tmp_path / "2", Recording(first.directory))

    assert await second.play(say("go")) == 0
    assert second.log == first.log


async def test_another_request_fails_with_the_nearest_and_what_differs(tmp_path: Path) -> None:
    recording = await recorded(tmp_path)
    stage = again(tmp_path, recording)

    assert await stage.play(say("stop")) == 1

    assert told(stage) == (
        f"{recording.path}: this request was not recorded. The nearest is line 9; "
        'the first difference is in messages[1].content\n  recorded: "go"\n  now:      "stop"'
    )
    assert not any(is_line(line, "retry") for line in stage.lines)


async def test_the_nearest_request_is_the_one_that_goes_along_farthest(tmp_path: Path) -> None:
    recording = await recorded(tmp_path, f"{READS}\n---\ntext: Bye.", "go", "and now?")
    stage = again(tmp_path, recording)

    assert await stage.play(say("go"), say("and then?")) == 1

    third = recording.requests[2].seq
    assert f"The nearest is line {third}; the first difference is in messages[5]" in told(stage)


async def test_a_changed_setting_is_named_by_its_field(tmp_path: Path) -> None:
    recording = await recorded(tmp_path)
    recording.settings = i.Settings(protocol="scripted", model="another")
    stage = again(tmp_path, recording)

    assert await stage.play(say("go")) == 1

    assert 'difference is in model\n  recorded: "script"\n  now:      "another"' in told(stage)


async def test_an_answer_is_given_as_often_as_it_was_recorded(tmp_path: Path) -> None:
    recording = await recorded(tmp_path)
    cassette = Cassette(recording)
    ((seq, body), _) = recording.bodies()

    assert not isinstance(await cassette.open(body), Failure)
    failure = await cassette.open(body)

    assert isinstance(failure, Failure)
    assert not failure.retry
    assert failure.message.endswith(f"all answers have been given (1, to lines {seq})")


async def test_in_order_it_answers_whatever_is_asked(tmp_path: Path) -> None:
    recording = await recorded(tmp_path)
    stage = again(tmp_path, recording, in_order=True)

    assert await stage.play(say("something else")) == 0


async def test_what_never_ended_is_not_ended_now(tmp_path: Path) -> None:
    stopped = Stage(tmp_path / "stopped", "text: Hello, \nhang")
    died = Stage(tmp_path / "died", "text: Hello.")

    def stop(line: Line) -> Iterator[Sequence[i.Event]]:
        if is_line(line, "read_answer"):
            yield [i.Interrupt()]

    def die(line: Line) -> None:
        if is_line(line, "read_answer"):
            raise Crash

    await stopped.play(say("go"), react=stop)
    with pytest.raises(Crash):
        await died.play(say("go"), react=die)

    for stage, why in ((stopped, "was stopped halfway"), (died, "was never answered")):
        later = again(stage.home / "later", Recording(stage.directory))
        assert await later.play(say("go")) == 1
        assert told(later).endswith(why)


async def test_another_call_fails_with_the_next_of_its_tool(tmp_path: Path) -> None:
    recording = await recorded(tmp_path)
    tools = CassetteTools(recording)
    place = Workplace(root=CWD, environment={})

    one = await (await tools["Read"].start({"path": "a.py"}, place)).wait()
    rest = [
        await (await tools[name].start({"path": "b.py"}, place)).wait() for name in ("Read", "Edit")
    ]

    assert one.output == "done"
    assert [outcome.ok for outcome in rest] == [False, False]
    assert [line.partition("; ")[2] for line in tools.missed] == [
        "none of Read is left",
        "none of Edit is left",
    ]


async def test_a_call_with_other_input_names_the_field(tmp_path: Path) -> None:
    tools = CassetteTools(await recorded(tmp_path))

    await tools["Read"].start({"path": "b.py"}, Workplace(root=CWD, environment={}))

    (missed,) = tools.missed
    assert missed.endswith(
        'the first difference is in path\n  recorded: "a.py"\n  now:      "b.py"'
    )


async def test_a_question_that_was_not_asked_then_is_answered_no(tmp_path: Path) -> None:
    script = '---\ncall: Bash {"command": "make"}\n---\ntext: Done.'
    stage = Stage(tmp_path, script, asker=Person(("yes", "")), permission="ask", person=True)
    await stage.play(say("go"))
    person = CassettePerson(Recording(stage.directory))

    answers = [
        await person.ask(
            i.ToolCall(instance="", activity=0, n=0, name="Bash", id="", input={"command": c}), ""
        )
        for c in ("rm", "make", "make")
    ]

    assert [answer for answer, _ in answers] == ["no", "yes", "no"]
    assert 'recorded: "make"\n  now:      "rm"' in answers[0][1]
    assert len(person.missed) == 2


def test_a_log_without_a_request_is_no_recording(tmp_path: Path) -> None:
    log = tmp_path / "events.jsonl"
    log.write_bytes(b"")

    with pytest.raises(UsageError, match="no request is in this log"):
        Recording(log)
