"""Finds the frontmatter of a file: where its fences lie, or why there is none.

Works on bytes, looks at no more than FRONTMATTER_MAX_BYTES, and takes linear time.
"""

from __future__ import annotations

import re
from dataclasses import replace

from skills_core.document.fence_faults import (
    HEADING_HINT,
    closing_fault,
    heading_key,
    is_rule,
    missing_fault,
    opening_fault,
    spoiled_closing,
)
from skills_core.document.found import BOM, NEEDS_MORE, Frontmatter, NeedsMore, NoFrontmatter, decode
from skills_core.document.model import FRONTMATTER_MAX_BYTES
from skills_core.document.text import shown
from skills_core.document.two_places import SKILL_KEY_TEXT, fence_below_title, may_be_title

_UTF16_LITTLE, _UTF16_BIG = b"\xff\xfe", b"\xfe\xff"
_BLANK = re.compile(rb"\s*")
_LONE_RETURN = re.compile(rb"\r(?!\n)")
_FENCE = re.compile(rb"-{3,}[ \t]*\r?")
_BLANK_OR_FENCES = re.compile(rb"(?:\s|---+(?=[ \t]*\r?\n))*")
_INDENTED_FENCE = re.compile(r"^[ \t]+(-{3,})[ \t]*$", re.MULTILINE)
_KEY_LINE = re.compile(rb"""["']?[A-Za-z][\w.-]*["']?[ \t]*:(?:\s|\Z)""")
_SKILL_KEY_LINE = re.compile(rb"""["']?(?:name|description)["']?[ \t]*:""", re.IGNORECASE)
_ANY_KEY_TEXT = re.compile(r"^[A-Za-z][\w.-]*[ \t]*:(?=\s|\Z)", re.MULTILINE)
_CODE_FENCE = re.compile(rb"(?:```+|~~~+)[^`~]*")
_MERGE_MARK_TEXT = re.compile(r"^(?:<{7}|>{7})(?= |\r?$)", re.MULTILINE)
_GLUED_FENCE = re.compile(rb"-{3,}[ \t]*#")
_LONGEST_LINE_NEEDED = 200
_KEY_NEEDED = 64


def find_frontmatter(data: bytes, *, flat: bool, truncated: bool) -> Frontmatter | NoFrontmatter | NeedsMore:
    """The frontmatter of ``data``, the start of a file if ``truncated`` and else the whole of it."""
    window = data if len(data) <= FRONTMATTER_MAX_BYTES else data[:FRONTMATTER_MAX_BYTES]
    whole = not truncated and len(window) == len(data)
    # The ordinary file: a fence as the first line.
    if window.startswith(b"---\n"):
        return _close(window, 0, 4, whole=whole, flat=flat)
    if window.startswith(b"---\r\n"):
        return _close(window, 0, 5, whole=whole, flat=flat)
    if truncated and len(window) < 4:
        return NEEDS_MORE
    wide = _wide_encoding(window)
    if wide is not None:
        return _refuse_wide(window, wide, flat=flat)
    if b"\r" in window:
        window = _LONE_RETURN.sub(b"\n", window)
    return _open_late(window, whole=whole, flat=flat)


def _open_late(window: bytes, *, whole: bool, flat: bool) -> Frontmatter | NoFrontmatter | NeedsMore:
    first = 3 if window.startswith(BOM) else 0
    at = _after_preamble(window, first)
    if at is None:  # an HTML comment that does not end here
        return _without(window, first, whole=whole, flat=flat)
    line_end = window.find(b"\n", at)
    if line_end < 0:
        if not whole and len(window) - at < _LONGEST_LINE_NEEDED and len(window) < FRONTMATTER_MAX_BYTES:
            return NEEDS_MORE
        line_end = len(window)
    line = window[at:line_end]
    if _FENCE.fullmatch(line) and (at == first or window[at - 1 : at] in (b"\n", b">")):
        dashes = len(line.rstrip())
        if dashes > 3:
            follower = _BLANK.match(window, line_end)
            key_at = follower.end() if follower else line_end
            if not whole and len(window) < FRONTMATTER_MAX_BYTES and len(window) - key_at < _LONGEST_LINE_NEEDED:
                return NEEDS_MORE
            if not _KEY_LINE.match(window, key_at):
                return _without(window, at, whole=whole, flat=flat)
        start = min(line_end + 1, len(window))
        late = window[first:at].strip(b" \t") != b""
        return _close(window, at, start, whole=whole, flat=flat, late=late, long_opening=dashes > 3)
    if not flat and line.startswith(b"#"):
        return _open_below_title(window, at, whole=whole)
    return _without(window, at, whole=whole, flat=flat)


