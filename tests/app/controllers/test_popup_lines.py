"""What the popup draws."""

from __future__ import annotations

import pytest

from app.controllers.completion import Choice
from app.controllers.marks import UNICODE
from app.controllers.popup_lines import choice_line, detail_height, detail_lines
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
    lines = detail_lines(items[0], width, detail_height(items, width, 40))
    assert words in " ".join(line.text.strip() for line in lines)
    assert all(line.width <= width for line in lines)


def test_of_a_long_path_the_end_is_shown() -> None:
    path = "/a/very/long/way/to/the/folder/of/the/skills/hem-towels/SKILL.md"
    lines = detail_lines(choice("hem", "Hem.", path), 80, 2)
    assert lines[-1].text.endswith("/hem-towels/SKILL.md")
    assert lines[-1].width <= 80


def test_the_chosen_row_has_no_quiet_words_and_no_coloured_badge() -> None:
    line = choice_line(choice("hem", "Hem."), 60, 10, (), selected=True, marks=UNICODE)
    assert {piece.role for piece in line.pieces if piece.text.strip() in ("user", "Hem.")} == {"text"}
