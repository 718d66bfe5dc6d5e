"""The laid out rows: where each begins, what is kept, and that measuring says by how much the lines above grew."""

from __future__ import annotations

import random

import pytest

from app.controllers.marks import UNICODE
from app.controllers.row_cache import KEPT_ROWS, RowCache
from app.controllers.row_lines import row_lines
from app.controllers.transcript import RowChanged, RowsAppended, RowsCut, Transcript, TranscriptChange
from skills_core.agent.live import Retrying
from skills_core.agent.model import TextDelta
from tests.app.controllers.events import event, reply, user


class Laid:
    """A transcript and its cache, which follows the changes as the view does."""

    def __init__(self, width: int = 30) -> None:
        self.transcript = Transcript(self._take)
        self.cache = RowCache(self.transcript, UNICODE)
        self.cache.set_width(width)

    def _take(self, change: TranscriptChange) -> None:
        match change:
            case RowsAppended(first):
                self.cache.appended(first)
            case RowChanged(index):
                self.cache.changed(index)
            case RowsCut(first):
                self.cache.cut(first)
                if first < len(self.transcript.rows):
                    self.cache.appended(first)
            case _:
                self.cache.reset()

    def measure_all(self) -> None:
        for index in range(len(self.transcript.rows)):
            self.cache.measure(index)

    def check(self) -> None:
        """Every row begins where those above it end, and is as high as its lines."""
        top = 0
        for index in range(len(self.transcript.rows)):
            assert self.cache.span(index) == (top, len(self.cache.lines(index)))
            for offset in range(len(self.cache.lines(index))):
                assert self.cache.at(top + offset) == (index, offset)
            top += len(self.cache.lines(index))
        assert self.cache.total == top


def fill(laid: Laid, count: int) -> None:
    """Rows that are all higher than what is estimated of them."""
    for number in range(count):
        laid.transcript.event(user(number + 1, "line\n" * (3 + number % 4)))


def test_rows_stay_in_order_while_they_come_change_and_go() -> None:
    chance = random.Random(7)
    laid = Laid()
    for seq in range(1, 300):
        match chance.randrange(7):
            case 0 | 1:
                laid.transcript.event(user(seq, "word " * chance.randrange(1, 60)))
            case 2:
                laid.transcript.event(event(seq, "tool/call", id=f"c{seq}", name="read", arguments={}, title="Read"))
            case 3:
                laid.transcript.live(TextDelta("a few words\n\n" * chance.randrange(1, 4)))
            case 4:
                laid.transcript.event(reply(seq, "an answer " * chance.randrange(1, 20)))
            case 5:
                laid.transcript.live(
                    Retrying(attempt=1, attempts=2, delay=1, kind="connection", message="cut", discarded=True)
                )
            case _:
                if laid.transcript.rows:
                    laid.transcript.toggle(chance.randrange(len(laid.transcript.rows)))
        if seq % 10 == 0:
            laid.measure_all()
            laid.check()


@pytest.mark.parametrize("offset", [0, 1])
def test_measuring_from_a_line_says_by_how_much_the_lines_above_it_grew(offset: int) -> None:
    laid = Laid()
    fill(laid, 40)
    index = 20
    top = laid.cache.span(index)[0] + offset
    before, estimated = laid.cache.total, laid.cache.span(index)[1]
    grown = laid.cache.measure_from(top, 10)
    real = len(laid.cache.lines(index))
    assert real > estimated
    # A row of which only the end is shown grew above the line; one that begins at the line grew below it.
    assert grown == (real - estimated if offset else 0)
    assert laid.cache.at(top + grown)[0] == index
    assert laid.cache.total > before


def test_what_is_in_sight_after_measuring_was_laid_out() -> None:
    laid = Laid()
    fill(laid, 40)
    top = laid.cache.span(10)[0]
    top += laid.cache.measure_from(top, 25)
    index, _ = laid.cache.at(top)
    while laid.cache.span(index)[0] < top + 25:
        assert laid.cache.span(index)[1] == len(laid.cache.lines(index))
        index += 1
    assert laid.cache.measure(index + 1) > 0, "a row out of sight was laid out"


def test_the_tail_is_laid_out_up_to_the_height_that_is_shown() -> None:
    laid = Laid()
    fill(laid, 40)
    laid.cache.measure_tail(20)
    height, index = 0, 40
    while height < 20:
        index -= 1
        assert laid.cache.span(index)[1] == len(laid.cache.lines(index))
        height += laid.cache.span(index)[1]
    assert laid.cache.measure(index - 1) > 0, "a row above those that are shown was laid out"


def test_a_row_in_sight_is_laid_out_once_and_anew_when_it_changed() -> None:
    laid = Laid()
    laid.transcript.event(event(1, "tool/call", id="a", name="read", arguments={"path": "x"}, title="Read x"))
    closed = laid.cache.lines(0)
    assert laid.cache.lines(0) is closed
    laid.transcript.toggle(0)
    opened = laid.cache.lines(0)
    assert len(opened) > len(closed)
    before = laid.cache.span(0)[1]
    assert before + laid.cache.measure(0) == laid.cache.span(0)[1] == len(opened)


def test_a_reply_that_comes_in_follows_its_words_and_the_width() -> None:
    laid = Laid(60)
    words = "Some words that are long enough to be wrapped, and\n\nfinished, paragraph by paragraph. "
    for _ in range(6):
        laid.transcript.live(TextDelta(words))
        assert "".join(line.text for line in laid.cache.lines(0)).count("paragraph by") >= 1
    assert "".join(line.text for line in laid.cache.lines(0)).count("wrapped") == 6
    laid.cache.set_width(20)
    assert all(line.width <= 20 for line in laid.cache.lines(0))
    laid.transcript.event(reply(1, words * 6))
    whole = row_lines(laid.transcript.rows[0], 20, UNICODE)
    assert [line.text for line in laid.cache.lines(0)] == [line.text for line in whole]


def test_no_more_rows_are_kept_than_the_bound() -> None:
    laid = Laid()
    fill(laid, KEPT_ROWS + 50)
    laid.measure_all()
    first = laid.cache.lines(0)
    assert len(laid.cache._kept) == KEPT_ROWS
    assert laid.cache.lines(0) is first, "the row that was asked for last is kept"
