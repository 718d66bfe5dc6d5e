"""How the folders are being watched, in words for a person."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

WatchMode: TypeAlias = Literal["native", "polling", "off"]


@dataclass(frozen=True, slots=True)
class WatchStatus:
    """The present way of watching.

    ``native``: the system reports changes. ``polling``: the folders are looked at again and again; ``reason`` says
    why and ``hint`` what would help, both plain text. ``off``: nothing is watched.
    """

    mode: WatchMode
    reason: str | None = None
    hint: str | None = None
