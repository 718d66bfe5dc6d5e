"""Text cut to a size, saying what was left out."""

from __future__ import annotations

import re

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]+")


def bounded(text: str, size: int) -> str:
    """The text, or its beginning and its end with a line between them that counts the characters left out."""
    if len(text) <= size:
        return text
    head = size * 2 // 3
    tail = size - head
    note = f"\n[{len(text) - size:,} characters left out]\n"
    return text[:head] + note + text[len(text) - tail :]


def one_line(text: str, size: int = 160) -> str:
    """The text on one line for a title: controls and line ends as spaces, cut with an ellipsis."""
    line = " ".join(_CONTROL.sub(" ", text).split())
    return line if len(line) <= size else line[: size - 3] + "..."
