"""Which rows of a transcript hold some words, and where the words stand in a line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from app.controllers.transcript_row import Row, row_title


def matching_rows(rows: Iterable[Row], text: str) -> list[int]:
    """The indexes of the rows that hold the text, closed or open, in any letter case."""
    wanted = text.casefold()
    return [index for index, row in enumerate(rows) if wanted in row.text().casefold() or in_title(row, text)]


def in_title(row: Row, text: str) -> bool:
    """Whether the closed row shows the text."""
    return text.casefold() in "".join(piece.text for piece in row_title(row)).casefold()


def next_match(found: Sequence[int], current: int | None, step: int) -> int | None:
    """The match that comes after row ``current`` in the direction of ``step``, going round at the ends.

    With 0 the match at or nearest above it; without a current row the newest.
    """
    if not found:
        return None
    if current is None:
        return found[0] if step > 0 else found[-1]
    if step > 0:
        return next((index for index in found if index > current), found[0])
    above = [index for index in found if index < current or (step == 0 and index == current)]
    return above[-1] if above else found[-1]


def spans(line: str, text: str) -> list[tuple[int, int]]:
    """Where the text stands in a line, as code points, in any letter case."""
    low, wanted = line.lower(), text.lower()
    if not wanted or len(low) != len(line):
        return []
    out: list[tuple[int, int]] = []
    start = low.find(wanted)
    while start >= 0:
        out.append((start, start + len(wanted)))
        start = low.find(wanted, start + len(wanted))
    return out


def search_words(found: Sequence[int], at: int | None) -> str:
    """How a search went: ``3 of 7 rows``, or that there is nothing."""
    if at is None or at not in found:
        return "none"
    return f"{list(found).index(at) + 1:,} of {len(found):,} row{'' if len(found) == 1 else 's'}"
