"""Which names a person may have meant."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from heapq import nsmallest

from skills_core.slips import slips_between

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
        distance = slips_between(wanted, candidate, slips)
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
