"""What is typed letter by letter finds what the whole query finds at once."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from app.controllers.matching import Matcher


@dataclass(frozen=True, slots=True)
class _Named:
    name: str
    description: str


ITEMS = [
    _Named("audit", "Review a pull request"),
    _Named("review", "Look at a change"),
    _Named("code-review", "Look at a change twice"),
    _Named("zebra", "Draws; a preview of it"),
]


@pytest.mark.parametrize("query", ["review", "request", "change", "cr", "preview"])
def test_letter_by_letter_finds_what_the_whole_query_finds(query: str) -> None:
    typed = Matcher(ITEMS)
    for length in range(1, len(query) + 1):
        assert typed.match(query[:length]) == Matcher(ITEMS).match(query[:length])


def test_what_only_a_description_has_stays_while_the_letters_fit_it() -> None:
    typed = Matcher(ITEMS)
    assert [[item.name for item in typed.match(query)] for query in ("req", "requ", "reque")] == [["audit"]] * 3
