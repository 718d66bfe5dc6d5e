"""Tables of measured numbers in plain text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tests.bench.measure import Measure, Unit

_MET = {None: "", True: "met", False: "missed"}


def render(rows: Sequence[tuple[str, str]], columns: Mapping[str, Mapping[str, float]]) -> str:
    """``rows``: key and words; ``columns``: heading → key → seconds (or a ratio or share, see ``unit_of``)."""
    lines = [["", *columns]]
    for key, words in rows:
        if any(key in column for column in columns.values()):
            lines.append([words, *(amount(column.get(key), unit_of(key)) for column in columns.values())])
    return _aligned(lines)


def render_measures(measures: Sequence[Measure]) -> str:
    """Each number with its target, whether that is met, and what was measured beside it."""
    lines = [["", "measured", "at most", "", "beside"]]
    for each in measures:
        beside = "" if each.beside is None else f"{amount(each.beside, each.unit)} {each.beside_what}".rstrip()
        lines.append([each.what, amount(each.value, each.unit), amount(each.target, each.unit), _MET[each.met], beside])
    return _aligned(lines, frozenset({0, 3, 4}))


def unit_of(key: str) -> Unit:
    """Keys that end in ``ratio`` are factors, in ``share`` parts of a core, all others seconds."""
    if key.endswith("ratio"):
        return "ratio"
    return "share" if key.endswith("share") else "seconds"


def amount(number: float | None, unit: Unit) -> str:
    """The number for a person, a time in the unit that suits it, a share in per cent; nothing for None."""
    if number is None:
        return ""
    match unit:
        case "ratio":
            return f"{number:.2f} x"
        case "share":
            return f"{100 * number:.2f} %"
        case "MiB":
            return f"{number:.1f} MiB"
        case "count":
            return f"{number:,.0f}"
        case "seconds":
            return _time(number)


def _time(seconds: float) -> str:
    if seconds >= 1:
        return f"{seconds:.2f} s"
    if seconds < 0.0001:
        return f"{1e6 * seconds:.1f} µs"
    milliseconds = 1000 * seconds
    return f"{milliseconds:.1f} ms" if milliseconds >= 10 else f"{milliseconds:.2f} ms"


def _aligned(lines: Sequence[Sequence[str]], left: frozenset[int] = frozenset({0})) -> str:
    """``left``: the columns that begin at the same place; those of the others end there."""
    widths = [max(len(line[index]) for line in lines) for index in range(len(lines[0]))]
    return "\n".join(
        "  ".join(
            text.ljust(width) if index in left else text.rjust(width)
            for index, (text, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )
