"""A table of measured numbers in plain text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def render(rows: Sequence[tuple[str, str]], columns: Mapping[str, Mapping[str, float]]) -> str:
    """``rows``: key and words; ``columns``: heading → key → seconds (or a ratio or share, see ``cell``)."""
    lines = [["", *columns]]
    for key, words in rows:
        if any(key in column for column in columns.values()):
            lines.append([words, *(cell(key, column.get(key)) for column in columns.values())])
    widths = [max(len(line[index]) for line in lines) for index in range(len(lines[0]))]
    return "\n".join(
        "  ".join(
            [line[0].ljust(widths[0]), *(text.rjust(width) for text, width in zip(line[1:], widths[1:], strict=True))]
        )
        for line in lines
    )


def cell(key: str, number: float | None) -> str:
    """Milliseconds for a time; keys that end in ``ratio`` are factors, in ``share`` per cent of a core."""
    if number is None:
        return ""
    if key.endswith("ratio"):
        return f"{number:.2f} x"
    if key.endswith("share"):
        return f"{100 * number:.2f} %"
    milliseconds = 1000 * number
    return f"{milliseconds:.1f} ms" if milliseconds >= 10 else f"{milliseconds:.2f} ms"
