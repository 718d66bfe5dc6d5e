"""How well a query fits a name and a description, and which letters it matched."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import InitVar, dataclass, field
from typing import Any, Generic, Protocol, TypeVar

_WORDS = re.compile(r"[^\W_]+")
_KEPT_RESULTS = 64


class Named(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def description(self) -> str: ...


Item = TypeVar("Item", bound=Named)


_FEW_WORDS = 6
"""Words of a name up to which one pattern finds the beginnings that a query is made of."""


@dataclass(frozen=True, slots=True)
class _Text:
    """What is looked at for a query, made once for each name and description.

    ``joined`` is the name's words, each behind a hyphen; ``words`` the description's, each behind a space.
    """

    name: str
    letters: int
    initials: str
    joined: str
    words: str


@dataclass(frozen=True, slots=True)
class _Prepared(Generic[Item]):
    item: Item
    text: _Text


def _letters(text: str) -> int:
    """A set of the text's characters as bits; a query cannot match a name that lacks one of its characters."""
    bits = 0
    for character in text:
        bits |= 1 << (ord(character) & 63)
    return bits


def _prepare(name: str, description: str) -> _Text:
    name = name.lower()
    words = _WORDS.findall(name)
    initials = "".join(word[0] for word in words)
    described = " " + " ".join(_WORDS.findall(description.lower()))
    return _Text(name, _letters(name), initials, "-" + "-".join(words), described)


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
    _results: dict[str, tuple[list[Item], list[_Prepared[Item]]]] = field(default_factory=dict)

    def __post_init__(self, before: Matcher[Any] | None) -> None:
        known = before._texts if before is not None else {}
        for item in self.items:
            key = (item.name, item.description)
            text = known.get(key) or _prepare(*key)
            self._texts[key] = text
            self._prepared.append(_Prepared(item, text))

    def match(self, query: str) -> Sequence[Item]:
        """The items that fit ``query``, best first; all of them when it is empty."""
        query = query.lower()
        if not query:
            return self.items
        found = self._results.get(query)
        if found is None:
            found = self._search(query)
            if len(self._results) > _KEPT_RESULTS:
                self._results.clear()
            self._results[query] = found
        return found[0]

    def _search(self, query: str) -> tuple[list[Item], list[_Prepared[Item]]]:
        """The ranked items, and the same in their own order, for a longer query to look at."""
        wanted = _letters(query)
        described_by, begins = " " + query, "-" + query
        starts = _starts_pattern(query)
        scattered_in = re.compile(".*?".join(map(re.escape, query))).search if len(query) > 1 else None
        exact: list[Item] = []
        prefix: list[Item] = []
        start: list[Item] = []
        substring: list[Item] = []
        scattered: list[Item] = []
        described: list[Item] = []
        kept: list[_Prepared[Item]] = []
        for entry in self._candidates(query):
            text = entry.text
            if text.letters & wanted == wanted:
                name = text.name
                if name.startswith(query):
                    (exact if name == query else prefix).append(entry.item)
                    kept.append(entry)
                    continue
                if begins in text.joined or (starts is not None and _starts_words(query, text, starts)):
                    start.append(entry.item)
                    kept.append(entry)
                    continue
                if query in name:
                    substring.append(entry.item)
                    kept.append(entry)
                    continue
                if scattered_in is not None and scattered_in(name):
                    scattered.append(entry.item)
                    kept.append(entry)
                    continue
            if described_by in text.words:
                described.append(entry.item)
                kept.append(entry)
        return [*exact, *prefix, *start, *substring, *scattered, *described], kept

    def _candidates(self, query: str) -> Sequence[_Prepared[Item]]:
        """The smallest known set that holds every match: what a shorter query found."""
        for length in range(len(query) - 1, 0, -1):
            known = self._results.get(query[:length])
            if known is not None:
                return known[1]
        return self._prepared


def _starts_pattern(query: str) -> re.Pattern[str] | None:
    """Finds, in joined words, the beginnings of words that make up the query in their order; None for one letter."""
    if len(query) < 2:
        return None
    return re.compile("-" + "(?:.*?-)?".join(map(re.escape, query)))


def _starts_words(query: str, text: _Text, pattern: re.Pattern[str]) -> bool:
    """Whether the query is made of the beginnings of the name's words: ``cr`` or ``corev`` for ``code-review``."""
    if query[0] not in text.initials:
        return False
    if len(text.initials) <= _FEW_WORDS:
        return pattern.search(text.joined) is not None
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
