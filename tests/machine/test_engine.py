"""Where `transitions` fails in silence, this program does not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import PurePath

import pytest
from transitions import Machine, MachineError

from fsm_agent.errors import IllegalTrigger
from fsm_agent.machine import Table, read_table
from fsm_agent.machine.checking import check
from fsm_agent.machine.engine import Engine

DOOR = """\
[machine]
name    = "door"
version = 1
caption = "Open or shut."
initial = "shut"

[states]
shut = { caption = "Nobody can pass." }
open = { caption = "Anybody can." }

[asks]
key = { of = ["no", "yes"], caption = "Is the key at hand?" }

[rows]
D1 = { from = "shut", on = "pushed", when = { key = "yes" }, to = "open", emits = ["bell"] }
D2 = { from = "shut", on = "pushed", when = { key = "no" } }
D3 = { from = "open", on = "pulled", to = "shut" }
"""


class Model:
    """A model of the library's, as its manual shows it."""

    state: str

    def go(self) -> str:
        return "the model's own"


def door(text: str = DOOR) -> Table:
    return read_table(text, PurePath("states/door.toml"))


def faults(text: str) -> list[str]:
    return [str(fault) for fault in check(door(text), PurePath("states/door.toml"))]


def test_there_is_no_back_door_to_a_state() -> None:
    """`auto_transitions`, on by default, declare `to_open` for every state."""
    assert "to_open" in Machine(Model(), states=["shut", "open"], initial="shut").events

    assert list(Engine(door().states, door().rows)._machine.events) == ["pushed", "pulled"]
    with pytest.raises(IllegalTrigger):
        door().fire("shut", "to_open", ())


def test_no_state_is_kept_that_an_assignment_could_change() -> None:
    """`model.state = "open"` is a plain assignment; here the state is an argument."""
    engine = Engine(door().states, door().rows)
    taken = engine.decide("shut", "pushed", {"key": "yes"})

    assert taken
    assert taken.to == "open"
    assert engine._machine.models == []
    assert engine.decide("shut", "pushed", {"key": "yes"}) is taken


def test_a_misspelt_question_is_found_before_it_is_asked() -> None:
    """The library takes any name for a guard and fails when it is fired."""
    model = Model()
    lazy = Machine(model, states=["shut", "open"], initial="shut")
    lazy.add_transition("pushed", "shut", "open", conditions="kye")
    with pytest.raises(AttributeError, match="kye"):
        lazy.events["pushed"].trigger(model)

    assert faults(DOOR.replace("{ key =", "{ kye =")) == [
        "states/door.toml:12: question 'key' is asked by no row",
        "states/door.toml:15: D1: unknown question 'kye'",
        "states/door.toml:16: D2: unknown question 'kye'",
    ]


def test_two_rows_for_the_same_thing_are_refused() -> None:
    """The library takes the first and says nothing."""
    model = Model()
    lazy = Machine(model, states=["shut", "open"], initial="shut")
    lazy.add_transition("pushed", "shut", "open")
    lazy.add_transition("pushed", "shut", None)
    assert lazy.events["pushed"].trigger(model)
    assert model.state == "open"

    assert faults(DOOR + 'D4 = { from = "open", on = "pulled" }\n') == [
        "states/door.toml:18: D3 and D4 overlap: 'pulled' in 'open'"
    ]


def test_a_no_of_every_row_is_an_error_and_not_false() -> None:
    model = Model()
    lazy = Machine(model, states=["shut", "open"], initial="shut")
    lazy.add_transition("pushed", "shut", "open", conditions=lambda: False)
    assert lazy.events["pushed"].trigger(model) is False

    gap = DOOR.replace("D2 =", "# D2 =")
    with pytest.raises(IllegalTrigger, match="no row takes"):
        door(gap).fire("shut", "pushed", (("key", "no"),))
    assert faults(gap) == ["states/door.toml:15: no row takes 'pushed' in 'shut' with key = no"]


def test_unknown_and_illegal_triggers_are_one_error() -> None:
    """The library raises AttributeError for the one, MachineError for the other."""
    model = Model()
    lazy = Machine(model, states=["shut", "open"], initial="shut")
    lazy.add_transition("pulled", "open", "shut")
    with pytest.raises(AttributeError):
        model.trigger("hoped")  # type: ignore[attr-defined]
    with pytest.raises(MachineError):
        model.trigger("pulled")  # type: ignore[attr-defined]

    for trigger in ("hoped", "pulled"):
        with pytest.raises(IllegalTrigger, match=f"door: '{trigger}' in 'shut'"):
            door().fire("shut", trigger, ())


def test_what_a_row_says_beyond_the_library_is_kept_by_us() -> None:
    """A key of ours is a TypeError to the library; it sees trigger, source, dest and guard only."""
    with pytest.raises(TypeError, match="emits"):
        Machine(
            Model(),
            states=["shut", "open"],
            initial="shut",
            transitions=[{"trigger": "x", "source": "shut", "dest": "open", "emits": ["bell"]}],
        )

    assert door().fire("shut", "pushed", (("key", "yes"),)).emits == ("bell",)


@pytest.mark.parametrize("name", ["go", "state", "trigger", "may_trigger", "is_open", "events"])
def test_a_trigger_may_have_any_name(name: str) -> None:
    """The library does not bind a trigger that is named like something the model has."""
    model = Model()
    lazy = Machine(model, states=["shut", "open"], initial="shut")
    lazy.add_transition("go", "shut", "open")
    assert model.go() == "the model's own"
    assert model.state == "shut"

    assert door(DOOR.replace('"pulled"', f'"{name}"')).fire("open", name, ()).to == "shut"


def test_a_state_that_nobody_declared_is_refused() -> None:
    """The library takes unknown states until it meets one."""
    model = Model()
    lazy = Machine(model, states=["shut"], initial="shut")
    lazy.add_transition("pushed", "shut", "opne")
    with pytest.raises(ValueError, match="opne"):
        lazy.events["pushed"].trigger(model)

    assert "states/door.toml:15: D1: unknown state 'opne'" in faults(
        DOOR.replace('to = "open"', 'to = "opne"')
    )


def test_a_final_state_is_the_end() -> None:
    """The library lets a machine leave a state that it was told is final."""
    model = Model()
    lazy = Machine(model, states=["shut", {"name": "open", "final": True}], initial="open")
    lazy.add_transition("pulled", "open", "shut")
    assert lazy.events["pulled"].trigger(model)

    assert faults(DOOR.replace('can."', 'can.", final = true')) == [
        "states/door.toml:17: D3: leaves the final state 'open'"
    ]


def test_the_library_s_extensions_are_never_loaded() -> None:
    """Its asynchronous machines swallow a cancellation; so they are not even imported."""
    program = (
        "import sys, fsm_agent.machine; "
        "print([name for name in sys.modules if name.startswith('transitions.extensions')])"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert ended.stdout == "[]\n"