def _open_below_title(window: bytes, at: int, *, whole: bool) -> Frontmatter | NoFrontmatter | NeedsMore:
    if not whole and len(window) < FRONTMATTER_MAX_BYTES and may_be_title(window, at):
        return NEEDS_MORE
    without = _without(window, at, whole=whole, flat=False)
    opening = fence_below_title(window, at)
    if opening is None or not isinstance(without, NoFrontmatter):
        return without
    found = _close(window, opening.fence, opening.start, whole=whole, flat=False, late=True)
    if isinstance(found, NoFrontmatter):
        return without
    return replace(found, otherwise=without) if isinstance(found, Frontmatter) else found


def _after_preamble(window: bytes, at: int) -> int | None:
    """Where the first line begins that is neither blank nor part of an HTML comment; None: in an open comment."""
    while True:
        blank = _BLANK.match(window, at)
        end = blank.end() if blank else at
        if window.startswith(b"<!--", end):
            close = window.find(b"-->", end + 4)
            if close < 0:
                return None
            at = close + 3
            continue
        # Back to the beginning of the line, so that an indentation is seen.
        return max(at, window.rfind(b"\n", at, end) + 1) if end > at else end


def _close(
    window: bytes, fence: int, start: int, *, whole: bool, flat: bool, late: bool = False, long_opening: bool = False
) -> Frontmatter | NoFrontmatter | NeedsMore:
    at = start - 1
    glued: int | None = None
    while True:
        at = window.find(b"\n---", at)
        if at < 0:
            break
        line_end = window.find(b"\n", at + 4)
        if line_end < 0:
            if not whole:
                break
            line_end = len(window)
        line = window[at + 1 : line_end].rstrip(b" \t\r")
        if line.count(b"-") == len(line):
            if glued is not None:
                return _glued(window[: at + 1], glued, start, flat=flat)
            if not window[start : at + 1].strip():
                empty = _closed_at_once(window, at + 1, line_end, whole=whole, flat=flat)
                if empty is not None:
                    return empty
            bom = 3 if window.startswith(BOM) else 0
            text, not_utf8 = decode(window[bom : at + 1])
            return Frontmatter(
                text=text,
                start=start if not late and not bom else len(decode(window[bom:start])[0]),
                fence=fence if not late and not bom else len(decode(window[bom:fence])[0]),
                body=line_end + 1,
                late=late,
                long_opening=long_opening,
                long_closing=len(line) > 3,
                not_utf8=not_utf8,
            )
        if glued is None and _GLUED_FENCE.match(line):
            glued = at + 1
        at = line_end
    if whole:
        return _unclosed(window, fence, start, flat=flat)
    if len(window) < FRONTMATTER_MAX_BYTES:
        return NEEDS_MORE
    return NoFrontmatter(
        "file.too-large",
        "The frontmatter does not end within the first 64 KiB of the file.",
        "Write a line `---` after the last key, or shorten the frontmatter.",
    )


