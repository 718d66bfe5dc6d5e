"""Cleaning of text that comes from files: controls, terminal sequences, and characters that nobody can see.

Cleaning is idempotent and takes linear time. It keeps tabs and line feeds, the joiners inside emoji, joiners after a
letter of a script that needs them, well-formed subdivision flags, and one variation selector after a character.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_ESCAPE_SEQUENCE = (
    r"\x1b[\]PX^_][^\x00-\x1f\x7f-\x9f]*(?:\x07|\x1b\\|\x9c)"  # a string command up to its terminator
    r"|[\x90\x98\x9d-\x9f][^\x00-\x1f\x7f-\x9f]*(?:\x07|\x1b\\|\x9c)"
    r"|\x1b\[[0-?]*[ -/]*[@-~]"
    r"|\x9b[0-?]+[ -/]*[@-~]"
    r"|\x1b(?: [F-N]|[!-/]+[0-~]|[0-~])?"
)
_CONTROL = r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]"
_CONTROL_RUN = rf"(?:{_ESCAPE_SEQUENCE}|{_CONTROL})+"
_FLAG = "\U0001f3f4[\U000e0061-\U000e007a]{2}[\U000e0030-\U000e0039\U000e0061-\U000e007a]{1,3}\U000e007f"
_SELECTOR = "[\ufe00-\ufe0f\U000e0100-\U000e01ef]"
_INVISIBLE = (
    "[\u00ad\u034f\u061c\u17b4\u17b5\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
_SUSPECT = re.compile(
    rf"(?P<control>{_CONTROL_RUN})|(?P<flag>{_FLAG})|(?P<joiner>[\u200c\u200d])|(?P<selector>{_SELECTOR})|{_INVISIBLE}"
)

_EMOJI = re.compile("[\u00a9\u00ae\u203c\u2049\u2122-\u3299\U0001f000-\U0001faff]")
_JOINING_SCRIPT = re.compile(
    "[\u0600-\u0605\u0610-\u061b\u061d-\u08ff\u0900-\u0dff\u0e80-\u0fff\u1000-\u109f\u1700-\u17b3\u17b6-\u17ff\u1800-\u180d\u180f-\u18af"
    "\u1900-\u1cff\ua800-\ua9ff\uaa60-\uaa7f\uaae0-\uaaff\uabc0-\uabff\ufb50-\ufdff\ufe70-\ufefc\U00010a00-\U00011fff"
    "\U0001e900-\U0001e95f]"
)
_IDEOGRAPH = re.compile("[\u2e80-\u2fdf\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")

SHOWN_LENGTH = 80
"""How many code points of a value a message repeats at most."""


def clean_text(text: str) -> str:
    """``text`` without what could act on a terminal or deceive a reader.

    Each run of controls, with the escape sequences that start in it, becomes one space; bidirectional controls,
    zero-width and tag characters go.
    """
    if text.replace("\n", " ").isprintable() and not _has_selector(text):
        return text
    parts: list[str] = []
    position = 0
    for match, replacement in _edits(text, 0, len(text)):
        parts += (text[position : match.start()], replacement)
        position = match.end()
    parts.append(text[position:])
    return "".join(parts)


def first_suspect(text: str, start: int, end: int) -> int | None:
    """The index of the first character in ``text[start:end]`` that cleaning would change."""
    for match, replacement in _edits(text, start, end):
        if replacement != match.group():
            return match.start()
    return None


def shown(text: str, length: int = SHOWN_LENGTH) -> str:
    """``text`` as a message repeats it: cleaned, on one line, and cut to ``length`` code points."""
    folded = " ".join(clean_text(text[: length * 8]).split())
    return folded if len(folded) <= length else folded[: length - 1] + "…"


def _has_selector(text: str) -> bool:
    # Selectors and the grapheme joiner count as printable; ASCII text needs no look.
    return not text.isascii() and _SUSPECT.search(text) is not None


def _edits(text: str, start: int, end: int) -> Iterator[tuple[re.Match[str], str]]:
    """Each suspect part of ``text[start:end]`` with what stands for it in the clean text."""
    kept = ""  # the last two characters of the clean text so far, for joiners and selectors depend on them
    position = start
    for match in _SUSPECT.finditer(text, start, end):
        kept = (kept + text[max(position, match.start() - 2) : match.start()])[-2:]
        replacement = _replacement(match, kept, end)
        kept = (kept + replacement)[-2:]
        position = match.end()
        yield match, replacement


def _replacement(match: re.Match[str], kept: str, end: int) -> str:
    group = match.lastgroup
    if group == "control":
        return " "
    if group == "flag":
        return match.group()
    if group == "joiner":
        follower = match.string[match.end() : min(match.end() + 1, end)]
        return match.group() if _joiner_is_needed(match.group(), kept, follower) else ""
    if group == "selector":
        return match.group() if _selector_is_needed(match.group(), kept[-1:]) else ""
    return ""


def _joiner_is_needed(joiner: str, kept: str, follower: str) -> bool:
    before = kept[-1:]
    if _JOINING_SCRIPT.match(before):
        return True
    if joiner == "\u200c" or not _EMOJI.match(follower):
        return False
    if before == "\ufe0f":
        before = kept[:-1]
    return _EMOJI.match(before) is not None


def _selector_is_needed(selector: str, before: str) -> bool:
    if selector >= "\U000e0100":
        return _IDEOGRAPH.match(before) is not None
    return bool(before) and not before.isspace() and _SUSPECT.match(before) is None
