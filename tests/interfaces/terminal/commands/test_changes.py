"""What a session changed, and what of it can be taken back."""

from __future__ import annotations

from fsm_agent.events import inputs as i
from fsm_agent.events.lines import Line
from fsm_agent.events.values import Blob, FileChange
from fsm_agent.interfaces.terminal.commands.changes import Changes, ChangeSet, together

A, B, C = (Blob(name, 1) for name in "abc")


def taken(*events: i.Event) -> Changes:
    changes = Changes()
    for seq, event in enumerate(events):
        changes.take(Line(seq, "", "input", event))
    return changes


def wrote(path: str, before: Blob | None, after: Blob | None) -> i.Finished:
    change = FileChange(path, before, after)
    return i.Finished(instance="tool-1.1", activity=0, output="", changes=(change,))


def undone(of: int, *changes: FileChange) -> i.Command:
    return i.Command(name="undo", arguments={"of": of}, changes=changes)


def test_of_two_changes_the_first_before_and_the_last_after_count() -> None:
    changes = taken(wrote("x", None, A), wrote("x", A, B), wrote("y", C, A))

    assert changes.net() == [FileChange("x", None, B), FileChange("y", C, A)]


def test_a_file_left_as_it_was_found_is_no_change() -> None:
    assert taken(wrote("x", A, B), wrote("x", B, A)).net() == []


def test_the_newest_set_that_was_not_taken_back_is_next() -> None:
    first, second = wrote("x", A, B), wrote("x", B, C)
    changes = taken(first, second)
    assert changes.newest() == ChangeSet(1, second.changes, 1)

    changes.take(Line(2, "", "input", undone(1, FileChange("x", C, B))))
    assert changes.newest() == ChangeSet(0, first.changes, 1)
    assert changes.net() == [FileChange("x", A, B)]

    changes.take(Line(3, "", "input", undone(0, FileChange("x", B, A))))
    assert changes.newest() is None
    assert changes.net() == []


def test_several_changes_are_taken_back_as_one_the_latest_first() -> None:
    first = ChangeSet(1, (FileChange("x", A, B), FileChange("y", None, A)))
    second = ChangeSet(4, (FileChange("x", B, C), FileChange("z", A, B)))
    third = ChangeSet(7, (FileChange("z", B, A),))

    back = [FileChange("x", C, A), FileChange("y", A, None)]
    assert together([first, second, third]) == (back, [])


def test_a_file_that_was_not_found_as_it_was_left_was_changed_in_between() -> None:
    sets = [ChangeSet(1, (FileChange("x", A, B),)), ChangeSet(4, (FileChange("x", C, A),))]

    assert together(sets) == ([], ["x"])


def test_a_stopped_tool_s_changes_count() -> None:
    change = FileChange("x", None, A)
    stopped = i.Stopped(instance="tool-1.1", activity=0, changes=(change,))

    assert taken(stopped).net() == [change]
