"""What the disk held when, and whether a catalog is one that it held: the rules that a random run is judged by.

Several processes change the disk at once. Each writes down, for every change, the moments before and after the system
call and what the change does to the catalog. A catalog is right when there is one moment at which every name had the
value that the catalog gives it.
"""

from __future__ import annotations

import bisect
import itertools
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_MAY_GO_UNSEEN, _SURELY_GONE = 0.1, 0.03
"""Seconds."""

_OLDEST = 30.0
"""Seconds after which a catalog that was not asked for freshly may no longer be what it was."""

Value = str | None
"""The description that a name is offered with; None when it is not offered."""


@dataclass(frozen=True)
class Change:
    """One change of the disk between the moments ``start`` and ``end``: name → value before, value after.

    ``at_once``: the loss of these names need not be held back (a definite error, a renamed folder, a lost root).
    """

    start: float
    end: float
    values: Mapping[str, tuple[Value, Value]]
    at_once: bool = False


@dataclass(frozen=True)
class Observation:
    """A complete catalog that was asked for at ``asked`` and came at ``came``; ``fresh``: not from before ``asked``."""

    asked: float
    came: float
    fresh: bool
    catalog: Mapping[str, str]


@dataclass
class _Name:
    """The values of one name in order: ``changes[i]`` leads from ``values[i]`` to ``values[i + 1]``."""

    values: list[Value]
    changes: list[Change] = field(default_factory=list[Change])
    starts: list[float] = field(default_factory=list[float])
    ends: list[float] = field(default_factory=list[float])

    def add(self, change: Change, value: Value) -> None:
        self.values.append(value)
        self.changes.append(change)
        self.starts.append(change.start)
        self.ends.append(change.end)

    def possible(self, begin: float, end: float) -> range:
        """Indices of the values that the name can have had between two moments."""
        return range(bisect.bisect_left(self.ends, begin), bisect.bisect_right(self.starts, end) + 1)

    def spans(self, value: Value, within: tuple[float, float]) -> list[tuple[float, float]]:
        """When the name can have had this value: from the start of the change to it to the end of the one away."""
        found: list[tuple[float, float]] = []
        for index in self.possible(*within):
            if self.values[index] == value:
                begin = self.changes[index - 1].start if index else float("-inf")
                end = self.changes[index].end if index < len(self.changes) else float("inf")
                if found and begin <= found[-1][1]:
                    found[-1] = (found[-1][0], end)
                else:
                    found.append((begin, end))
        return found


