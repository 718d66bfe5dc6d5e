"""How well a query fits a name and a description, and which letters it matched."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import InitVar, dataclass, field
from enum import IntEnum
from typing import Any, Generic, Protocol, TypeVar

_WORDS = re.compile(r"[^\W_]+")


class Fit(IntEnum):
    """How a query matches, best first."""

    EXACT = 0
    PREFIX = 1
    WORD_START = 2
    SUBSTRING = 3
    SUBSEQUENCE = 4
    DESCRIPTION = 5


class Named(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def description(self) -> str: ...


Item = TypeVar("Item", bound=Named)


@dataclass(frozen=True, slots=True)
class _Text:
    """What is looked at for a query, made once for each name and description."""

    name: str
    letters: int
    initials: str
    words: str


@dataclass(frozen=True, slots=True)
class _Prepared(Generic[Item]):
    item: Item
    index: int
    text: _Text


def _letters(text: str) -> int:
    """A set of the text's characters as bits; a query cannot match a name that lacks one of its characters."""
    bits = 0
    for character in text:
        bits |= 1 << (ord(character) & 63)
    return bits


def _prepare(name: str, description: str) -> _Text:
    name = name.lower()
    initials = "".join(word[0] for word in _WORDS.findall(name))
    return _Text(name, _letters(name), initials, " " + " ".join(_WORDS.findall(description.lower())))


@dataclass(slots=True)
class Matcher(Generic[Item]):
    """Ranks items for a query, and narrows its last result as letters are added.

    The items' own order breaks ties, so give them in the order that equals are to have. ``before`` is a matcher over
    mostly the same items, whose work is used again.
    """

    items: Sequence[Item]
    before: InitVar[Matcher[Any] | None] = None
    _prepared: list[_Prepared[Item]] = field(default_factory=list)
    _texts: dict[tuple[str, str], _Text] = field(default_factory=dict)
    _results: dict[str, list[list[_Prepared[Item]]]] = field(default_factory=dict)

    def __post_init__(self, before: Matcher[Any] | None) -> None:
        known = before._texts if before is not None else {}
        for index, item in enumerate(self.items):
            key = (item.name, item.description)
            text = known.get(key) or _prepare(*key)
            self._texts[key] = text
            self._prepared.append(_Prepared(item, index, text))

    def match(self, query: str) -> list[Item]:
        """The items that fit ``query``, best first; all of them when it is empty."""
        query = query.lower()
        if not query:
            return [entry.item for entry in self._prepared]
        tiers = self._results.get(query)
        if tiers is None:
            tiers = self._search(query)
            if len(self._results) > 64:
                self._results.clear()
            self._results[query] = tiers
        return [entry.item for tier in tiers for entry in tier]

    def _search(self, query: str) -> list[list[_Prepared[Item]]]:
        wanted = _letters(query)
        prefix_of_word = " " + query
        subsequence = re.compile(".*?".join(map(re.escape, query))).search
        tiers: list[list[_Prepared[Item]]] = [[] for _ in Fit]
        exact, prefix, start, substring, scattered, described = tiers
        for entry in self._candidates(query):
            text = entry.text
            name = text.name
            if text.letters & wanted == wanted:
                if name.startswith(query):
                    (exact if name == query else prefix).append(entry)
                    continue
                if _starts_words(query, text):
                    start.append(entry)
                    continue
                if query in name:
                    substring.append(entry)
                    continue
                if subsequence(name):
                    scattered.append(entry)
                    continue
            if prefix_of_word in text.words:
                described.append(entry)
        return tiers

    def _candidates(self, query: str) -> Sequence[_Prepared[Item]]:
        """The smallest known set that holds every match: what a shorter query found, in the items' own order."""
        for length in range(len(query) - 1, 0, -1):
            known = self._results.get(query[:length])
            if known is not None:
                return sorted((entry for tier in known for entry in tier), key=_by_index)
        return self._prepared


def _by_index(entry: _Prepared[Any]) -> int:
    return entry.index


def _starts_words(query: str, text: _Text) -> bool:
    """Whether the query is made of the beginnings of the name's words, in their order: ``cr``, ``corev``, ``rev``."""
    if query[0] not in text.initials:
        return False
    return _word_positions(query, text.name) is not None


def _word_positions(query: str, name: str) -> tuple[int, ...] | None:
    """The offsets of the word beginnings that make up the query, or None.

    Dead ends are remembered, so that a name of many equal words costs no more than query × words.
    """
    spans = [match.span() for match in _WORDS.finditer(name)]
    dead: set[tuple[int, int]] = set()

    def follow(at: int, word: int) -> tuple[int, ...] | None:
        if at == len(query):
            return ()
        if (at, word) in dead:
            return None
        for index in range(word, len(spans)):
            start, end = spans[index]
            longest = 0
            while at + longest < len(query) and start + longest < end and name[start + longest] == query[at + longest]:
                longest += 1
            for length in range(longest, 0, -1):
                rest = follow(at + length, index + 1)
                if rest is not None:
                    return (*range(start, start + length), *rest)
        dead.add((at, word))
        return None

    return follow(0, 0)


def matched_positions(query: str, name: str) -> tuple[int, ...]:
    """The offsets in ``name`` of the letters that ``query`` matched; empty when it matched the description alone."""
    query, name = query.lower(), name.lower()
    if not query:
        return ()
    if name.startswith(query):
        return tuple(range(len(query)))
    words = _word_positions(query, name)
    if words is not None:
        return words
    at = name.find(query)
    if at >= 0:
        return tuple(range(at, at + len(query)))
    positions: list[int] = []
    at = -1
    for character in query:
        at = name.find(character, at + 1)
        if at < 0:
            return ()
        positions.append(at)
    return tuple(positions)
