"""The line of a file that a problem is about, with a caret below its place."""

from __future__ import annotations

from app.controllers.inert import inert

TAB = "    "


def excerpt(line: str, column: int, width: int) -> tuple[str, str]:
    """The line as it may be shown in ``width`` columns, and the line below it that holds the caret.

    ``column`` counts code points from 1; one past the end is the end of the line. A long line is cut around it.
    """
    from app.output import cell_width

    before, after = _shown(line[: column - 1]), _shown(line[column - 1 :])
    room = max(width, 20)
    cut = ""
    while cell_width(before) > room * 2 // 3:
        before = before[max(1, len(before) - room * 2 // 3) :]
        cut = "…"
    rest = room - cell_width(cut) - cell_width(before) - 1
    if cell_width(after) > rest:
        while after and cell_width(after) > rest:
            after = after[: max(0, min(len(after) - 1, rest))]
        after += "…"
    return f"{cut}{before}{after}".rstrip(), " " * (cell_width(cut) + cell_width(before)) + "^"


def line_of(data: bytes, number: int) -> str | None:
    """Line ``number``, from 1, of a file's bytes, without its end; None when there is no such line."""
    lines = data.split(b"\n", number)
    if number > len(lines):
        return None
    text = lines[number - 1].rstrip(b"\r").decode("utf-8", "replace")
    return text.removeprefix("\ufeff") if number == 1 else text


def _shown(text: str) -> str:
    return inert(text.replace("\t", TAB).replace("\n", " "))
