"""What is typed: a line of its own, or the answer to a question."""

from __future__ import annotations

from prompt_toolkit.buffer import Buffer
from prompt_toolkit.document import Document


class Typed:
    """The line; while a question stands it is the answer, and what was typed before waits aside.

    A question stands from when it can be read as a whole: nothing that was typed before answers it.

    Attributes:
        question: What stands before the answer; empty while no question does.
    """

    def __init__(self, buffer: Buffer) -> None:
        self.question = ""
        self._buffer = buffer
        self._aside = Document()
        self._due: object = None

    @property
    def text(self) -> str:
        """What is typed."""
        return self._buffer.text

    def take(self) -> str:
        """What is typed; the line is empty then, and kept in the history.

        While a question is about to stand there is no answer yet: what is typed stays where it is.
        """
        if self._due and not self.question:
            return ""
        text = self.text
        self._buffer.reset(append_to_history=not self.question)
        return text

    def lift(self) -> str:
        """What is typed, to be put back later; the line is empty until then."""
        text = self.text
        self._buffer.reset()
        return text

    def put(self, text: str) -> None:
        """Put text before what is typed, or will be again after a question."""
        typed = self._aside.text if self.question else self.text
        document = Document("\n".join(part for part in (text, typed) if part))
        if self.question:
            self._aside = document
        else:
            self._buffer.document = document

    def ask(self) -> object:
        """A question is on its way: this one."""
        self._due = object()
        return self._due

    def stand(self, question: str, due: object) -> None:
        """It stands, unless it was taken back: the line is the answer from here on."""
        if due is self._due:
            self._aside, self.question = self._buffer.document, question
            self._buffer.reset()

    def asked(self) -> None:
        """The question is answered or taken back."""
        if self.question:
            self._buffer.reset(self._aside)
        self.question, self._due = "", None
