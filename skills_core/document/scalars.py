"""Scans values that YAML could not read: where quotes and brackets end, and the text that is plainly there."""

from __future__ import annotations

import re

_DOUBLE_STOP = re.compile(r'[\\"]')
_BRACKET_STOP = re.compile(r"""[\[\]{}"']""")
_BLOCK_HEADER = re.compile(r"[|>][-+0-9]*[ \t]*(?:#[^\n]*)?(?:\r?\n|\r|\Z)")
_MARK_BEFORE_TEXT = re.compile(r"[|>][-+0-9]*[ \t]")
_ESCAPE = re.compile(r"\\(x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|\r?\n[ \t]*|.)", re.DOTALL)
_SURROGATE_PAIR = re.compile(r"\\u([dD][89abAB][0-9A-Fa-f]{2})\\u([dD][c-fC-F][0-9A-Fa-f]{2})")
_SIMPLE_ESCAPES = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "e": "\x1b", " ": " ",
    '"': '"', "/": "/", "\\": "\\", "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029", "\t": "\t", "'": "'",
}  # fmt: skip
# The first quote inside a quoted text that is neither escaped nor inside a word.
_NESTED_QUOTE = {
    '"': re.compile(r'(?<![\\"])"(?!")(?!(?<=\w")\w)'),
    "'": re.compile(r"(?<![\\'])'(?!')(?!(?<=\w')\w)"),
}
# After a drive's letter a backslash is meant as one, also where it happens to begin an escape sequence.
_DRIVE_PATH = re.compile(r"(?<!\w)[A-Za-z]:\\")
_BRACKETS = {"[": "]", "{": "}"}
_QUOTED_WITH_COMMA = re.compile(r"""(["'])[^\n]*\1,""")
_LINE_BREAK = re.compile(r"\r\n|\n|\r")


def scan_quoted(text: str, at: int, end: int) -> tuple[int | None, int | None]:
    """The index of the quote that closes the one at ``at`` by YAML's rules, and of the first bad escape before it."""
    quote = text[at]
    bad: int | None = None
    position = at + 1
    if quote == "'":
        while True:
            close = text.find("'", position, end)
            if close < 0:
                return None, None
            if text.startswith("''", close) and close + 1 < end:
                position = close + 2
                continue
            return close, None
    while True:
        stop = _DOUBLE_STOP.search(text, position, end)
        if stop is None:
            return None, bad
        if stop.group() == '"':
            return stop.start(), bad
        if bad is None and not _escape_is_good(text, stop.start(), end):
            bad = stop.start()
        position = stop.end() + 1


def _escape_is_good(text: str, at: int, end: int) -> bool:
    escape = _ESCAPE.match(text, at, end)
    if escape is None:
        return False
    body = escape[1]
    if body[0] in "\r\n":
        return True
    if len(body) == 1:
        return body in _SIMPLE_ESCAPES and body != "'"
    code = int(body[1:], 16)
    return code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF


def scan_brackets(text: str, at: int, end: int) -> tuple[int | None, int]:
    """Where the bracket at ``at`` ends (the index after its partner; None when it stays open), and the outermost
    bracket that stays open or is closed by one of the other kind."""
    opened: list[int] = []
    position = at
    while True:
        stop = _BRACKET_STOP.search(text, position, end)
        if stop is None:
            return None, opened[0]
        found, index = stop.group(), stop.start()
        position = stop.end()
        if found in "\"'":
            if text[index - 1] in " \t\r\n[{,:":  # a quote inside a word is only a letter
                close, _ = scan_quoted(text, index, end)
                if close is not None:
                    position = close + 1
        elif found in _BRACKETS:
            opened.append(index)
        else:
            opener = opened.pop()
            if _BRACKETS[text[opener]] != found:
                return None, opener
            if not opened:
                return position, opener


def block_header_end(text: str, at: int, end: int) -> int | None:
    """The index after a lone block mark (``|``, ``>-``) with its line, None when there is none at ``at``."""
    header = _BLOCK_HEADER.match(text, at, end)
    return header.end() if header else None


def plain_text(raw: str) -> str:
    """The text that ``raw``, a value that is not YAML, plainly shows: lines folded, outer quotes taken off."""
    header = block_header_end(raw, 0, len(raw))
    literal = header is not None and raw.startswith("|")
    if header is not None:
        raw = raw[header:]
    else:
        mark = _MARK_BEFORE_TEXT.match(raw)
        raw = raw[mark.end() :] if mark else raw
    lines = [line.strip() for line in _LINE_BREAK.split(raw.strip())]
    if literal:
        return "\n".join(lines)
    if len(lines) == 1 and _QUOTED_WITH_COMMA.fullmatch(lines[0]):
        lines[0] = lines[0][:-1]  # a line of JSON
    folded = _folded(lines)
    if len(lines) > 1 and _is_quoted(lines[0]) and not folded.endswith(lines[0][0]):
        lines[0] = _unquoted(lines[0])
        return _folded(lines)
    return _unquoted(folded)


def _folded(lines: list[str]) -> str:
    """Lines joined by spaces, blank ones kept as line feeds, as YAML folds a plain scalar."""
    parts: list[str] = []
    separator = ""
    for line in lines:
        if not line:
            separator = "\n" if separator in (" ", "") else separator + "\n"
            continue
        if parts:
            parts.append(separator)
        parts.append(line)
        separator = " "
    return "".join(parts)


def _is_quoted(text: str) -> bool:
    return len(text) > 1 and text[0] in "\"'" and text[-1] == text[0]


def _unquoted(text: str) -> str:
    """``text`` without the quotes around it, if it has some, and with its escapes resolved as far as they are known."""
    if not _is_quoted(text):
        if text and text[0] in "\"'" and text.count(text[0]) == 1:
            return text[1:].lstrip()  # the closing quote was forgotten
        return text
    quote, inner = text[0], text[1:-1]
    nested = _NESTED_QUOTE[quote].search(inner)
    if nested is not None and nested.start() > 0 and not inner[nested.start() - 1].isspace():
        return text  # it closes the first one, as in `"a" and "b"`, so the outer two are no pair
    if quote == "'":
        return inner.replace("\\'", "'").replace("''", "'")
    if _DRIVE_PATH.search(inner):
        return inner.replace('\\"', '"').replace("\\\\", "\\")
    inner = _SURROGATE_PAIR.sub(_joined_pair, inner)
    return _ESCAPE.sub(_unescaped, inner)


def _joined_pair(match: re.Match[str]) -> str:
    high, low = int(match[1], 16), int(match[2], 16)
    return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))


def _unescaped(match: re.Match[str]) -> str:
    body = match[1]
    if body[0] in "\r\n":
        return ""
    if len(body) == 1:
        return _SIMPLE_ESCAPES.get(body, match[0])
    code = int(body[1:], 16)
    return chr(code) if code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF else match[0]