def _unclosed(window: bytes, fence: int, start: int, *, flat: bool) -> NoFrontmatter:
    bom = 3 if window.startswith(BOM) else 0
    text, _ = decode(window[bom:])
    fence_at = len(decode(window[bom:fence])[0])
    start_at = len(decode(window[bom:start])[0])
    mark = _MERGE_MARK_TEXT.search(text, start_at)
    if mark:
        return merge_conflict(text, mark.start(), unfinished=True)
    indented = _INDENTED_FENCE.search(text, start_at)
    if indented:
        return NoFrontmatter(
            "frontmatter.fence-indented",
            "The closing fence of the frontmatter is indented, so it closes nothing.",
            text=text,
            index=indented.start(1),
            unfinished=True,
        )
    index, hint = fence_at, None
    message = "The frontmatter has no closing fence."
    prose_at = _first_prose(text, start_at)
    keys = list(_ANY_KEY_TEXT.finditer(text, start_at, prose_at))
    spoiled_at = spoiled_closing(text, keys[0].end(), prose_at) if keys else None
    heading = heading_key(text, start_at)
    if heading is not None:
        index, message, hint = heading, "The frontmatter is a Markdown heading, and has no closing fence.", HEADING_HINT
    elif spoiled_at is not None:
        fault = closing_fault(text[spoiled_at:])
        index, message, hint = spoiled_at, fault.message, fault.hint
    elif keys:
        last_key = keys[-1]
        line = text.count("\n", 0, last_key.start()) + 1
        key = last_key.group().rstrip(": \t")
        message += f" The last line that looks like a key of it is line {line}, `{shown(key, 40)}`."
    quiet = flat and not SKILL_KEY_TEXT.search(text, start_at)
    return NoFrontmatter("frontmatter.unclosed", message, hint, text=text, index=index, unfinished=True, quiet=quiet)


def _glued(window: bytes, glued: int, start: int, *, flat: bool) -> NoFrontmatter:
    """The refusal of a frontmatter whose closing fence, at ``glued``, has a heading or a comment behind its dashes.

    A later line of dashes is one of the instructions, and would take what stands before it from them.
    """
    text, _ = decode(window.removeprefix(BOM))
    index = len(decode(window[:glued].removeprefix(BOM))[0])
    start_at = len(decode(window[:start].removeprefix(BOM))[0])
    fault = closing_fault(text[index:])
    quiet = flat and not SKILL_KEY_TEXT.search(text, start_at, index)
    return NoFrontmatter("frontmatter.unclosed", fault.message, fault.hint, text=text, index=index, quiet=quiet)


def _closed_at_once(
    window: bytes, fence: int, fence_end: int, *, whole: bool, flat: bool
) -> NoFrontmatter | NeedsMore | None:
    """The refusal of an empty frontmatter, closed by the line at ``fence``, when the keys come only after it."""
    follower = _BLANK_OR_FENCES.match(window, fence_end)
    key_at = follower.end() if follower else fence_end
    if not whole and len(window) < FRONTMATTER_MAX_BYTES and len(window) - key_at < _LONGEST_LINE_NEEDED:
        return NEEDS_MORE
    if not _SKILL_KEY_LINE.match(window, key_at):
        return None
    text, _ = decode(window.removeprefix(BOM))
    index = len(decode(window[:fence].removeprefix(BOM))[0])
    line = text.count("\n", 0, index) + 1
    message = f"The frontmatter is empty: line {line} closes it, and the keys come only after that line."
    hint = "Leave one line `---` above the first key, and remove the others there."
    return NoFrontmatter("frontmatter.missing", message, hint, text=text, index=index, quiet=flat)


def _first_prose(text: str, start: int) -> int:
    """Where a Markdown heading begins, after which keys are no longer looked for."""
    heading = text.find("\n#", start)
    return len(text) if heading < 0 else heading + 1


def find_merge_mark(text: str, start: int) -> int | None:
    """The index of the first merge mark at the beginning of a line in ``text[start:]``."""
    if "<<<<<<<" not in text and ">>>>>>>" not in text:
        return None
    mark = _MERGE_MARK_TEXT.search(text, start)
    return mark.start() if mark else None


