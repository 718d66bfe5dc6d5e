"""What a part of a long run is: how it is asked for, and what it answers."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Task:
    """``seconds``: about how long to go on; ``folder``: empty, the part's own; ``seed``: all chance comes from it."""

    seconds: float
    folder: Path
    seed: int


@dataclass(slots=True)
class Report:
    """What came of a part. ``facts`` are numbers for people; ``failures`` are sentences, none when it held."""

    part: str
    seed: int = 0
    seconds: float = 0.0
    facts: dict[str, float | int | str] = field(default_factory=dict[str, "float | int | str"])
    failures: list[str] = field(default_factory=list[str])

    @property
    def passed(self) -> bool:
        return not self.failures

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "passed": self.passed}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Report:
        return cls(record["part"], record["seed"], record["seconds"], record["facts"], record["failures"])


class Clock:
    """Counts from its making; ``left`` until the seconds of a task are over."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._start = time.monotonic()

    @property
    def taken(self) -> float:
        return time.monotonic() - self._start

    @property
    def left(self) -> float:
        return self.seconds - self.taken
