"""Which skills' words fit a request's words, by BM25 with a scale that does not depend on how many skills there are.

A score of 1 is one telling word: a word of the request that, of all skills, only this one's description uses, once.
Words that many skills share count for less, words of the name for more, what a description excludes ("do NOT use for
…") against. Each word of the request counts once, in the best of three ways: by its stem, by its meaning (the
glossary), or by its beginning, which the inflected forms of a word share.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from skills_core.agent.models.offline.glossary import NO_MEANING, Meaning, glossary
from skills_core.agent.models.offline.stopwords import stop_words
from skills_core.agent.models.offline.words import Word, words
from skills_core.catalog.entry import CatalogEntry

NAME_WEIGHT = 2.0
CONCEPT_WEIGHT = 0.65
TOPIC_WEIGHT = 0.45
PREFIX_WEIGHT = 0.45
EXCLUDED_WEIGHT = 0.6
NAMED_SCORE = 10.0
_SATURATION = 1.2
_LENGTH_SHARE = 0.3
_UNSEEN_SKILLS = 40
"""Skills that are imagined beside the real ones, so that a word is not common because the catalog is short."""

_EXCLUSION = re.compile(
    r"(?i)\b(?:do(?:es)? not|don['’]t|never|not|avoid|skip)\b"
    r"[^.;!?\n]{0,12}?\b(?:use|using|for|when|if|trigger)\b[^.;!?\n]*"
    r"|\bnicht (?:für|bei|zum|zur|verwenden)\b[^.;!?\n]*"
    r"|\b(?:ne pas utiliser|pas pour|no usar|no sirve|no para|não usar|non usare|non per)\b[^.;!?\n]*"
    r"|\bне (?:для|использ\w+|применя\w+)\b[^.;!?\n]*"
    r"|(?:不要用于|不适用于|不用于|请勿用于)[^。；！？\n]*"
)
_EXCLUDING_ENDINGS = ("には使わない", "には使用しない", "は対象外")
_SENTENCE = re.compile(r"[^。！？\n]+")
_HYPHENATED = re.compile(r"(?<![\w-])[a-z0-9]+(?:-[a-z0-9]+)+(?![\w-])")
_NAME = r"([a-z0-9]+(?:-[a-z0-9]+)*)(?![\w-])"
_MARKED = re.compile(
    rf"[`\"“«]{_NAME}[`\"”»]|(?<!\S)/(?:skill:)?{_NAME}(?!/)|\bskill:?\s+{_NAME}|(?<![\w-]){_NAME}\s+skill\b"
)


@dataclass(frozen=True, slots=True)
class Route:
    """How well a skill fits. ``words`` are the request's words that said so, the most telling first."""

    name: str
    score: float
    words: tuple[str, ...]


class SkillIndex:
    """The words of a catalog, ready to be compared. Building it takes time: about 0.1 ms a skill."""

    def __init__(self, entries: Sequence[CatalogEntry]) -> None:
        self._names = tuple(entry.name for entry in entries)
        self._places = {name: place for place, name in enumerate(self._names)}
        self._wanted = _Postings()
        self._excluded = _Postings()
        for place, entry in enumerate(entries):
            included, excluded = split_exclusions(entry.description)
            for term in _terms(entry.name.replace("-", " ")):
                self._wanted.add(term, place, NAME_WEIGHT)
            for term in _terms(included):
                self._wanted.add(term, place, 1.0)
            for term in _terms(excluded):
                self._excluded.add(term, place, 1.0)
        self._wanted.finish(len(self._names))
        self._excluded.finish(len(self._names))

    def route(self, query: str) -> tuple[Route, ...]:
        """The skills that share a word with the request, best first; equals by name."""
        scores: dict[int, float] = defaultdict(float)
        reasons: dict[int, dict[str, float]] = defaultdict(dict)
        for word in _query_words(query):
            for place, gain in self._wanted.gains(word).items():
                scores[place] += gain
                reasons[place][word.text] = max(gain, reasons[place].get(word.text, 0.0))
            for place, loss in self._excluded.gains(word).items():
                scores[place] -= EXCLUDED_WEIGHT * loss
        for name in named_skills(query, self._places):
            place = self._places[name]
            scores[place] += NAMED_SCORE
            reasons[place][name] = NAMED_SCORE
        routes = (
            Route(self._names[place], round(score, 3), tuple(sorted(reasons[place], key=lambda w: -reasons[place][w])))
            for place, score in scores.items()
            if score > 0 and place in reasons
        )
        return tuple(sorted(routes, key=lambda route: (-route.score, route.name)))


def route(query: str, entries: Iterable[CatalogEntry]) -> tuple[Route, ...]:
    """The skills that share a word with the request, best first, with their scores and the words that said so."""
    return index_of(tuple(entries)).route(query)


@lru_cache(maxsize=4)
def index_of(entries: tuple[CatalogEntry, ...]) -> SkillIndex:
    """The index of a catalog, kept for the newest few."""
    return SkillIndex(entries)


