"""Who subscribed is told in order, until it ends that, whatever the others do."""

from __future__ import annotations

import logging

import pytest

from skills_core.subscribers import Subscribers

_log = logging.getLogger("tests.subscribers")


def test_they_are_told_in_order_until_they_end_it() -> None:
    told: list[tuple[str, int]] = []
    subscribers = Subscribers[[int]](_log, "a test")
    end_first = subscribers.add(lambda number: told.append(("first", number)))
    subscribers.add(lambda number: told.append(("second", number)))
    subscribers.tell(1)
    end_first()
    end_first()
    subscribers.tell(2)
    subscribers.clear()
    subscribers.tell(3)
    assert told == [("first", 1), ("second", 1), ("second", 2)]


def test_ending_one_twice_leaves_the_same_callback_of_another() -> None:
    told: list[int] = []
    subscribers = Subscribers[[int]](_log, "a test")
    end = subscribers.add(told.append)
    subscribers.add(told.append)
    end()
    end()
    subscribers.tell(1)
    assert told == [1]


def test_one_that_raises_is_logged_and_harms_no_other(caplog: pytest.LogCaptureFixture) -> None:
    told: list[int] = []

    def fail(number: int) -> None:
        raise RuntimeError(number)

    subscribers = Subscribers[[int]](_log, "a test")
    subscribers.add(fail)
    subscribers.add(told.append)
    subscribers.tell(1)
    assert told == [1]
    assert [record.message for record in caplog.records] == ["a subscriber of a test failed"]


def test_one_that_comes_while_they_are_told_is_told_the_next_time() -> None:
    told: list[int] = []
    subscribers = Subscribers[[int]](_log, "a test")
    subscribers.add(lambda number: subscribers.add(told.append) if number == 1 else None)
    subscribers.tell(1)
    assert told == []
    subscribers.tell(2)
    assert told == [2]
