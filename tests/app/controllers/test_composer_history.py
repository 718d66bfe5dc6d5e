"""Looking at what was sent never loses what was not."""

from __future__ import annotations

from app.controllers.composer_history import ComposerHistory, Draft


def _history(*sent: str) -> ComposerHistory:
    history = ComposerHistory()
    history.load(sent)
    return history


def test_the_draft_comes_back_with_its_caret() -> None:
    history = _history("one", "two")
    shown = Draft("unfinished", 4)
    for expected in ("two", "one"):
        older = history.older(shown)
        assert older is not None and older.text == expected
        shown = older
    assert history.older(shown) is None
    newer = history.newer(shown)
    assert newer is not None and newer.text == "two"
    assert history.newer(newer) == Draft("unfinished", 4)
    assert history.newer(Draft("unfinished", 4)) is None


def test_an_edited_entry_survives_moving_away() -> None:
    history = _history("one", "two")
    history.older(Draft("", 0))
    edited = Draft("two, changed", 12)
    assert history.older(edited) == Draft("one", 3)
    assert history.newer(Draft("one", 3)) == edited


def test_sending_ends_the_walk_and_forgets_the_edits() -> None:
    history = _history("one")
    history.older(Draft("draft", 5))
    history.sent("one, changed")
    assert not history.browsing
    assert history.older(Draft("", 0)) == Draft("one, changed", 12)
    assert history.older(Draft("one, changed", 12)) == Draft("one", 3)


def test_repeated_and_empty_messages_are_kept_once_or_not_at_all() -> None:
    history = _history("one", "one", "  ")
    assert history.older(Draft("", 0)) == Draft("one", 3)
    assert history.older(Draft("one", 3)) is None


def test_the_oldest_are_dropped_beyond_the_limit() -> None:
    history = ComposerHistory(limit=2)
    history.load(["one", "two", "three"])
    assert history.older(Draft("", 0)) == Draft("three", 5)
    assert history.older(Draft("three", 5)) == Draft("two", 3)
    assert history.older(Draft("two", 3)) is None
