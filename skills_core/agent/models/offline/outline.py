"""What a skill's instructions ask, in outline and in their own order."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

ITEMS_SHOWN = 24
FILES_SHOWN = 20
_LINE_SHOWN = 160
_BODY_READ = 200_000
_SENTENCES_SHOWN = 3

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}(#{1,6})\s+(\S.*)")
_STEP = re.compile(r"\s*(\d{1,3})[.)、．]\s*(\S.*)")
_BULLET = re.compile(r"\s*[-*+•]\s+(\S.*)")
_MARKS = re.compile(r"\*\*|__|\[([^\]\n]{1,200})\]\([^)\n]{1,500}\)")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])")
_LINK = re.compile(r"\]\(<?([^)\s>]{1,300})")
_PATH = re.compile(
    r"(?<![\w/.:@~-])(?:\.{1,2}/)?(?:[\w.-]+/)+[\w.-]*\w"
    r"|(?<![\w/.:@~-])[\w-][\w.-]*\.(?:md|py|sh|js|ts|json|ya?ml|toml|txt|csv|html?|css|pdf|docx|xlsx|pptx|png|svg"
    r"|xml|sql|ipynb|rb|go|rs|java|tex|j2|jinja)\b"
)


@dataclass(frozen=True, slots=True)
class Outline:
    """``items`` are headings, numbered steps, else bullets, else the first sentences, each on one line, indented by
    its depth. ``left_out`` counts the items beyond those. ``files`` are paths that the text mentions."""

    items: tuple[str, ...]
    left_out: int
    files: tuple[str, ...]


def outline(body: str) -> Outline:
    """Reads Markdown as far as it goes and never fails; only the first 200,000 letters are looked at."""
    text = body[:_BODY_READ]
    items = list(_structure(text)) or list(_bullets(text)) or list(_sentences(text))
    return Outline(tuple(items[:ITEMS_SHOWN]), max(0, len(items) - ITEMS_SHOWN), tuple(_files(text)))


def _prose(text: str) -> Iterator[str]:
    """The lines outside fenced code."""
    fence: str | None = None
    for line in text.splitlines():
        match = _FENCE.match(line)
        if fence is None and match is not None:
            fence = match[1]
        elif fence is None:
            yield line
        elif match is not None and match[1].startswith(fence) and not line.strip().strip(fence[0]):
            fence = None


def _structure(text: str) -> Iterator[str]:
    depth = 0
    for line in _prose(text):
        heading = _HEADING.fullmatch(line)
        if heading is not None:
            depth = 1
            yield _plain(heading[2].rstrip("# "))
            continue
        step = _STEP.fullmatch(line)
        if step is not None:
            indent = depth + (1 if line[:2].isspace() else 0)
            yield "  " * indent + f"{step[1]}. {_plain(step[2])}"


def _bullets(text: str) -> Iterator[str]:
    for line in _prose(text):
        bullet = _BULLET.fullmatch(line)
        if bullet is not None:
            yield _plain(bullet[1])


def _sentences(text: str) -> list[str]:
    prose = " ".join(" ".join(_prose(text)).split())
    return [_plain(part) for part in _SENTENCE_END.split(prose) if part.strip()][:_SENTENCES_SHOWN]


def _plain(line: str) -> str:
    text = _MARKS.sub(lambda match: match[1] or "", line).strip()
    return text if len(text) <= _LINE_SHOWN else text[:_LINE_SHOWN].rstrip() + "…"


def _files(text: str) -> list[str]:
    """Relative paths and file names in the order of their first mention, addresses of the web left out."""
    places = [(match.start(1), match[1]) for match in _LINK.finditer(text)]
    places += [(match.start(), match[0]) for match in _PATH.finditer(text)]
    found: dict[str, None] = {}
    for _, path in sorted(places):
        name = path.split("#")[0].split("?")[0].removeprefix("./")
        if name and "://" not in name and not name.startswith(("mailto:", "//")) and _looks_like_a_file(name):
            found.setdefault(name)
    return list(found)[:FILES_SHOWN]


def _looks_like_a_file(name: str) -> bool:
    """A path's last part has a suffix, or the path names a folder by ending in a slash."""
    last = name.rsplit("/", 1)[-1]
    return last == "" or re.search(r"\w\.[A-Za-z][A-Za-z0-9]{0,7}$", last) is not None
