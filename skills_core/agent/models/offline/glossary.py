"""What a word means across languages: one concept for the words of a task in each.

A skill is mostly described in one language and asked for in another. The glossary covers everyday tasks, not the
vocabulary of a trade; a word that it does not know is compared by its letters alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from skills_core.agent.models.offline.data import data_file
from skills_core.agent.models.offline.words import Word, fold, runs, stem_of

_COMPOUND_LEAST_LENGTH = 8
_PART_LEAST_LENGTH = 4
_REMEMBERED = 20_000


class Glossary:
    """Looks up concepts, which are named by the first English word of their line."""

    def __init__(self, text: str) -> None:
        self._by_stem: dict[str, set[str]] = {}
        self._by_form: dict[str, set[str]] = {}
        self._by_run: dict[str, set[str]] = {}
        for line in text.splitlines():
            if line and not line.startswith("#"):
                english, _, foreign = line.partition(":")
                for form in (*english.split(), *foreign.split()):
                    self._add(fold(form), english.split()[0])
        self._longest_run = max(map(len, self._by_run), default=0)
        self._known: dict[str, frozenset[str]] = {}

    def _add(self, form: str, concept: str) -> None:
        if any(runs(form)):
            self._by_run.setdefault(form, set()).add(concept)
            return
        for part in form.split("-"):
            self._by_form.setdefault(part, set()).add(concept)
            self._by_stem.setdefault(stem_of(part), set()).add(concept)

    def concepts(self, word: Word) -> frozenset[str]:
        """The concepts of a word; for a compound that is not known, those of its first and last part."""
        if word.run:
            return frozenset()
        known = self._known.get(word.text)
        if known is None:
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            found = self._by_form.get(word.text) or self._by_stem.get(word.stem) or self._parts(word.text)
            known = self._known[word.text] = frozenset(found)
        return known

    def _parts(self, text: str) -> Iterator[str]:
        if len(text) < _COMPOUND_LEAST_LENGTH or not text.isalpha():
            return
        for cut in range(_PART_LEAST_LENGTH, len(text) - _PART_LEAST_LENGTH + 1):
            if text[cut:] in self._by_form:
                yield from self._by_form[text[cut:]]
                break
        for cut in range(len(text) - _PART_LEAST_LENGTH, _PART_LEAST_LENGTH - 1, -1):
            if text[:cut] in self._by_form:
                yield from self._by_form[text[:cut]]
                break

    def in_runs(self, text: str) -> Iterator[tuple[str, frozenset[str]]]:
        """The known words in text without spaces, the longest at each place, with their concepts."""
        if text.isascii():
            return
        for run in runs(text):
            place = 0
            while place < len(run):
                for length in range(min(self._longest_run, len(run) - place), 0, -1):
                    form = run[place : place + length]
                    if form in self._by_run:
                        yield form, frozenset(self._by_run[form])
                        place += length
                        break
                else:
                    place += 1


@cache
def glossary() -> Glossary:
    """The glossary that comes with the program, read when it is first needed."""
    return Glossary(data_file("glossary.txt"))
