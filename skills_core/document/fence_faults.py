"""Says why a file has no frontmatter, or no end of it: what an editor, a formatter or a slip has made of the fences."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from skills_core.document.text import shown

HEADING_HINT = (
    "Write `---`, then `name:` and `description:` each on a line of its own and without `#`, then another line `---`."
)

_HEADING_KEY = re.compile(r"""\s*(#{1,6}[ \t]+["']?(?:name|description)["']?[ \t]*:)""", re.IGNORECASE)
_KEY = re.compile(r"""["']?(?:name|description)["']?[ \t]*:""", re.IGNORECASE)
_KEY_WITHIN = re.compile(r"(?<!\w)(?:name|description)[ \t]*:(?=\s)", re.IGNORECASE)
_TYPOGRAPHIC_DASHES = re.compile("-{1,2}|-{0,3}[\u2010-\u2015\u2212][-\u2010-\u2015\u2212]{0,3}")
_PLAIN_FENCE = re.compile("-{3,}")
_TEXT_AFTER_DASHES = re.compile(r"-{3,}[ \t]*(?=[^-\s])")
_OTHER_RULE = re.compile(r"_{3,}|\*{3,}|={3,}")
_LATE_FENCE = re.compile(r"^---[ \t]*\r?\n(?=\s*(?:name|description)[ \t]*:)", re.MULTILINE)
_LINK_TEXT = re.compile(rb"\.{0,2}[^\s#]*/[^\s]*\.[mM][dD]")
_LINK_LENGTH_MAX = 200
_BLANKS = " \t\r\n"
_RETYPE = "Delete the line and type three hyphens, `---`; retyping is the surest way."
_INVISIBLE = frozenset({"Cc", "Cf", "Zs", "Zl", "Zp"})
_ALMOST_CLOSING = re.compile(
    r"^(?:-{3,}(?!-|[ \t\r]*$).*|\\-{3,}|--|\.{3}|_{3,}|\*{3,}|={3,}|[\u2010-\u2015\u2212]{1,3})[ \t\r]*$", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class FenceFault:
    """What is wrong, and what to write instead; without ``hint``, what the problem's code says is enough."""

    message: str
    hint: str | None


def is_rule(first_line: bytes) -> bool:
    """Whether ``first_line`` begins like a rule of Markdown, so that the line after it says whether it is a fault."""
    return first_line.lstrip().startswith((b"---", b"___", b"***", b"==="))


def opening_fault(first_line: bytes, next_line: bytes) -> FenceFault | None:
    """Why ``first_line``, the first that counts, is no fence although it was meant for one.

    ``next_line`` is the next one that is not blank. None when nothing says that a fence was meant.
    """
    line, following = first_line.decode(errors="replace").strip(_BLANKS), next_line.decode(errors="replace")
    if _TYPOGRAPHIC_DASHES.fullmatch(line):
        return FenceFault(
            "The first line is not three plain dashes.",
            "Type three hyphens, `---`; an editor may have turned them into longer dashes.",
        )
    if _hides_a_fence(line):
        return FenceFault("The first line holds an invisible character beside the dashes.", _RETYPE)
    if line.startswith("\\") and _PLAIN_FENCE.fullmatch(line[1:]):
        return FenceFault(
            "A backslash stands before the dashes of the first line.",
            "Remove the backslash, here and at the closing fence: each is a line of exactly three dashes, `---`.",
        )
    heading = heading_key(following, 0) is not None
    rule = _OTHER_RULE.fullmatch(line)
    if rule and (heading or _KEY.match(following)):
        message = f"The first line is a row of `{line[0]}`, not of dashes, as Markdown formatters write it."
        hint = "Write `---` instead of the first line, and another line `---` after the last key."
        return FenceFault(message, HEADING_HINT if heading else hint)
    dashes = _TEXT_AFTER_DASHES.match(line)
    if dashes and (_KEY.match(following) or _KEY_WITHIN.search(line, dashes.end())):
        after = shown(line[dashes.end() :], 40)
        hint = "Write `---` alone on the first line, and each key on a line of its own below it."
        return FenceFault(f"Text follows the dashes of the first line: `{after}`.", hint)
    return None


def heading_key(text: str, start: int) -> int | None:
    """Where the first line from ``start`` on begins if it is a key that a Markdown formatter has made a heading of.

    YAML takes it, with all that the formatter has put behind it, for a comment.
    """
    heading = _HEADING_KEY.match(text, start)
    return heading.start(1) if heading else None


def spoiled_closing(text: str, start: int, end: int) -> int | None:
    """Where the first line of ``text[start:end]`` begins that was probably meant for the closing fence."""
    line = _ALMOST_CLOSING.search(text, start, end)
    return line.start() if line else None


def closing_fault(line: str) -> FenceFault:
    """What is wrong with the line at the start of ``line``, which was meant for the closing fence."""
    line = line.partition("\n")[0].strip(_BLANKS)
    written = shown(line, 40)
    if _hides_a_fence(line):
        message = "The frontmatter has no closing fence: this line holds an invisible character beside the dashes."
        return FenceFault(message, _RETYPE)
    if _TEXT_AFTER_DASHES.match(line):
        hint = "Write `---` alone on that line, and what follows the dashes on the next one."
    else:
        hint = f"Write `---` instead of `{written}`."
    return FenceFault(f"The frontmatter has no closing fence; `{written}` does not close it.", hint)


def _hides_a_fence(line: str) -> bool:
    visible = "".join(char for char in line if unicodedata.category(char) not in _INVISIBLE)
    return visible != line and _PLAIN_FENCE.fullmatch(visible) is not None


def missing_fault(rest: bytes, text: str) -> FenceFault:
    """Why ``text``, whose first line that counts begins ``rest``, holds no fence where one should be."""
    if b"\0" in rest[:1024]:
        hint = "Replace it by a text file that begins with a line `---`."
        return FenceFault("This is not a text file with a frontmatter.", hint)
    if rest.startswith(b"+++"):
        hint = "Write the frontmatter as YAML between two lines of `---`; TOML between `+++` is not read."
        return FenceFault("The file has no YAML frontmatter.", hint)
    if rest.startswith(b"version https://git-lfs"):
        hint = "Fetch the file itself with `git lfs pull`."
        return FenceFault("The file is a pointer of Git LFS, not the file itself.", hint)
    if len(rest) < _LINK_LENGTH_MAX and _LINK_TEXT.fullmatch(rest.rstrip()):
        hint = f"Replace it by the file at `{shown(text.strip())}`, or by a real link."
        return FenceFault("The file holds nothing but a path: a link that was stored as text.", hint)
    fence = _LATE_FENCE.search(text)
    if fence:
        line = text.count("\n", 0, fence.start()) + 1
        hint = f"Remove what stands above line {line}, so that its `---` becomes the first line."
        return FenceFault(f"The file has no frontmatter: other text comes before the fence in line {line}.", hint)
    return FenceFault("The file has no frontmatter: its first line is not `---`.", None)
