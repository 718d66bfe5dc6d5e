"""Text from files, models and tools, made safe to put on a terminal.

A terminal obeys control characters, and bidi, zero-width and tag characters make a line look like another one. Each
such character becomes a visible mark, so that nothing is obeyed and nothing is hidden. Joiners stay where writing
needs them: inside emoji, and between letters of scripts that join.
"""

from __future__ import annotations

import re
import unicodedata

_SUSPECT = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\uffff"
    "\ud800-\udfff"
    "\U00013430-\U0001345f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U0001fffe\U0001ffff"
    "\U000e0000-\U000e0fff"
    "]"
)
"""Every character that is a mark, or is only kept when its neighbours ask for it."""

_ZWNJ, _ZWJ = "\u200c", "\u200d"
_BLACK_FLAG = "\U0001f3f4"
_TAG_END = "\U000e007f"
_FLAG = re.compile(_BLACK_FLAG + "[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}" + _TAG_END)

_JOINING_SCRIPTS = (
    ("\u0600", "\u07ff"),  # Arabic, Syriac, Thaana, N'Ko
    ("\u0840", "\u08ff"),  # Mandaic, Syriac and Arabic extensions
    ("\u0900", "\u0dff"),  # Devanagari to Sinhala
    ("\u0f00", "\u109f"),  # Tibetan, Myanmar
    ("\u1780", "\u18af"),  # Khmer, Mongolian
    ("\u1a20", "\u1aaf"),  # Tai Tham
    ("\u1b00", "\u1cff"),  # Balinese to Vedic extensions
    ("\ua840", "\ua8ff"),  # Phags-pa, Saurashtra, Devanagari extended
    ("\ua980", "\ua9df"),  # Javanese
    ("\ufb50", "\ufdff"),  # Arabic presentation forms
    ("\U00010a00", "\U00010fff"),
    ("\U00011000", "\U00011fff"),
    ("\U0001e900", "\U0001e95f"),
)


def inert(text: str) -> str:
    """The text with every control, bidi, zero-width, tag and lone surrogate character as a visible mark.

    Line feeds and tabs stay, CRLF becomes LF. C0 controls and DEL become their Unicode control pictures, the others
    ``<U+202E>``. Applying it twice changes nothing more.
    """
    if _SUSPECT.search(text) is None:
        return text
    text = text.replace("\r\n", "\n")
    flags = {position for match in _FLAG.finditer(text) for position in range(match.start(), match.end())}

    def mark(match: re.Match[str]) -> str:
        at = match.start()
        return match[0] if at in flags or _belongs(text, at) else _mark(match[0])

    return _SUSPECT.sub(mark, text)


def inert_line(text: str) -> str:
    """As ``inert``, on one line: each run of white space is one space."""
    return " ".join(inert(text).split())


def escape_in_json(encoded: str) -> str:
    r"""Rewrites a JSON text so that it says the same without any such character: each as a ``\uXXXX`` escape.

    They can only stand inside strings there, where an escape means the same. Line feeds and tabs outside strings stay.
    """
    if _SUSPECT.search(encoded) is None:
        return encoded
    flags = {position for match in _FLAG.finditer(encoded) for position in range(match.start(), match.end())}

    def escape(match: re.Match[str]) -> str:
        at = match.start()
        if at in flags or _belongs(encoded, at):
            return match[0]
        units = match[0].encode("utf-16-be", "surrogatepass").hex()
        return "".join(f"\\u{units[index : index + 4]}" for index in range(0, len(units), 4))

    return _SUSPECT.sub(escape, encoded)


def _mark(character: str) -> str:
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    return f"<U+{code:04X}>"


def _belongs(text: str, at: int) -> bool:
    """Whether the character at ``at`` is one that writing needs where it stands."""
    character = text[at]
    before = text[at - 1] if at else ""
    after = text[at + 1] if at + 1 < len(text) else ""
    if character == _ZWJ:
        return (_ends_emoji(text, at) and _is_pictograph(after)) or _joins(before)
    if character == _ZWNJ:
        return _joins(before) and _joins(after)
    if "\ufe00" <= character <= "\ufe0f":
        return bool(before) and not before.isspace() and _SUSPECT.match(before) is None
    if "\U000e0100" <= character <= "\U000e01ef":
        return _is_ideograph(before)
    return "\u180b" <= character <= "\u180d" and "\u1800" <= before <= "\u18af"


def _ends_emoji(text: str, at: int) -> bool:
    """Whether a pictograph ends just before ``at``, with its variation selector or skin tone."""
    at -= 1
    while at > 0 and (text[at] == "\ufe0f" or "\U0001f3fb" <= text[at] <= "\U0001f3ff"):
        at -= 1
    return at >= 0 and _is_pictograph(text[at])


def _is_pictograph(character: str) -> bool:
    if not character:
        return False
    if "\U0001f000" <= character <= "\U0001faff":
        return True
    return "\u2190" <= character <= "\u2bff" and unicodedata.category(character) in ("So", "Sm")


def _is_ideograph(character: str) -> bool:
    return (
        "\u3400" <= character <= "\u9fff"
        or "\uf900" <= character <= "\ufaff"
        or "\U00020000" <= character <= "\U0003ffff"
    )


def _joins(character: str) -> bool:
    if not character or unicodedata.category(character)[0] not in "LM":
        return False
    return any(first <= character <= last for first, last in _JOINING_SCRIPTS)
