"""Which slash token the caret stands in, if any."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

SKILL_PREFIX = "skill:"

TokenKind: TypeAlias = Literal["any", "skills", "named-skills"]
"""``any``: a ``/`` at the start of the draft (commands and skills). ``skills``: a ``/`` further on (skills alone, as
``/NAME``). ``named-skills``: ``/skill:`` anywhere."""


@dataclass(frozen=True, slots=True)
class SlashToken:
    """A slash token up to the caret.

    ``start`` is the offset of the slash and ``caret`` that of the caret, in code points of the draft. ``end`` is where
    the token ends, at the next white space. ``query`` is what was typed of the name.
    """

    kind: TokenKind
    start: int
    caret: int
    end: int
    query: str

    @property
    def form(self) -> str:
        """What stands before the name: ``/`` or ``/skill:``."""
        return "/" + SKILL_PREFIX if self.kind == "named-skills" else "/"


def find_slash_token(text: str, caret: int) -> SlashToken | None:
    """The slash token that the caret stands in.

    A token begins with a slash at the start of the draft or after white space, and holds no second slash before the
    caret, so that paths and addresses are none. Nothing inside a code fence is one.
    """
    if not 0 < caret <= len(text):
        return None
    start = caret
    while start > 0 and not text[start - 1].isspace():
        start -= 1
    if start == caret or text[start] != "/":
        return None
    typed = text[start + 1 : caret]
    if "/" in typed:
        return None
    if in_code_fence(text, start):
        return None
    end = caret
    while end < len(text) and not text[end].isspace():
        end += 1
    if "/" in text[caret:end]:
        return None
    if typed.startswith(SKILL_PREFIX):
        return SlashToken("named-skills", start, caret, end, typed[len(SKILL_PREFIX) :])
    kind: TokenKind = "any" if not text[:start].strip() else "skills"
    return SlashToken(kind, start, caret, end, typed)


def in_code_fence(text: str, offset: int) -> bool:
    """Whether the line that holds ``offset`` lies inside a fenced code block, or is its opening line."""
    fence = ""
    position = 0
    for line in text.split("\n"):
        mark = _fence_mark(line)
        ends = position + len(line)
        if fence:
            closes = mark.startswith(fence) and not line.strip().strip(fence[0])
            if offset <= ends:
                return True
            if closes:
                fence = ""
        elif mark:
            if offset <= ends:
                return True
            fence = mark
        elif offset <= ends:
            return False
        position = ends + 1
    return False


def _fence_mark(line: str) -> str:
    """The run of at least three backticks or tildes that a line begins with, after at most three spaces."""
    stripped = line.lstrip(" ")
    if len(line) - len(stripped) > 3:
        return ""
    for character in "`~":
        run = len(stripped) - len(stripped.lstrip(character))
        if run >= 3:
            return character * run
    return ""