class History:
    """All changes of a run."""

    def __init__(self, changes: Iterable[Change]) -> None:
        self._names: dict[str, _Name] = {}
        self.count = 0
        for change in sorted(changes, key=lambda change: change.start):
            self.count += 1
            for name, (before, after) in change.values.items():
                known = self._names.setdefault(name, _Name([before]))
                if known.values[-1] != before:
                    raise AssertionError(f"the log of {name} does not hang together: {known.values[-1]!r}, {before!r}")
                known.add(change, after)
        self._edges = sorted({edge for known in self._names.values() for edge in (*known.starts, *known.ends)})

    @property
    def names(self) -> frozenset[str]:
        return frozenset(self._names)

    def final(self) -> dict[str, str]:
        """The catalog once everything is quiet."""
        return {name: value for name, known in self._names.items() if (value := known.values[-1]) is not None}

    def fault(self, observation: Observation) -> str | None:
        """Why the disk never held this catalog (for a fresh one: not since it was asked for); None when it did."""
        unknown = observation.catalog.keys() - self._names.keys()
        if unknown:
            return f"never on the disk: {sorted(unknown)}"
        window = (observation.asked if observation.fresh else observation.came - _OLDEST, observation.came)
        possible = [window]
        for name, known in self._names.items():
            value = observation.catalog.get(name)
            if value not in known.values:
                return f"{name} never had the value {value!r}"
            spans = known.spans(value, window)
            left = _intersection(possible, spans)
            if not left:
                return (
                    f"no moment at which {name} had the value {value!r} and the names before it had theirs: "
                    f"{_rounded(possible, observation.came)} and {_rounded(spans, observation.came)} (s before it came)"
                )
            possible = left
        if not any(self._agrees(observation.catalog, moment) for moment in self._moments(possible)):
            return f"half of one change is in it and half is not, near {_rounded(possible, observation.came)}"
        return None

    def early_losses(self, observations: Sequence[Observation], wait: float) -> list[str]:
        """Names that a catalog lost although they were gone for less than ``wait`` seconds and may have come back."""
        found: list[str] = []
        shown: set[str] = set()
        for observation in observations:
            for name in sorted(shown - observation.catalog.keys()):
                loss = self._last_loss(name, observation.came)
                if loss is not None and not loss.at_once and observation.came - loss.start < wait:
                    found.append(f"{name} was gone for {observation.came - loss.start:.3f} s only")
            shown = set(observation.catalog)
        return found

    def _last_loss(self, name: str, moment: float) -> Change | None:
        """The change that began the absence of ``name`` at ``moment``; None when it was there.

        A name that was gone for long, came, and went again at once, need not have been seen to be back.
        """
        known = self._names[name]
        index = bisect.bisect_right(known.starts, moment)
        if known.values[index] is not None:
            # Read just before it came back.
            index -= 1
        while index > 0 and known.values[index] is None:
            if known.values[index - 1] is None:
                index -= 1
            elif index > 2 and known.values[index - 2] is None and self._unseen(known, index - 1):
                index -= 2
            else:
                break
        return known.changes[index - 1] if index > 0 and known.values[index] is None else None

    @staticmethod
    def _unseen(known: _Name, index: int) -> bool:
        """Whether the name had this value for so short a time, after so long an absence, that it may go unseen."""
        return (
            known.starts[index] - known.starts[index - 1] < _MAY_GO_UNSEEN
            and known.ends[index - 1] - known.starts[index - 2] > _SURELY_GONE
        )

    def _moments(self, spans: list[tuple[float, float]]) -> Iterable[float]:
        edges = self._edges
        for begin, end in spans:
            inside = [begin, *edges[bisect.bisect_left(edges, begin) : bisect.bisect_right(edges, end)], end]
            yield from ((left + right) / 2 for left, right in itertools.pairwise(inside))
            yield from inside

    def _agrees(self, catalog: Mapping[str, str], moment: float) -> bool:
        """Whether each change under way at ``moment`` is wholly in the catalog, or wholly not."""
        sides: dict[int, set[str]] = {}
        for name, known in self._names.items():
            value = catalog.get(name)
            indices = known.possible(moment, moment)
            first, last = indices[0], indices[-1]
            if value not in known.values[first : last + 1]:
                return False
            if last - first == 1 and known.values[first] != known.values[last]:
                change = known.changes[first]
                side = "before" if value == known.values[first] else "after"
                sides.setdefault(id(change), set()).add(side)
        return all(len(side) == 1 for side in sides.values())


def _intersection(one: list[tuple[float, float]], other: list[tuple[float, float]]) -> list[tuple[float, float]]:
    found: list[tuple[float, float]] = []
    for begin, end in one:
        for other_begin, other_end in other:
            left, right = max(begin, other_begin), min(end, other_end)
            if left <= right:
                found.append((left, right))
    return found


def _rounded(spans: list[tuple[float, float]], came: float) -> list[tuple[float, float]]:
    return [(round(begin - came, 4), round(end - came, 4)) for begin, end in spans][-5:]


def write_change(change: Change) -> str:
    return json.dumps([change.start, change.end, change.values, change.at_once]) + "\n"


def read_changes(path: Path) -> list[Change]:
    changes: list[Change] = []
    with path.open(encoding="utf-8") as file:
        for line in file:
            record: list[Any] = json.loads(line)
            start, end, values, at_once = record
            changes.append(
                Change(start, end, {name: (before, after) for name, (before, after) in values.items()}, at_once)
            )
    return changes
