"""A session is called what it was named, or else after the user's first words."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skills_core.session.event import PendingEvent, user_message
from skills_core.session.title import TITLE_LENGTH, title_of
from tests.core.session.logs import assistant, catalog, numbered


def title(*pending: PendingEvent) -> str:
    return title_of(numbered(pending))


def test_the_users_first_words_name_a_session() -> None:
    injected = catalog("x")
    assert (
        title(injected, assistant("hello"), user_message("  fix \n the\tbuild "), user_message("more"))
        == "fix the build"
    )


def test_a_given_title_wins_and_the_newest_of_them() -> None:
    given_titles = [PendingEvent("title", {"title": each}) for each in ("one", "two", " ", None)]
    assert title(user_message("words"), *given_titles) == "two"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("", ""),
        ("x" * 60, "x" * 60),
        ("x" * 61, "x" * 59 + "…"),
        ("word " * 20, "word " * 11 + "word…"),
        ("整理" * 40, "整理" * 29 + "整…"),
        ("a\x1b[31mred\x1b[0m\u202eb\u200bc\u2028d", "a [31mred [0mbc d"),
        ("family \U0001f468\u200d\U0001f469\u200d\U0001f467", "family \U0001f468\u200d\U0001f469\u200d\U0001f467"),
    ],
)
def test_words_are_made_one_short_inert_line(words: str, expected: str) -> None:
    assert title(user_message(words)) == expected


def test_a_first_message_without_words_leaves_the_name_to_the_next() -> None:
    assert title(user_message(" \n "), user_message("words")) == "words"


@given(st.text(st.characters(), max_size=200))
def test_no_title_is_long_or_acts_on_a_terminal(words: str) -> None:
    made = title(user_message(words))
    assert len(made) <= TITLE_LENGTH and made == made.strip()
    assert not any(unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") for character in made)
