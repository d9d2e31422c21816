"""Lines are read as a terminal hands them over."""

from __future__ import annotations

import os
import pty
import termios
from collections.abc import Iterator

import pytest

from fsm_agent.interfaces.terminal.line.cooked import LONGEST, Keyboard


@pytest.fixture
def typed() -> Iterator[tuple[int, Keyboard]]:
    """Where keys are pressed, and who reads them."""
    there, here = pty.openpty()
    keyboard = Keyboard(here)
    yield there, keyboard
    keyboard.close()
    os.close(here)
    os.close(there)


def test_reading_never_waits_and_leaves_the_terminal_as_it_is(typed: tuple[int, Keyboard]) -> None:
    there, keyboard = typed
    before = termios.tcgetattr(there)

    assert keyboard.read() == []
    os.write(there, b"half")
    assert keyboard.read() == []
    os.write(there, b" and half\r")
    assert keyboard.read() == [b"half and half"]
    assert termios.tcgetattr(there) == before


def test_a_line_that_comes_in_two_parts_is_one(typed: tuple[int, Keyboard]) -> None:
    there, keyboard = typed
    os.write(there, b"one\x04")  # Ctrl-D in a line hands over what there is
    assert keyboard.read() == []
    os.write(there, b" two\r")

    assert keyboard.read() == [b"one two"]


def test_the_end_is_told(typed: tuple[int, Keyboard]) -> None:
    there, keyboard = typed
    os.write(there, b"\x04")

    with pytest.raises(EOFError):
        keyboard.read()


def test_what_is_forgotten_never_comes(typed: tuple[int, Keyboard]) -> None:
    there, keyboard = typed
    os.write(there, b"one\x04")
    keyboard.read()
    os.write(there, b"two\rthree")
    keyboard.forget()
    os.write(there, b"four\r")

    assert keyboard.read() == [b"four"]


def test_a_line_is_no_longer_than_a_terminal_hands_over(typed: tuple[int, Keyboard]) -> None:
    there, keyboard = typed
    mode = termios.tcgetattr(there)
    mode[3] &= ~termios.ECHO  # nobody reads what would be echoed
    termios.tcsetattr(there, termios.TCSANOW, mode)
    for _ in range(50):
        os.write(there, b"x" * 100)
    os.write(there, b"\r")

    assert keyboard.read() == [b"x" * LONGEST]


def test_a_terminal_that_is_gone_is_told_from_an_end() -> None:
    there, here = pty.openpty()
    keyboard = Keyboard(here)
    os.close(there)

    with pytest.raises(OSError, match=r"error|gone"):
        keyboard.read()
    keyboard.close()
    os.close(here)
