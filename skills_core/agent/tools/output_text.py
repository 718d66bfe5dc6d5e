"""The output of a command as text: decoded as it comes, without terminal controls, its middle left out when long."""

from __future__ import annotations

import asyncio
import codecs
import re
from collections.abc import Callable

HEAD = 20_000
TAIL = 30_000
_HELD = 256

_ESCAPES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # control sequences
    r"|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)"  # strings for the terminal: titles, clipboard, links
    r"|\x1b[ -/]*[0-Z\\^-~]"  # other escapes
)
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_LINE_ENDS = re.compile(r"\r+\n|\r")


def plain_output(text: str) -> str:
    """Without escape sequences and control characters; a carriage return begins a new line."""
    return _CONTROLS.sub("", _LINE_ENDS.sub("\n", _ESCAPES.sub("", text)))


class OutputKeeper:
    """Takes bytes, reports text, and keeps the beginning and the end of it. ``full`` is set by the reader."""

    def __init__(self, report: Callable[[str], None]) -> None:
        self._report = report
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._held = ""
        self._head = ""
        self._tail = ""
        self._dropped = 0
        self.size = 0
        self.full = asyncio.Event()

    def add(self, chunk: bytes) -> None:
        self.size += len(chunk)
        self._take(self._held + self._decoder.decode(chunk), last=False)

    def finish(self) -> None:
        self._take(self._held + self._decoder.decode(b"", final=True), last=True)

    @property
    def text(self) -> str:
        note = f"\n[{self._dropped:,} characters left out]\n" if self._dropped else ""
        return self._head + note + self._tail

    def _take(self, text: str, *, last: bool) -> None:
        """Holds back what may be the first part of an escape sequence or of a line end."""
        self._held = ""
        if not last:
            start = text.rfind("\x1b", max(0, len(text) - _HELD))
            if text.endswith("\r"):
                start = len(text) - 1
            if start >= 0 and not _ESCAPES.match(text, start):
                text, self._held = text[:start], text[start:]
        text = plain_output(text)
        if not text:
            return
        self._report(text)
        room = HEAD - len(self._head)
        self._head += text[:room] if room > 0 else ""
        rest = text[max(0, room) :]
        self._tail += rest
        if len(self._tail) > TAIL:
            self._dropped += len(self._tail) - TAIL
            self._tail = self._tail[-TAIL:]
