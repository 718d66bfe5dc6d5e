"""From text in any language to the words that routing compares.

Words are folded (compatibility forms, letter case, accents), stripped of stop words and brought to a common stem. Text
without spaces between words is cut into overlapping pairs of letters. Nothing here knows which language it reads:
the rules go by script, and the stop words of several languages are one list.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

from skills_core.agent.models.offline.stopwords import stop_words

PREFIX_LENGTH = 5
PREFIX_LEAST_LENGTH = 6
WEAK_WEIGHT = 0.3
PAIR_WEIGHT = 0.5

_HAN = "\u2e80-\u2fdf\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_HIRAGANA = "\u3041-\u309f"
_KATAKANA = "\u30a0-\u30ff\u31f0-\u31ff"
_HANGUL = "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af"
_SPACELESS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
_TOKEN = re.compile(
    rf"(?P<katakana>[{_KATAKANA}]{{2,}})"
    rf"|(?P<run>[{_HAN}{_HIRAGANA}{_KATAKANA}]+|[{_HANGUL}]+|[{_SPACELESS}]+)"
    rf"|(?P<word>(?:(?![{_HAN}{_HIRAGANA}{_KATAKANA}{_HANGUL}{_SPACELESS}])[^\W_])+)"
)
_GRAMMAR_ONLY = re.compile(rf"[{_HIRAGANA}]+")
_ARABIC = re.compile("[\u0600-\u06ff]")
_ARABIC_LETTERS = str.maketrans({"أ": "ا", "إ": "ا", "آ": "ا", "ى": "ي", "ة": "ه", "ـ": None})
_CYRILLIC = re.compile("[\u0400-\u04ff]")
_CYRILLIC_ENDINGS = (
    "иями", "ями", "ами", "ией", "ого", "его", "ому", "ему", "ыми", "ими", "ить", "ать", "ять", "еть", "ешь", "ает",
    "яет", "ует", "ите", "ия", "ие", "ий", "ии", "ию", "ые", "ый", "ой", "ая", "яя", "ое", "ее", "ом", "ем", "ам",
    "ям", "ах", "ях", "ов", "ев", "ей", "ую", "юю", "ью", "ть", "ы", "и", "а", "я", "о", "е", "у", "ю", "ь", "й",
)  # fmt: skip
_ENDINGS = (
    "ization", "isation", "ations", "ation", "ments", "ment", "ings", "ing", "ions", "ion", "ers", "er", "ed", "es",
    "ly", "en", "s",
)  # fmt: skip
_ENDINGS_BEFORE_S = tuple(ending for ending in _ENDINGS if ending != "s")
_ENDINGS_AFTER_E = ("es", "ed", "er", "ers", "ing", "ings")
_LOSES_E = re.compile("[^aeiou][aeiou][^aeiouwxy]")
_VERB_OF_NOUN = re.compile("(?<=[a-z]{3}[^aeiou])at(?:e|es|ed|ing|or|ors)$")
"""The ending that ``translate`` and ``translator`` have where ``translation`` has "ation"."""

_SPELT_TWO_WAYS = (("iz", "is"), ("yz", "ys"), ("our", "or"))
_LAST_LETTERS = ("e", "a", "o")
_STEM_LEAST_LENGTH = 3
_STRESS = ("\u0300", "\u0301")
_DIAERESIS = "\u0308"
_LAST_READ_WITHOUT_MARKS = "\u06ff"


@dataclass(frozen=True, slots=True)
class Word:
    """``text`` is as written but folded; ``stem`` is compared; ``weight`` is how much it says about a task."""

    text: str
    stem: str
    weight: float = 1.0
    run: bool = False

    @property
    def prefix(self) -> str | None:
        """What inflected forms of one word have in common, when the word is long enough to say so."""
        if self.run or len(self.text) < PREFIX_LEAST_LENGTH:
            return None
        return self.text[:PREFIX_LENGTH]


def fold(text: str) -> str:
    """Compatibility forms, letter case and accents folded; scripts whose marks are letters keep them."""
    text = unicodedata.normalize("NFKC", text).casefold()
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", "".join(_unaccented(unicodedata.normalize("NFD", text))))


def _unaccented(text: str) -> Iterator[str]:
    """The letters without their marks where these are accents.

    Latin, Greek, Hebrew and Arabic are read without marks. In Cyrillic only the stress goes and ``ё`` is written as
    ``е``; in kana and Indic scripts the marks are part of the letters.
    """
    base = ""
    for letter in text:
        if not unicodedata.combining(letter):
            base = letter
        elif _CYRILLIC.match(base):
            if letter in _STRESS or (letter == _DIAERESIS and base == "е"):
                continue
        elif base <= _LAST_READ_WITHOUT_MARKS:
            continue
        yield letter


def words(text: str) -> tuple[Word, ...]:
    """The words of a text in order, without stop words; those said twice come twice."""
    found: list[Word] = []
    for match in _TOKEN.finditer(fold(text)):
        if match.lastgroup == "run":
            found.extend(_pairs(match[0]))
        elif (word := _word(match[0])) is not None:
            found.append(word)
    return tuple(found)


def runs(text: str) -> Iterator[str]:
    """The stretches of folded text that have no spaces between their words."""
    for match in _TOKEN.finditer(fold(text)):
        if match.lastgroup in ("run", "katakana"):
            yield match[0]


def is_run(form: str) -> bool:
    """Whether a folded word is of a script that puts no spaces between words."""
    return not form.isascii() and any(match.lastgroup in ("run", "katakana") for match in _TOKEN.finditer(form))


def written_words(text: str) -> tuple[str, ...]:
    """The stems of all words that stand between spaces, in order, stop words too."""
    return tuple(stem_of(match[0]) for match in _TOKEN.finditer(fold(text)) if match.lastgroup == "word")


@lru_cache(maxsize=8192)
def _word(text: str) -> Word | None:
    if text in stop_words().stop or (len(text) == 1 and text.isascii() and not text.isdigit()):
        return None
    stem = stem_of(text)
    return Word(text, stem, WEAK_WEIGHT if stem in _weak_stems() else 1.0)


@cache
def _weak_stems() -> frozenset[str]:
    return frozenset(map(stem_of, stop_words().weak))


def _pairs(run: str) -> Iterator[Word]:
    for phrase in stop_words().phrases:
        if phrase in run:
            run = run.replace(phrase, " ")
    for part in run.split():
        part = _without_particle(part)
        if len(part) == 1:
            yield Word(part, part, PAIR_WEIGHT, run=True)
        for index in range(len(part) - 1):
            pair = part[index : index + 2]
            if not _GRAMMAR_ONLY.fullmatch(pair):
                yield Word(pair, pair, PAIR_WEIGHT, run=True)


def _without_particle(part: str) -> str:
    if len(part) > 2:
        for particle in stop_words().particles:
            if part.endswith(particle):
                return part[: -len(particle)]
    return part


@lru_cache(maxsize=16384)
def stem_of(text: str) -> str:
    """A light stem: endings go, the root need not be a word. The same for every language of a script."""
    if _CYRILLIC.match(text):
        return _without(text, _CYRILLIC_ENDINGS)
    if _ARABIC.match(text):
        return _arabic_stem(text)
    if not text.isalpha():
        return text
    if text.endswith("ies") and len(text) > len("ies") + _STEM_LEAST_LENGTH:
        return text[:-3] + "y"
    if "at" in text[_STEM_LEAST_LENGTH:]:
        text = _VERB_OF_NOUN.sub("", text)
    for endings in (_ENDINGS, _ENDINGS_BEFORE_S):
        text = _with_lost_e(_without(text, endings), text)
    text = _without(text, _LAST_LETTERS, _STEM_LEAST_LENGTH + 1)
    for ending, spelling in _SPELT_TWO_WAYS:
        if text.endswith(ending) and len(text) - len(ending) >= _STEM_LEAST_LENGTH:
            text = text[: -len(ending)] + spelling
    if len(text) > _STEM_LEAST_LENGTH and text[-1] == text[-2] and text[-1] not in "aeiou":
        text = text[:-1]
    return text


def _with_lost_e(stem: str, text: str) -> str:
    """A stem of three letters with the ``e`` that the ending took: ``codes`` and ``coding`` are of ``code``."""
    if len(stem) != _STEM_LEAST_LENGTH or not _LOSES_E.fullmatch(stem):
        return stem
    return f"{stem}e" if text[len(stem) :] in _ENDINGS_AFTER_E else stem


def _without(text: str, endings: tuple[str, ...], least: int = _STEM_LEAST_LENGTH) -> str:
    if not text.endswith(endings):
        return text
    for ending in endings:
        if text.endswith(ending) and len(text) - len(ending) >= least:
            return text[: -len(ending)]
    return text


def _arabic_stem(text: str) -> str:
    text = text.translate(_ARABIC_LETTERS)
    for start in ("وال", "بال", "لل", "ال", "و", "ل", "ب"):
        if text.startswith(start) and len(text) - len(start) >= _STEM_LEAST_LENGTH:
            text = text[len(start) :]
            break
    for end in ("يه", "ات", "ون", "ين", "ها", "ه", "ا", "ي"):
        if text.endswith(end) and len(text) - len(end) >= _STEM_LEAST_LENGTH:
            return text[: -len(end)]
    return text
