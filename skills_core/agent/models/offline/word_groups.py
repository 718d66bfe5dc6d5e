"""Groups of words, read from lines of text, and which of them a word belongs to."""

from __future__ import annotations

from collections.abc import Iterator

from skills_core.agent.models.offline.words import Word, fold, is_run, stem_of

_COMPOUND_LEAST_LENGTH = 8
_PART_LEAST_LENGTH = 4


class WordGroups:
    """Each line is a group: English words, a colon, words of other languages. The first word names it.

    Words joined by underscores are a phrase. Of words joined by hyphens each counts.
    """

    def __init__(self, text: str) -> None:
        self.by_form: dict[str, set[str]] = {}
        self.by_stem: dict[str, set[str]] = {}
        self.by_run: dict[str, set[str]] = {}
        self.by_phrase: dict[tuple[str, ...], set[str]] = {}
        for line in fold(text).splitlines():
            if line and not line.startswith("#"):
                forms = line.replace(":", " ").split()
                for form in forms:
                    self._add(form, forms[0])
        self.longest_run = max(map(len, self.by_run), default=0)
        self.longest_phrase = max(map(len, self.by_phrase), default=0)

    def _add(self, form: str, group: str) -> None:
        if "_" in form:
            self.by_phrase.setdefault(tuple(map(stem_of, form.split("_"))), set()).add(group)
        elif is_run(form):
            self.by_run.setdefault(form, set()).add(group)
        else:
            for part in form.split("-"):
                self.by_form.setdefault(part, set()).add(group)
                self.by_stem.setdefault(stem_of(part), set()).add(group)

    def of_word(self, word: Word) -> frozenset[str]:
        """The groups of a word; for a compound that is in none, those of its first and last part."""
        found = self.by_form.get(word.text) or self.by_stem.get(word.stem) or self._parts(word.text)
        return frozenset(found)

    def _parts(self, text: str) -> Iterator[str]:
        if len(text) < _COMPOUND_LEAST_LENGTH or not text.isalpha():
            return
        for cut in range(_PART_LEAST_LENGTH, len(text) - _PART_LEAST_LENGTH + 1):
            if text[cut:] in self.by_form:
                yield from self.by_form[text[cut:]]
                break
        for cut in range(len(text) - _PART_LEAST_LENGTH, _PART_LEAST_LENGTH - 1, -1):
            if text[:cut] in self.by_form:
                yield from self.by_form[text[:cut]]
                break
