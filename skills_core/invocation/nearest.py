"""Which names a person may have meant."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from heapq import nsmallest

NEAREST_COUNT = 3
_SEPARATORS = re.compile(r"[^\w]+|_+")
_NO_MATCH = 1000
_READ = 128


def nearest_names(name: str, names: Iterable[str]) -> tuple[str, ...]:
    """At most three names, nearest first: the same but for case and separators, one that begins with it or contains
    it, one with its words in another order, one that is a few slips of the finger away. Empty when none is near.
    """
    wanted = _plain(name[:_READ])
    if not wanted:
        return ()
    words = wanted.split("-")
    slips = 1 if len(wanted) < 5 else 2 if len(wanted) < 9 else 3
    letters = Counter(wanted)
    scored = (
        (score, len(candidate), candidate)
        for candidate in names
        if (score := _score(wanted, words, letters, slips, candidate)) < _NO_MATCH
    )
    return tuple(candidate for _, _, candidate in nsmallest(NEAREST_COUNT, scored))


def _plain(text: str) -> str:
    return _SEPARATORS.sub("-", text.casefold()).strip("-")


def _score(wanted: str, words: list[str], letters: Counter[str], slips: int, candidate: str) -> int:
    if candidate == wanted:
        return 0
    distance = _NO_MATCH
    if abs(len(candidate) - len(wanted)) <= slips and (letters - Counter(candidate)).total() <= slips:
        distance = _slips(wanted, candidate, slips)
    if distance == 1:
        return 1
    if candidate.startswith(wanted):
        return 2
    if len(wanted) > 2 and wanted in candidate:
        return 3
    if distance <= slips:
        return 2 + distance
    if len(candidate) > 2 and candidate in wanted:
        return 6
    parts = candidate.split("-")
    shared = sum(1 for word in words if len(word) > 2 and any(_alike(word, part) for part in parts))
    if shared:
        return 7 + len(words) - shared
    return _NO_MATCH


def _alike(one: str, other: str) -> bool:
    """Whether two words are the same up to an ending (``towel``, ``towels``; ``hem``, ``hemming``)."""
    return len(other) > 2 and (one.startswith(other) or other.startswith(one))


def _slips(one: str, other: str, limit: int) -> int:
    """Letters added, left out, changed, or exchanged with their neighbour; above ``limit`` some larger number."""
    before: list[int] = []
    previous = list(range(len(other) + 1))
    for row, letter in enumerate(one, 1):
        current = [row]
        for column, against in enumerate(other, 1):
            cost = previous[column - 1] + (letter != against)
            cost = min(cost, previous[column] + 1, current[column - 1] + 1)
            if row > 1 and column > 1 and letter == other[column - 2] and one[row - 2] == against:
                cost = min(cost, before[column - 2] + 1)
            current.append(cost)
        if min(current) > limit:
            return limit + 1
        before, previous = previous, current
    return previous[-1]
