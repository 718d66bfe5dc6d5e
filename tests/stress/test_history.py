"""The judge itself: it accepts what the disk held and refuses what it never held."""

from __future__ import annotations

import pytest

from tests.stress.history import Change, History, Observation, read_changes, write_change


def at(start: float, at_once: bool = False, **values: tuple[str | None, str | None]) -> Change:
    return Change(start, start + 0.1, values, at_once)


RUN = [
    at(1, a=(None, "a1")),
    at(2, b=(None, "b1")),
    at(3, a=("a1", "a2")),
    at(4, b=("b1", None), c=(None, "c1")),
    at(5, a=("a2", None)),
]


def seen(came: float, fresh: bool = False, asked: float = 0.0, **catalog: str) -> Observation:
    return Observation(asked, came, fresh, catalog)


@pytest.mark.parametrize(
    "catalog",
    [{}, {"a": "a1"}, {"a": "a1", "b": "b1"}, {"a": "a2", "b": "b1"}, {"a": "a2", "c": "c1"}, {"c": "c1"}],
)
def test_every_state_of_the_disk_is_accepted(catalog: dict[str, str]):
    assert History(RUN).fault(seen(9, **catalog)) is None


@pytest.mark.parametrize(
    ("catalog", "why"),
    [
        ({"x": "1"}, "never on the disk"),
        ({"a": "other"}, "never had the value"),
        ({"b": "b1"}, "no moment"),
        ({"a": "a1", "c": "c1"}, "no moment"),
        ({"a": "a2"}, "half of one change"),
        ({"a": "a2", "b": "b1", "c": "c1"}, "half of one change"),
    ],
)
def test_a_state_that_the_disk_never_had_is_refused(catalog: dict[str, str], why: str):
    fault = History(RUN).fault(seen(9, **catalog))
    assert fault is not None and why in fault


def test_a_state_from_the_future_is_refused():
    assert History(RUN).fault(seen(2.5, a="a2", b="b1")) is not None


def test_a_fresh_catalog_must_be_from_after_it_was_asked_for():
    old = {"a": "a1", "b": "b1"}
    assert History(RUN).fault(seen(3.5, fresh=True, asked=3.05, **old)) is None
    assert History(RUN).fault(seen(3.5, fresh=True, asked=3.2, **old)) is not None
    assert History(RUN).fault(seen(3.5, fresh=False, asked=3.2, **old)) is None


def test_a_loss_is_early_only_when_it_was_shown_and_short_and_not_definite():
    run = [at(1, a=(None, "1")), at(5, a=("1", None)), at(5.15, a=(None, "2"))]
    shown = seen(4, a="1")
    assert History(run).early_losses([shown, seen(5.12)], 0.2)
    assert History(run).early_losses([seen(0.5), seen(5.12)], 0.2) == []
    assert History(run[:2]).early_losses([shown, seen(5.4)], 0.2) == []
    definite = [run[0], at(5, True, a=("1", None))]
    assert History(definite).early_losses([shown, seen(5.12)], 0.2) == []


def test_a_loss_in_several_steps_counts_from_the_first():
    run = [at(1, a=(None, "1")), at(5, a=("1", None)), at(6, a=(None, None))]
    assert History(run).early_losses([seen(4, a="1"), seen(6.15)], 0.5) == []


def test_a_short_return_between_two_long_absences_may_go_unseen_but_a_short_absence_is_none():
    long_gone = [at(1, a=(None, "1")), at(5, a=("1", None)), at(6, a=(None, "2")), at(6.05, a=("2", None))]
    assert History(long_gone).early_losses([seen(4, a="1"), seen(6.2)], 0.5) == []
    saved = [
        Change(1, 1.0, {"a": (None, "1")}),
        Change(5, 5.0, {"a": ("1", None)}),
        Change(5.001, 5.001, {"a": (None, "2")}),
        Change(5.09, 5.09, {"a": ("2", None)}),
        Change(5.5, 5.5, {"a": (None, "3")}),
    ]
    assert History(saved).early_losses([seen(4, a="1"), seen(5.25)], 0.2)


def test_the_final_state():
    assert History(RUN).final() == {"c": "c1"}


def test_a_log_that_does_not_hang_together_is_refused():
    with pytest.raises(AssertionError, match="hang together"):
        History([at(1, a=(None, "1")), at(2, a=("2", None))])


def test_changes_survive_being_written_down(tmp_path):
    path = tmp_path / "log"
    path.write_text("".join(write_change(change) for change in RUN))
    assert read_changes(path) == RUN
