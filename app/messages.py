"""What widgets tell their screen."""

from __future__ import annotations

from dataclasses import dataclass

from textual.message import Message


class DraftChanged(Message):
    """The composer's text or caret is another."""


@dataclass
class DraftSubmitted(Message):
    """The person pressed Enter on a draft."""

    text: str


class ChoiceClicked(Message):
    """The person clicked a row of the popup; it is the selected one now."""


class SelectionScrolled(Message):
    """The wheel moved the popup's selection."""


@dataclass
class RowToggled(Message):
    """A row of the transcript is to open or close."""

    index: int


@dataclass
class RowChosen(Message):
    """The transcript's cursor stands on another row."""


@dataclass
class RowCopied(Message):
    """A row's own words are to be copied."""

    index: int


@dataclass
class QuestionAnswered(Message):
    """The person chose an answer to the question that is shown."""

    answer: str


@dataclass
class ProblemChosen(Message):
    """A problem is to be opened in the editor, at its line."""

    path: str
    line: int | None


@dataclass
class Pasted(Message):
    """A text of this many characters and lines was pasted."""

    characters: int
    lines: int


@dataclass
class PageTurned(Message):
    """The person turned a page of the transcript from the composer; -1 is up."""

    pages: int
