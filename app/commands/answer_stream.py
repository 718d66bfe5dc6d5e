"""The words of a turn on a terminal, as they come."""

from __future__ import annotations

import unicodedata

from app.controllers.inert import inert
from app.controllers.row_body import joined_text
from app.output import Output, OutputError
from skills_core.agent.live import LiveItem, Retrying, StepStarted, ToolStarted
from skills_core.agent.model import ModelReply, TextDelta

_CONTEXT = 16
"""How many printed characters can bear on whether the next one is part of them, as in an emoji of several."""


class AnswerStream:
    """Prints each reply while it arrives, with an empty line between two, and never prints anything twice.

    Line feeds, and characters that belong to what follows, wait for it. ``broken`` is why the output took no more;
    nothing is printed after that.
    """

    def __init__(self, output: Output) -> None:
        self._output = output
        self._waiting = ""
        self._context = ""
        self._came = False
        self._midway = False
        self.printed = False
        self.broken: OSError | OutputError | None = None

    def live(self, item: LiveItem) -> None:
        """Takes one item of the agent."""
        match item:
            case TextDelta(text):
                self._came = True
                self._words(text)
            case ModelReply(content):
                if not self._came:
                    self._words(joined_text(list(content)))
            case Retrying(discarded=True):
                self._begin()
                self._tell("the reply broke off and starts anew")
            case StepStarted():
                self._begin()
            case ToolStarted():
                self.end()
                self._tell(f"{item.title or item.name} ...")
            case _:
                pass

    def end(self) -> None:
        """Ends the line that words stand on, if one does."""
        rest, self._waiting = self._waiting.strip("\r\n"), ""
        if rest:
            self._print(rest)
        if self._midway:
            self._midway = False
            self._print("\n")

    def _begin(self) -> None:
        self.end()
        self._came = False

    def _words(self, text: str) -> None:
        text = self._waiting + text
        if not self._midway:
            text = text.lstrip("\r\n")
        size = len(text)
        while size and unicodedata.category(text[size - 1])[0] in "CM":
            size -= 1
        self._waiting = text[size:]
        if not size:
            return
        if not self._midway and self.printed:
            self._print("\n")
        self._midway = self.printed = True
        self._print(text[:size])

    def _print(self, text: str) -> None:
        if self.broken is not None:
            return
        shown = inert(self._context + text)[len(inert(self._context)) :]
        self._context = (self._context + text)[-_CONTEXT:]
        try:
            self._output.piece(shown)
        except (OSError, OutputError) as error:
            self.broken = error

    def _tell(self, text: str) -> None:
        if self.broken is None:
            self._output.message(text)
