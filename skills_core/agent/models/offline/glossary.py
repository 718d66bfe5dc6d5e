"""What a word means: the concepts that it names in any language, and the topics that it belongs to.

A skill is mostly described in one language and asked for in another, and the words of one language differ too. The
glossary joins words that mean the same, the thesaurus those of one kind of task. Both cover everyday tasks, not the
vocabulary of a trade; a word that neither knows is compared by its letters alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from skills_core.agent.models.offline.data import data_file
from skills_core.agent.models.offline.word_groups import WordGroups
from skills_core.agent.models.offline.words import Word, runs, written_words

_REMEMBERED = 20_000


@dataclass(frozen=True, slots=True)
class Meaning:
    """``concepts`` are what a word says, ``topics`` what is being talked about when it is said."""

    concepts: frozenset[str] = frozenset()
    topics: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.concepts or self.topics)


NO_MEANING = Meaning()


class Glossary:
    """Looks up meanings. Concepts and topics are named by the first English word of their lines."""

    def __init__(self, concepts: str, topics: str = "") -> None:
        self._concepts = WordGroups(concepts)
        self._topics = WordGroups(topics)
        self._longest_run = max(self._concepts.longest_run, self._topics.longest_run)
        self._longest_phrase = max(self._concepts.longest_phrase, self._topics.longest_phrase)
        self._phrase_starts = {stems[0] for groups in (self._concepts, self._topics) for stems in groups.by_phrase}
        self._known: dict[str, Meaning] = {}
        self._known_runs: dict[str, Meaning] = {}

    def meaning(self, word: Word) -> Meaning:
        """The meaning of a word; for a compound that is not known, that of its first and last part."""
        if word.run:
            return NO_MEANING
        known = self._known.get(word.text)
        if known is None:
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            found = self._concepts.of_word(word), self._topics.of_word(word)
            known = self._known[word.text] = self._with_topics_of_concepts(*found)
        return known

    def in_runs(self, text: str) -> Iterator[tuple[str, Meaning]]:
        """The known words in text without spaces, the longest at each place, with their meanings."""
        if text.isascii():
            return
        for run in runs(text):
            place = 0
            while place < len(run):
                for length in range(min(self._longest_run, len(run) - place), 0, -1):
                    form = run[place : place + length]
                    if form in self._concepts.by_run or form in self._topics.by_run:
                        yield form, self._of_run(form)
                        place += length
                        break
                else:
                    place += 1

    def in_phrases(self, text: str) -> Iterator[tuple[tuple[str, ...], Meaning]]:
        """The known phrases of several words, the longest at each place, as stems and with their meanings."""
        if not self._phrase_starts:
            return
        stems = written_words(text)
        place = 0
        while place < len(stems):
            found = self._phrase_at(stems, place) if stems[place] in self._phrase_starts else None
            if found is None:
                place += 1
            else:
                yield found, self._of_phrase(found)
                place += len(found)

    def _phrase_at(self, stems: Sequence[str], place: int) -> tuple[str, ...] | None:
        for length in range(min(self._longest_phrase, len(stems) - place), 1, -1):
            phrase = tuple(stems[place : place + length])
            if phrase in self._concepts.by_phrase or phrase in self._topics.by_phrase:
                return phrase
        return None

    def _of_phrase(self, phrase: tuple[str, ...]) -> Meaning:
        concepts = self._concepts.by_phrase.get(phrase, frozenset[str]())
        return self._with_topics_of_concepts(concepts, self._topics.by_phrase.get(phrase, frozenset[str]()))

    def _of_run(self, form: str) -> Meaning:
        """A word that only the thesaurus knows still names the concepts of the shorter words in it."""
        known = self._known_runs.get(form)
        if known is None:
            concepts = set[str]()
            place = 0
            while place < len(form):
                for end in range(len(form), place, -1):
                    if form[place:end] in self._concepts.by_run:
                        concepts |= self._concepts.by_run[form[place:end]]
                        place = end
                        break
                else:
                    place += 1
            known = self._with_topics_of_concepts(concepts, self._topics.by_run.get(form, frozenset[str]()))
            self._known_runs[form] = known
        return known

    def _with_topics_of_concepts(self, concepts: Iterable[str], topics: Iterable[str]) -> Meaning:
        """A concept belongs to the topics that its name does, which brings them to every language."""
        concepts = frozenset(concepts)
        of_names = (self._topics.by_form.get(concept, frozenset[str]()) for concept in concepts)
        return Meaning(concepts, frozenset(topics).union(*of_names))


@cache
def glossary() -> Glossary:
    """The glossary and the thesaurus that come with the program, read when they are first needed."""
    return Glossary(data_file("glossary.txt"), data_file("thesaurus.txt"))
