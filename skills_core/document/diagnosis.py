"""Finds out why a value is not YAML: the cause with its place, which may lie before the reader's own mark."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from skills_core.document.scalars import block_header_end, scan_brackets, scan_quoted
from skills_core.document.text import shown
from skills_core.document.yaml_reader import ANCHOR_TWICE, BrokenYaml

_RESERVED = "`@%*&!,]}|>"
_RESERVED_PAIRS = ("- ", "? ", ": ")
_COLON = re.compile(r":(?=[ \t\r\n]|\Z)")
_TAB_INDENT = re.compile(r"(?:^|\n) *(\t)[ \t]*(?=[^ \t\r\n])")
_SPACE = re.compile(r"\s*")
_BLANKS = re.compile(r"[ \t]*")
_NESTED_VALUE = re.compile(r"""[ \t]*(?:- +)*(?:(?:[\w.-]+|"[^"\n]*"|'[^'\n]*')[ \t]*:(?:[ \t]+|$))?""")
_COMMENT = re.compile(r"(?:^|[ \t])(#)", re.MULTILINE)
# The usual hint of these codes says how to rewrite the whole key, which would make text of a list or map.
_HINTS_NAME_THE_KEY = frozenset({"yaml.unquoted-colon", "yaml.reserved-start"})
_NESTED_HINT = "Put the value on that line in double quotes."
_HALF_CHARACTER = re.compile(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
_UNINDENTED = re.compile(r"(?:\r\n|\n|\r)(?=[^ \t\r\n#])")


@dataclass(frozen=True, slots=True)
class Cause:
    """A code of the ``yaml.*`` family, the index of the place, and what is wrong there in words.

    ``hint``: how to mend it, when the usual hint of the code does not fit.
    """

    code: str
    at: int
    message: str
    hint: str | None = None


def diagnose(text: str, value_at: int, end: int, fault: BrokenYaml | None, *, words: bool) -> Cause:
    """Why the value in ``text[value_at:end]`` is not YAML.

    ``fault`` is what the reader said, its index counted in ``text``. ``words``: the value should be words for a
    person, so that a bracket at its start is not meant as a list.
    """
    first = _SPACE.match(text, value_at, end)
    at = first.end() if first else value_at
    same_line = "\n" not in text[value_at:at] and "\r" not in text[value_at:at]
    cause = None
    if fault is not None and fault.reason == ANCHOR_TWICE:
        return in_the_readers_words(text, at, fault)
    if same_line and at < end:
        cause = _cause_in_value(text, at, end, words=words)
    elif at < end and words:
        if text[at - 1] in "\r\n":
            return Cause("yaml.unindented-text", at, "The text below the key is not indented.")
        cause = _tab(text, value_at, end) or _cause_in_value(text, at, end, words=True)
    elif at < end and fault is not None:
        cause = _tab(text, value_at, end) or _cause_in_nested(text, value_at, end, fault)
    return cause or _tab(text, value_at, end) or in_the_readers_words(text, at, fault)


def _cause_in_value(text: str, at: int, end: int, *, words: bool) -> Cause | None:
    first = text[at]
    if first in "\"'":
        return _cause_in_quotes(text, at, end)
    if first in "[{":
        return _cause_in_brackets(text, at, end, words=words)
    if first in "|>":
        header = block_header_end(text, at, end)
        if header is None:
            message = f"Text stands on the same line as the block mark `{first}`."
            return Cause("yaml.block-header", at, message)
        unindented = _UNINDENTED.search(text, header - 1, end)
        if unindented:
            return Cause("yaml.unindented-text", unindented.end(), "The text below the block mark is not indented.")
        return None
    if first in _RESERVED or text[at : at + 2] in _RESERVED_PAIRS:
        written = "a backtick" if first == "`" else f"`{first}`"
        return Cause("yaml.reserved-start", at, f"The value begins with {written}, which means something else in YAML.")
    return _cause_in_plain(text, at, end)


def _cause_in_quotes(text: str, at: int, end: int) -> Cause | None:
    close, bad = scan_quoted(text, at, end)
    if bad is not None:
        return _bad_escape(text, bad)
    if close is None:
        return Cause("yaml.unclosed-quote", at, "The quoted value has no closing quote.")
    after = _SPACE.match(text, close + 1, end)
    next_at = after.end() if after else end
    if next_at >= end:
        return None
    if text[next_at] == "#" and next_at > close + 1:
        return None
    line_end = _line_end(text, close, end)
    if next_at < line_end and text[at] in text[next_at:line_end]:
        message = f"A quote inside the quotes ends the value before `{shown(text[next_at:line_end], 30)}`."
        return Cause("yaml.quotes-in-quotes", next_at, message)
    message = (
        f"Text follows the closing quote of the value: `{shown(text[next_at : _line_end(text, next_at, end)], 40)}`."
    )
    return Cause("yaml.text-after-quote", next_at, message)


def _cause_in_brackets(text: str, at: int, end: int, *, words: bool) -> Cause:
    close, bracket = scan_brackets(text, at, end)
    if close is None:
        if words:
            line = text[at : _line_end(text, at, end)]
            closer = "]" if text[at] == "[" else "}"
            if closer in line:
                return _reserved_bracket(text, at)
        return Cause("yaml.unclosed-bracket", bracket, f"The bracket `{text[bracket]}` is never closed.")
    after = _BLANKS.match(text, close, end)
    next_at = after.end() if after else close
    if next_at < end and text[next_at] not in "\r\n" and not (text[next_at] == "#" and next_at > close):
        if words:
            return _reserved_bracket(text, at)
        following = shown(text[next_at : _line_end(text, next_at, end)], 40)
        message = f"Text follows the closing bracket of the value: `{following}`."
        return Cause("yaml.text-after-bracket", next_at, message)
    if words:
        return _reserved_bracket(text, at)
    bad = _first_bad_escape(text, at, close)
    if bad is not None:
        return _bad_escape(text, bad)
    return Cause("yaml.bracket-syntax", at, "The value in brackets is no list or map of YAML.")


def _bad_escape(text: str, at: int) -> Cause:
    if _HALF_CHARACTER.match(text, at):
        message = f"`{text[at : at + 6]}` is half a character for JSON, and no character for YAML."
        return Cause("yaml.bad-escape", at, message, "Write the character itself instead of its two escape sequences.")
    message = f"`{shown(text[at : at + 2])}` is no escape sequence between double quotes."
    return Cause("yaml.bad-escape", at, message)


def _first_bad_escape(text: str, at: int, end: int) -> int | None:
    """The first bad escape in the text in double quotes between ``at`` and ``end``."""
    position = text.find('"', at, end)
    while position >= 0:
        close, bad = scan_quoted(text, position, end)
        if bad is not None or close is None:
            return bad
        position = text.find('"', close + 1, end)
    return None


def _reserved_bracket(text: str, at: int) -> Cause:
    return Cause("yaml.reserved-start", at, f"The value begins with `{text[at]}`, which begins a list or map in YAML.")


def _cause_in_plain(text: str, at: int, end: int) -> Cause | None:
    unindented = _UNINDENTED.search(text, at, end)
    stop = unindented.start() if unindented else end
    colon = _COLON.search(text, at, stop)
    comment = _COMMENT.search(text, at, stop)
    if comment and "\n" in text[comment.end() : stop].rstrip() and not (colon and colon.start() < comment.start(1)):
        return Cause("yaml.comment", comment.start(1), "`#` begins a comment, and the text goes on after it.")
    if colon:
        shown_part = shown(text[max(at, colon.start() - 20) : colon.end()], 30)
        return Cause(
            "yaml.unquoted-colon",
            colon.start(),
            f"A colon followed by a space stands in unquoted text (`{shown_part}`).",
        )
    if unindented:
        following = shown(text[unindented.end() : _line_end(text, unindented.end(), end)], 40)
        message = f"The text goes on in a line that is not indented: `{following}`."
        return Cause("yaml.unindented-text", unindented.end(), message)
    return None


def _cause_in_nested(text: str, value_at: int, end: int, fault: BrokenYaml) -> Cause | None:
    """The cause in the line of a nested value at which the reader stopped, or in the line before it."""
    line_at = max(text.rfind("\n", value_at, min(fault.at, end - 1)) + 1, value_at)
    for _ in range(2):
        line_end = _line_end(text, line_at, end)
        nested = _NESTED_VALUE.match(text, line_at, line_end)
        at = nested.end() if nested else line_at
        if at < line_end:
            cause = _cause_in_value(text, at, line_end, words=False)
            if cause is not None:
                return replace(cause, hint=_NESTED_HINT) if cause.code in _HINTS_NAME_THE_KEY else cause
        previous = text.rfind("\n", value_at, max(line_at - 1, value_at))
        if previous < 0:
            return None
        line_at = previous + 1
    return None


def _tab(text: str, value_at: int, end: int) -> Cause | None:
    tab = _TAB_INDENT.search(text, value_at, end)
    return Cause("yaml.tab", tab.start(1), "A line is indented with a tab.") if tab else None


def in_the_readers_words(text: str, at: int, fault: BrokenYaml | None) -> Cause:
    """The cause as the YAML reader puts it, for a value at ``at``, when no better explanation is known."""
    if fault is None:
        return Cause("yaml.syntax", at, "The value is not YAML.")
    index = min(max(fault.at, 0), max(len(text) - 1, 0))
    indentation = (
        "expected key",
        "'-' indicator",
        "block mapping",
        "block collection",
        "block end",
        "expected ':'",
        "block entry",
        "block sequence",
    )
    if any(words in fault.reason for words in indentation):
        return Cause("yaml.indentation", index, f"The lines do not fit together: {fault.reason}.")
    return Cause("yaml.syntax", index, f"The value is not YAML: {fault.reason}.")


def _line_end(text: str, at: int, end: int) -> int:
    newline = text.find("\n", at, end)
    stop = end if newline < 0 else newline
    return stop - 1 if stop > at and text[stop - 1] == "\r" else stop