def split_exclusions(description: str) -> tuple[str, str]:
    """What a description says the skill is for, and what it says it is not for."""
    included, excluded = description, ""
    if any(ending in description for ending in _EXCLUDING_ENDINGS):
        sentences = _SENTENCE.findall(description)
        out = [sentence for sentence in sentences if any(ending in sentence for ending in _EXCLUDING_ENDINGS)]
        excluded = " ".join(out)
        included = " ".join(sentence for sentence in sentences if sentence not in out)
    found = [match[0] for match in _EXCLUSION.finditer(included)]
    if found:
        excluded = " ".join((excluded, *found))
        included = _EXCLUSION.sub(" ", included)
    return included, excluded


def named_skills(query: str, names: Container[str]) -> tuple[str, ...]:
    """The skills that the request calls by name.

    A name of several words counts wherever it stands; one of a single word only when it is marked as a name, in
    quotes or beside the word "skill", since it may be any word.
    """
    return tuple(name for name in _written_names(query) if name in names)


def unknown_names(query: str, names: Container[str]) -> tuple[str, ...]:
    """What the request marks as the name of a skill, without there being one."""
    marked = (name for match in _MARKED.finditer(query.lower()) for name in match.groups() if name)
    return tuple(dict.fromkeys(name for name in marked if name not in names and name not in stop_words().stop))


def _written_names(query: str) -> Iterable[str]:
    lowered = query.lower()
    found = [match[0] for match in _HYPHENATED.finditer(lowered)]
    found += [name for match in _MARKED.finditer(lowered) for name in match.groups() if name]
    return dict.fromkeys(found)


@dataclass(frozen=True, slots=True)
class _QueryWord:
    text: str
    weight: float
    literal: str | None
    prefix: str | None
    meaning: Meaning


def _query_words(query: str) -> list[_QueryWord]:
    """Each word once; a known word in text without spaces counts beside the pairs of letters that it is made of.

    A word of a known phrase is compared by its letters alone, since its meaning is the phrase's.
    """
    known = glossary()
    unique: dict[str, Word] = {}
    for word in words(query):
        unique.setdefault(word.stem, word)
    phrases = dict(known.in_phrases(query))
    covered = {stem for phrase in phrases for stem in phrase}
    found = [
        _QueryWord(
            word.text, word.weight, word.stem, word.prefix, NO_MEANING if word.stem in covered else known.meaning(word)
        )
        for word in unique.values()
    ]
    found += [_QueryWord(" ".join(phrase), 1.0, None, None, meaning) for phrase, meaning in phrases.items()]
    found += [_QueryWord(form, 1.0, None, None, meaning) for form, meaning in dict(known.in_runs(query)).items()]
    return found


def _terms(text: str) -> Iterable[str]:
    """Every term that a stretch of a description can be found by."""
    known = glossary()
    phrases = list(known.in_phrases(text))
    covered = {stem for phrase, _ in phrases for stem in phrase}
    for word in words(text):
        yield word.stem
        if word.prefix is not None:
            yield f"^{word.prefix}"
        if word.stem not in covered:
            yield from _meaning_terms(known.meaning(word))
    for _, meaning in (*phrases, *known.in_runs(text)):
        yield from _meaning_terms(meaning)


def _meaning_terms(meaning: Meaning) -> Iterable[str]:
    for concept in meaning.concepts:
        yield f"#{concept}"
    for topic in meaning.topics:
        yield f"~{topic}"


class _Postings:
    """Where each term occurs and how often, with BM25's weight of it there once finished."""

    def __init__(self) -> None:
        self._counts: dict[str, dict[int, float]] = {}
        self._lengths: dict[int, float] = defaultdict(float)
        self._skills = 0
        self._mean = 1.0

    def add(self, term: str, place: int, weight: float) -> None:
        counts = self._counts.setdefault(term, {})
        counts[place] = counts.get(place, 0.0) + weight
        if term[0] not in "^#~":
            self._lengths[place] += weight

    def finish(self, skills: int) -> None:
        self._skills = skills
        self._mean = sum(self._lengths.values()) / len(self._lengths) if self._lengths else 1.0

    def gains(self, word: _QueryWord) -> dict[int, float]:
        """What the word adds to the score of each skill that has it, in the best of its forms."""
        terms: list[tuple[str, float]] = [(f"#{concept}", CONCEPT_WEIGHT) for concept in word.meaning.concepts]
        terms += [(f"~{topic}", TOPIC_WEIGHT) for topic in word.meaning.topics]
        if word.literal is not None:
            terms.append((word.literal, 1.0))
        if word.prefix is not None:
            terms.append((f"^{word.prefix}", PREFIX_WEIGHT))
        best: dict[int, float] = {}
        for term, share in terms:
            counts = self._counts.get(term)
            if counts is None:
                continue
            rarity = self._rarity(len(counts)) * share * word.weight
            for place, count in counts.items():
                length = 1 - _LENGTH_SHARE + _LENGTH_SHARE * self._lengths[place] / self._mean
                gain = rarity * count * (_SATURATION + 1) / (count + _SATURATION * length)
                if gain > best.get(place, 0.0):
                    best[place] = gain
        return best

    def _rarity(self, holders: int) -> float:
        """1 for a term of a single skill, falling to 0 for one that all have."""
        everything = self._skills + _UNSEEN_SKILLS
        return math.log(1 + (everything - holders + 0.5) / (holders + 0.5)) / math.log(1 + (everything - 0.5) / 1.5)