def merge_conflict(text: str, index: int, *, unfinished: bool = False) -> NoFrontmatter:
    """The refusal of a frontmatter with a merge mark at ``index``."""
    return NoFrontmatter(
        "frontmatter.merge-conflict",
        "The frontmatter holds the marks of a merge conflict that nobody has resolved.",
        text=text,
        index=index,
        unfinished=unfinished,
    )


def _without(window: bytes, at: int, *, whole: bool, flat: bool) -> NoFrontmatter | NeedsMore:
    """Why the file, whose first line that counts begins at ``at``, has no frontmatter."""
    bom = 3 if window.startswith(BOM) else 0
    rest = window[at:].lstrip()
    more = not whole and len(window) < FRONTMATTER_MAX_BYTES
    if not rest or (rest.startswith(b"<!--") and more):
        if more:
            return NEEDS_MORE
        if flat:
            return NoFrontmatter(None, unfinished=True)
        if not window[bom:].strip():
            return NoFrontmatter("file.empty", "The file is empty.", unfinished=True)
    first_line, _, following = rest.partition(b"\n")
    next_line = following.lstrip().partition(b"\n")[0].rstrip()
    opens_block = _CODE_FENCE.fullmatch(first_line.rstrip()) is not None
    merges = first_line.startswith(b"<<<<<<<")
    if more and (opens_block or merges or is_rule(first_line)) and len(following.lstrip()) < _KEY_NEEDED:
        return NEEDS_MORE
    unfinished = whole and (rest.startswith(b"<!--") or rest in (b"-", b"--", b"---"))
    text, _ = decode(window[bom:])
    index = len(decode(window[bom : len(window) - len(rest)])[0])
    if merges and _FENCE.fullmatch(next_line):
        return merge_conflict(text, index)
    if flat:
        return NoFrontmatter(None, unfinished=unfinished)
    if opens_block and _FENCE.fullmatch(next_line):
        code, message, hint = "frontmatter.in-code-fence", "The whole file is wrapped in a code block.", None
    elif opens_block and _SKILL_KEY_LINE.match(next_line):
        code, message = "frontmatter.in-code-fence", "The keys stand in a code block instead of between two fences."
        hint = "Write `---` instead of the first line, and instead of the line that ends the code block."
    elif merges:
        return merge_conflict(text, index)
    elif _FENCE.fullmatch(first_line) and index > 0 and text[index - 1] in " \t":
        code, message, hint = "frontmatter.fence-indented", "The opening fence of the frontmatter is indented.", None
    elif _SKILL_KEY_LINE.match(first_line):
        code, message, hint = (
            "frontmatter.no-opening-fence",
            "The file begins with a key, without the fence above it.",
            None,
        )
    else:
        code = "frontmatter.no-opening-fence"
        fault = opening_fault(first_line[:_LONGEST_LINE_NEEDED], next_line)
        if fault is None:
            code, index, fault = "frontmatter.missing", 0, missing_fault(rest, text)
        message, hint = fault.message, fault.hint
    return NoFrontmatter(code, message, hint, text=text, index=index, unfinished=unfinished)


def _wide_encoding(window: bytes) -> str | None:
    if window.startswith((b"\xff\xfe\0\0", b"\0\0\xfe\xff")):
        return "UTF-32"
    if window.startswith((_UTF16_LITTLE, _UTF16_BIG)):
        return "UTF-16"
    if window.startswith((b"-\0-\0", b"\0-\0-", b"#\0 \0", b"\0#\0 ")):
        return "UTF-16"
    return None


def _refuse_wide(window: bytes, encoding: str, *, flat: bool) -> NoFrontmatter:
    start = window[:64].replace(b"\0", b"").removeprefix(_UTF16_LITTLE).removeprefix(_UTF16_BIG).lstrip()
    if flat and not start.startswith(b"-"):
        return NoFrontmatter(None)
    return NoFrontmatter("file.utf16", f"The file is encoded as {encoding}, not as UTF-8.")
