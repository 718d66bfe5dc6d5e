"""Files named in a draft with ``@``: the token at the caret, and all mentions of a text."""

from __future__ import annotations

import re
from dataclasses import dataclass

from app.controllers.slash_token import in_code_fence

_AT_CARET = re.compile(r'(?:^|(?<=\s))@(?:"([^"\n]*)|([^\s"]*))$')
_MENTION = re.compile(r'(?:^|(?<=\s))@(?:"([^"\n]+)"|([^\s"@]+))')
_TRAILING = ".,;:!?)]}'"


@dataclass(frozen=True, slots=True)
class FileToken:
    """An ``@`` token up to the caret; offsets in code points of the draft. ``quoted`` when it began with ``@"``."""

    start: int
    caret: int
    end: int
    query: str
    quoted: bool


def find_file_token(text: str, caret: int) -> FileToken | None:
    """The file token that the caret stands in: after white space or at the start, outside code fences.

    With a quotation mark it goes on over spaces until the mark is closed.
    """
    line_start = text.rfind("\n", 0, caret) + 1
    found = _AT_CARET.search(text[line_start:caret])
    if found is None or in_code_fence(text, line_start):
        return None
    quoted = found[1] is not None
    end = caret
    while end < len(text) and not text[end].isspace() and text[end] != '"':
        end += 1
    if quoted and end < len(text) and text[end] == '"':
        end += 1
    return FileToken(line_start + found.start(), caret, end, found[1] if quoted else found[2], quoted)


def file_reference(path: str) -> str:
    """How a path is written in a draft."""
    return f'@"{path}"' if any(character.isspace() for character in path) else f"@{path}"


def mentioned_paths(text: str) -> tuple[str, ...]:
    """The paths that a message names, each once, in order; sentence marks behind a path are not part of it."""
    found: dict[str, None] = {}
    for match in _MENTION.finditer(text):
        if not in_code_fence(text, match.start()):
            path = match[1] or match[2].rstrip(_TRAILING)
            if path:
                found.setdefault(path)
    return tuple(found)
