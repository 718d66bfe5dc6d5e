"""The names that a person probably meant."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(written: str, names: Iterable[str]) -> str | None:
    """The name closest to what was written, or None when nothing is close."""
    from difflib import get_close_matches

    folded = {_folded(name): name for name in names}
    close = get_close_matches(_folded(written), folded, n=1, cutoff=0.6)
    return folded[close[0]] if close else None


def did_you_mean(written: str, names: Iterable[str]) -> str:
    """``did you mean "NAME"?``, or nothing."""
    found = nearest(written, names)
    return f'did you mean "{found}"?' if found else ""


def _folded(name: str) -> str:
    return name.casefold().replace("-", "_")
