"""A skill's keys in another place than the first line: below a title, or in a second frontmatter."""

from __future__ import annotations

import re
from dataclasses import dataclass

from skills_core.document.found import BOM, NEEDS_MORE, Frontmatter, NeedsMore, NoFrontmatter, decode
from skills_core.document.model import FRONTMATTER_MAX_BYTES

SKILL_KEY_TEXT = re.compile(r"""^["']?(?:name|description)["']?[ \t]*:""", re.MULTILINE)
"""A line that begins with a key that a skill must have."""

_TITLE = re.compile(rb"#{1,6}[ \t][^\n]*\n(?:[ \t\r]*\n)*(?=---[ \t]*\r?\n)")
_TITLE_SO_FAR = re.compile(rb"#{1,6}[ \t][^\n]*(?:\n(?:[ \t\r]*\n)*[ \t\r]*(?:-{1,3}[ \t]*\r?)?)?\Z")
_SECOND = re.compile(rb"(?:[ \t\r]*\n)*(?=---[ \t]*\r?\n\s*[\"']?(?:name|description)[\"']?[ \t]*:)")
_SECOND_SO_FAR = re.compile(
    rb"(?:[ \t\r]*\n)*(?:-{0,3}[ \t]*\r?|---[ \t]*\r?\n\s*(?:[\"']?[a-z]+[\"']?[ \t]*|[\"'])?)\Z"
)


@dataclass(frozen=True, slots=True)
class Opening:
    """Where a fence stands and where the keys below it begin, in bytes."""

    fence: int
    start: int


def fence_below_title(window: bytes, at: int) -> Opening | None:
    """The fence that follows a Markdown heading at ``at`` with only blank lines between them."""
    title = _TITLE.match(window, at)
    return None if title is None else Opening(title.end(), window.find(b"\n", title.end()) + 1)


def may_be_title(window: bytes, at: int) -> bool:
    """Whether ``window`` ends before it is seen what follows the heading at ``at``."""
    return _TITLE_SO_FAR.match(window, at) is not None


def _second_fence(data: bytes, body: int) -> int | None:
    """Where a fence with a skill's keys below it stands, if nothing but blank lines comes between it and ``body``."""
    second = _SECOND.match(data, body)
    return None if second is None else second.end()


def _may_be_second(data: bytes, body: int) -> bool:
    """Whether ``data`` ends before it is seen if a second frontmatter follows at ``body``."""
    return body >= len(data) or _SECOND_SO_FAR.match(data, body) is not None


def second_frontmatter(
    data: bytes, first: Frontmatter, *, flat: bool, truncated: bool
) -> NoFrontmatter | NeedsMore | None:
    """What to say of ``first``, that makes no skill, when it has none of a skill's keys and another follows that has.

    None when that is not so.
    """
    if SKILL_KEY_TEXT.search(first.text, first.start):
        return None
    at = _second_fence(data, first.body)
    if at is None:
        more = truncated and len(data) < FRONTMATTER_MAX_BYTES and _may_be_second(data, first.body)
        return NEEDS_MORE if more else None
    text, _ = decode(data[:at].removeprefix(BOM))
    line = text.count("\n") + 1
    return NoFrontmatter(
        "frontmatter.missing",
        f"The keys of the skill stand in a second frontmatter, in line {line}; only the first one is read.",
        "Put all keys into the first frontmatter, and remove the lines `---` of the second one.",
        text=text,
        index=len(text),
        quiet=flat,
    )
