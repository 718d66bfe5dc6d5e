"""Cutting and wrapping by cells."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from app.controllers.markdown_lines import finished_prefix, markdown_lines
from app.controllers.row_heights import RowHeights
from app.controllers.text_layout import Piece, cut, cut_pieces, expand_tabs, wrap, wrap_text


def test_cutting_keeps_wide_characters_whole() -> None:
    assert cut("整理書架", 8) == "整理書架"
    assert cut("整理書架", 7) == "整理書…"
    assert cut("整理書架", 6) == "整理…"
    assert cut("整理", 1) == "…"
    assert cut("整理", 0) == ""


def test_cutting_pieces_keeps_their_roles() -> None:
    pieces = (Piece("name", "strong"), Piece("  "), Piece("a description", "muted"))
    assert cut_pieces(pieces, 10) == (Piece("name", "strong"), Piece("  "), Piece("a d…", "muted"))
    assert cut_pieces(pieces, 19) == pieces
    assert cut_pieces(pieces, 4) == (Piece("nam…", "strong"),)


def test_words_move_as_a_whole_and_the_break_is_remembered() -> None:
    lines = wrap((Piece("one two  three"),), 8)
    assert [line.text for line in lines] == ["one two", "three"]
    assert (lines[0].soft, lines[0].joint) == (True, "  ")


def test_scripts_without_spaces_break_anywhere() -> None:
    assert [line.text for line in wrap((Piece("整理書架整理書架"),), 7)] == ["整理書", "架整理", "書架"]


def test_a_long_word_is_broken_where_the_line_ends() -> None:
    assert [line.text for line in wrap((Piece("ab " + "x" * 10),), 6)] == ["ab", "xxxxxx", "xxxx"]


def test_indents_count_and_are_known() -> None:
    lines = wrap((Piece("one two three"),), 7, (Piece("• "),), (Piece("  "),))
    assert [(line.text, line.indent) for line in lines] == [("• one", 2), ("  two", 2), ("  three", 2)]


def test_real_line_breaks_stay() -> None:
    assert [line.text for line in wrap_text("one\n\ntwo", 10)] == ["one", "", "two"]


def test_tabs_go_to_the_next_stop() -> None:
    assert expand_tabs("a\tb\t整\tc") == "a   b   整  c"


@given(st.text(alphabet=st.sampled_from("ab c整é👩‍🚀-\n\t"), max_size=60), st.integers(2, 20))
def test_no_line_is_wider_than_asked_and_nothing_is_lost(text: str, width: int) -> None:
    lines = wrap_text(text, width)
    assert all(line.width <= width for line in lines)
    kept = "".join(line.text + line.joint for line in lines)
    assert [c for c in kept if not c.isspace()] == [c for c in text if not c.isspace()]


@given(st.text(alphabet=st.sampled_from("a*_`#->|1.[]()\n ~整"), max_size=120), st.integers(8, 40))
def test_any_markdown_fits_and_its_prefix_is_stable(text: str, width: int) -> None:
    for line in markdown_lines(text, width):
        assert cell_len(line.text) <= max(width, 8) + 40 or "|" in text
    assert 0 <= finished_prefix(text) <= len(text)


def test_markdown_blocks() -> None:
    text = "# Head\n\n1. one\n2. two\n\n> said\n\n```py\nx = 1\n```\n\n| a | b |\n|---|---|\n| 1 | 整 |"
    assert [line.text.rstrip() for line in markdown_lines(text, 40)] == [
        "# Head",
        "",
        "1. one",
        "2. two",
        "",
        "│ said",
        "",
        "  x = 1",
        "",
        "a  b",
        "─  ──",
        "1  整",
    ]


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans(), st.integers(0, 30)), max_size=40))
def test_heights_are_those_of_a_plain_list(steps: list[tuple[int, bool, int]]) -> None:
    tree, plain = RowHeights(), []
    for height, appends, where in steps:
        if appends or not plain:
            tree.append(height)
            plain.append(height)
        else:
            tree.set(where % len(plain), height)
            plain[where % len(plain)] = height
    assert tree.total == sum(plain)
    for line in range(tree.total):
        index, offset = tree.at(line)
        assert sum(plain[:index]) + offset == line
        assert offset < plain[index]


@pytest.mark.parametrize("width", [8, 20, 60])
def test_tables_and_code_stay_within_the_width(width: int) -> None:
    text = "```\n" + "x" * 100 + "\n```\n\n| long heading | b |\n|---|---|\n| " + "y" * 50 + " | z |"
    assert all(line.width <= width for line in markdown_lines(text, width))
