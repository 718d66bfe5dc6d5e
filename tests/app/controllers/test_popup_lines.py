"""What the popup draws."""

from __future__ import annotations

import pytest

from app.controllers.completion import Choice
from app.controllers.marks import UNICODE
from app.controllers.popup_lines import Window, choice_line, count_line, detail, detail_height
from tests.app.controllers.test_completion import summary


def choice(name: str, description: str, path: str | None = None) -> Choice:
    return Choice(name, description, "user", skill=summary(name, description=description, path=path))


def test_the_detail_area_takes_no_more_lines_than_the_longest_description_needs() -> None:
    short = [choice("a", "Short."), choice("b", "Also short.")]
    assert detail_height(short, 80, 30) == 2
    assert detail_height([*short, choice("c", "word " * 30)], 80, 30) == 4
    assert detail_height([*short, choice("c", "word " * 900)], 80, 30) == 7


@pytest.mark.parametrize(("room", "height"), [(2, 0), (3, 2), (8, 4), (19, 4), (20, 7)])
def test_a_small_screen_gives_the_detail_area_fewer_lines(room: int, height: int) -> None:
    assert detail_height([choice("c", "word " * 900)], 80, room) == height


@pytest.mark.parametrize("width", [40, 80, 100])
def test_a_description_that_has_room_is_shown_whole(width: int) -> None:
    words = " ".join(f"word{number}" for number in range(12))
    items = [choice("c", words)]
    lines = detail(items[0], width, detail_height(items, width, 40)).lines
    assert words in " ".join(line.text.strip() for line in lines)
    assert all(line.width <= width for line in lines)


def test_of_a_long_path_the_end_is_shown() -> None:
    path = "/a/very/long/way/to/the/folder/of/the/skills/hem-towels/SKILL.md"
    lines = detail(choice("hem", "Hem.", path), 80, 2).lines
    assert lines[-1].text.endswith("/hem-towels/SKILL.md")
    assert lines[-1].width <= 80


def test_the_chosen_row_has_no_quiet_words_and_no_coloured_badge() -> None:
    line = choice_line(choice("hem", "Hem."), 60, 10, (), selected=True, marks=UNICODE)
    assert {piece.role for piece in line.pieces if piece.text.strip() in ("user", "Hem.")} == {"text"}


@pytest.mark.parametrize("width", [40, 80, 120])
def test_every_word_of_a_long_description_can_be_reached(width: int) -> None:
    words = [f"word{number}" for number in range(200)]
    long = choice("c", " ".join(words))
    read: set[str] = set()
    first = 0
    while True:
        shown = detail(long, width, 7, first)
        if shown.first < first:
            break
        assert len(shown.lines) == 7
        assert all(line.width <= width for line in shown.lines)
        assert shown.reading.startswith(f"lines {shown.first + 1}-{shown.first + 6} of ")
        read.update(word for line in shown.lines[:-1] for word in line.text.split())
        first += 1
    assert read == set(words)


def test_what_is_shown_whole_has_nothing_to_read_on() -> None:
    shown = detail(choice("c", "Short."), 80, 7, first=3)
    assert (shown.first, shown.reading) == (0, "")


@pytest.mark.parametrize(("accepts", "words"), [(True, "Tab or Enter accepts"), (False, "Tab accepts · Enter sends")])
def test_the_foot_says_what_enter_does(accepts: bool, words: str) -> None:
    line = count_line(Window(0, 1, 0, 1), 80, UNICODE, enter_accepts=accepts)
    assert words in line.text


def test_the_foot_says_which_part_of_a_description_is_shown() -> None:
    line = count_line(Window(0, 1, 0, 1), 80, UNICODE, reading="lines 1-3 of 9, Alt+Up/Down")
    assert "1 of 1 · lines 1-3 of 9, Alt+Up/Down" in line.text
    assert line.width <= 80
