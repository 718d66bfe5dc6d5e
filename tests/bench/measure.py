"""One measured number with what it is held against."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

Unit: TypeAlias = Literal["seconds", "share", "MiB", "count", "ratio"]


@dataclass(frozen=True, slots=True)
class Measure:
    """``value`` in ``unit``: a share is one of a core, 1.0 being all of it.

    ``target`` is the most that is aimed at. ``beside`` was measured in turns with the value, and ``beside_what`` says
    of what it is: something that does less, below which the value cannot be.
    """

    what: str
    value: float
    unit: Unit = "seconds"
    target: float | None = None
    beside: float | None = None
    beside_what: str = ""

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None when there is none."""
        return None if self.target is None else self.value <= self.target

    def as_json(self) -> dict[str, Any]:
        facts: dict[str, Any] = {"what": self.what, "value": self.value, "unit": self.unit}
        if self.target is not None:
            facts |= {"target": self.target, "met": self.met}
        if self.beside is not None:
            facts |= {"beside": self.beside, "beside_what": self.beside_what}
        return facts


def percentile_95(times: Sequence[float]) -> float:
    """The smallest of the times that 95 of 100 do not exceed."""
    return sorted(times)[math.ceil(0.95 * len(times)) - 1]


def median_and_95(
    what: str, times: Sequence[float], median: float | None = None, percentile: float | None = None
) -> list[Measure]:
    """Two rows for a series of seconds, with their targets."""
    return [
        Measure(f"{what}, median", statistics.median(times), target=median),
        Measure(f"{what}, 95th percentile", percentile_95(times), target=percentile),
    ]
