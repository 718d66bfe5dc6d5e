"""Lays the program's own documents out for a terminal: tables as columns, paragraphs wrapped, code as it is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from app.output import Style, cell_width

WIDTH_MAX = 100
"""Lines longer than this are hard to read, however wide the terminal is."""

_CELL = re.compile(r"(?:`[^`]*`|\\.|[^|`\\]|`)*")
_RULE = re.compile(r"\|?[\s:|-]*-[\s:|-]*\|?")
_ITEM = re.compile(r"( *)([-*]|\d+\.) +")
_COLUMN_MIN = 12
_GAP = 2


@dataclass(frozen=True, slots=True)
class HelpLine:
    text: str
    style: Style = ""


def help_lines(document: str, width: int) -> list[HelpLine]:
    """The lines of a Markdown document for a terminal of ``width`` columns."""
    width = min(width, WIDTH_MAX)
    source = document.rstrip("\n").split("\n")
    out: list[HelpLine] = []
    at = 0
    while at < len(source):
        line = source[at]
        end = at + 1
        if line.startswith("```"):
            while end < len(source) and not source[end].startswith("```"):
                end += 1
            out.extend(HelpLine(f"    {code}".rstrip()) for code in source[at + 1 : end])
            end += 1
        elif line.startswith("|"):
            while end < len(source) and source[end].startswith("|"):
                end += 1
            out.extend(_table(source[at:end], width))
        elif line.startswith("#"):
            out.append(HelpLine(line.lstrip("#").strip(), "bold"))
        elif not line.strip() or line.startswith("    "):
            out.append(HelpLine(line.rstrip()))
        else:
            while end < len(source) and _goes_on(source[end]):
                end += 1
            out.extend(_paragraph(source[at:end], width))
        at = end
    return out


def _goes_on(line: str) -> bool:
    """Whether a line belongs to the paragraph or the item before it."""
    return bool(line.strip()) and not line.startswith(("#", "|", "```", "    ")) and _ITEM.match(line) is None


def _paragraph(lines: Iterable[str], width: int) -> list[HelpLine]:
    text = " ".join(line.strip() for line in lines)
    item = _ITEM.match(text)
    hanging = " " * len(item[0]) if item else ""
    return [HelpLine(line) for line in _wrapped(text.split(), width, hanging)]


def _wrapped(words: Iterable[str], width: int, hanging: str = "") -> list[str]:
    """As many words a line as fit in ``width`` columns, at least one; textwrap counts code points."""
    lines: list[str] = []
    line = ""
    for word in words:
        longer = f"{line} {word}" if line else word
        if line and cell_width(longer) > width:
            lines.append(line)
            longer = hanging + word
        line = longer
    return [*lines, line] if line else lines


def _broken(word: str, width: int) -> Iterator[str]:
    """The word in pieces of at most ``width`` columns, at least one character each."""
    piece = ""
    for character in word:
        if piece and cell_width(piece + character) > width:
            yield piece
            piece = ""
        piece += character
    yield piece


def _table(lines: Sequence[str], width: int) -> list[HelpLine]:
    rows = [_cells(line) for line in lines if _RULE.fullmatch(line) is None]
    columns = max(map(len, rows))
    rows = [row + [""] * (columns - len(row)) for row in rows]
    widths = _fitted([max(cell_width(row[column]) for row in rows) for column in range(columns)], width)
    head = _RULE.fullmatch(lines[1]) is not None if len(lines) > 1 else False
    out: list[HelpLine] = []
    for number, row in enumerate(rows):
        if any(row):
            out.extend(_row(row, widths, "bold" if head and number == 0 else ""))
    return out


def _cells(line: str) -> list[str]:
    inner = line.strip().removeprefix("|").removesuffix("|")
    cells: list[str] = []
    at = 0
    while at <= len(inner):
        match = _CELL.match(inner, at)
        end = match.end() if match else at
        cells.append(inner[at:end].replace("\\|", "|").strip())
        at = end + 1
    return cells


def _fitted(widths: list[int], width: int) -> list[int]:
    """The widths, with the widest made narrower until all fit beside each other."""
    while sum(widths) + _GAP * (len(widths) - 1) > width and max(widths) > _COLUMN_MIN:
        widest = widths.index(max(widths))
        widths = [*widths[:widest], widths[widest] - 1, *widths[widest + 1 :]]
    return widths


def _row(row: Sequence[str], widths: Sequence[int], style: Style) -> list[HelpLine]:
    columns = [
        _wrapped([part for word in cell.split() for part in _broken(word, room)], room) or [""] if room else [""]
        for cell, room in zip(row, widths, strict=True)
    ]
    lines: list[HelpLine] = []
    for number in range(max(map(len, columns))):
        parts = [column[number] if number < len(column) else "" for column in columns]
        padded = [part + " " * (room - cell_width(part)) for part, room in zip(parts, widths, strict=True)]
        lines.append(HelpLine((" " * _GAP).join(padded).rstrip(), style))
    return lines
