"""What a look for the frontmatter of a file finds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Frontmatter:
    """The frontmatter of a file.

    ``text`` is the decoded file without a byte order mark, from its start to the closing fence; the block between the
    fences is ``text[start:]``. ``fence`` is the index of the opening fence in it, ``not_utf8`` that of the first
    undecodable byte. ``late`` and ``long_opening`` describe the opening fence; ``long_closing`` says that the closing
    one, at the end of ``text``, has more than three dashes. ``body`` is the byte offset of what follows.
    ``otherwise``: a title comes before it, and this is what to say unless it makes a whole skill.
    """

    text: str
    start: int
    fence: int
    body: int
    late: bool = False
    long_opening: bool = False
    long_closing: bool = False
    not_utf8: int | None = None
    otherwise: NoFrontmatter | None = None


@dataclass(frozen=True, slots=True)
class NoFrontmatter:
    """Why there is no frontmatter: a problem's code and words, at ``index`` of ``text``.

    ``code`` None: a flat file that is no skill. ``quiet``: a warning is enough.
    """

    code: str | None
    message: str = ""
    hint: str | None = None
    text: str = ""
    index: int = 0
    unfinished: bool = False
    quiet: bool = False


NeedsMore: TypeAlias = Literal["needs more"]
NEEDS_MORE: NeedsMore = "needs more"


def decode(data: bytes) -> tuple[str, int | None]:
    """``data`` as text, with U+FFFD for what is not UTF-8, and the index of the first such character."""
    try:
        return data.decode(), None
    except UnicodeDecodeError as error:
        return data.decode(errors="replace"), len(data[: error.start].decode())
