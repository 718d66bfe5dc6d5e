"""Where a user's own words invoke a skill: ``/skill:NAME`` and ``/NAME``.

The rule, whole. A gesture begins at the start of the text or after white space, and ends at white space or at the
end of the text. ``/NAME`` counts only when NAME fits the name grammar, so that paths, fractions and ends of
sentences stay words: ``/usr/bin``, ``5/8``, ``a/b``, ``(/x)``, ``/x.``, ``//x``, ``/X``. After ``/skill:`` everything
up to the next white space is the name as the user wrote it, also when it cannot be one: that is said to the user and
never sent in silence. Nothing inside a fenced code block counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

# U+FEFF is no white space to Python, but it is invisible, and a text may begin with it.
_SPACE = r"\s\ufeff"
_GESTURE = re.compile(rf"(?<![^{_SPACE}])/(?:(skill:)([^{_SPACE}]*)|([a-z0-9]+(?:-[a-z0-9]+)*))(?=[{_SPACE}]|\Z)")
_FENCE = re.compile(r" {0,3}(?P<marks>`{3,}|~{3,})(?P<rest>.*)")


@dataclass(frozen=True, slots=True)
class Gesture:
    """``explicit`` is the ``/skill:`` form, whose name may be empty or no name at all. ``start`` and ``end`` are
    code points of the text that was searched."""

    name: str
    explicit: bool
    start: int
    end: int


def find_gestures(text: str) -> tuple[Gesture, ...]:
    """The gestures of a text in order, repeated ones too. Takes time linear in the text's length."""
    if "/" not in text:
        return ()
    return tuple(
        Gesture(match[2] if match[1] else match[3], bool(match[1]), match.start(), match.end())
        for start, end in _prose(text)
        for match in _GESTURE.finditer(text, start, end)
    )


def _prose(text: str) -> Iterator[tuple[int, int]]:
    """The stretches outside fenced code. A fence that is not closed reaches to the end of the text."""
    start = position = 0
    opening: str | None = None
    for line in text.splitlines(keepends=True):
        end = position + len(line)
        fence = _FENCE.fullmatch(line.rstrip())
        if fence is not None:
            marks, rest = fence["marks"], fence["rest"]
            if opening is None:
                if marks[0] == "~" or "`" not in rest:
                    yield start, position
                    opening = marks
            elif marks[0] == opening[0] and len(marks) >= len(opening) and not rest:
                opening, start = None, end
        position = end
    if opening is None:
        yield start, position
