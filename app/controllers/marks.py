"""The signs that the screen draws, and their ASCII stand-ins for terminals that cannot show them."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Marks:
    """One cell each."""

    closed: str = "▸"
    open: str = "▾"
    user: str = "›"
    selected: str = "▌"
    separator: str = "·"
    rule: str = "─"
    down: str = "↓"
    bar: str = "│"


UNICODE = Marks()
ASCII = Marks(closed=">", open="v", user=">", selected="|", separator="-", rule="-", down="v", bar="|")


def marks_for(environ: Mapping[str, str] | None = None, encoding: str | None = None) -> Marks:
    """ASCII on the Linux console, a dumb terminal, or an output that is not UTF-8."""
    environ = os.environ if environ is None else environ
    encoding = (sys.__stdout__.encoding if sys.__stdout__ is not None else "utf-8") if encoding is None else encoding
    if environ.get("TERM") in ("linux", "dumb") or "utf" not in encoding.lower():
        return ASCII
    return UNICODE
