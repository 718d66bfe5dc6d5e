"""What tells stored sessions apart."""

from __future__ import annotations

from pathlib import Path

from app.controllers.session_choices import session_words
from skills_core.session import SessionInfo


def info(**facts: object) -> SessionInfo:
    values: dict[str, object] = {
        "id": "20260101-120000-abcdef12", "title": "Hem", "cwd": "/w", "created": "2026-01-01T12:00:00Z",
        "updated": "2026-01-01T12:30:00Z", "events": 1, "model": None, "parent": None, "path": Path("/s"),
    }  # fmt: skip
    return SessionInfo(**{**values, **facts})  # type: ignore[arg-type]


def test_time_length_origin_and_id() -> None:
    assert session_words(info(), None) == "abcdef12 · 2026-01-01 12:30 UTC · 1 event"
    fork = info(parent="20260101-110000-99998888", events=1200)
    assert session_words(fork, None) == "abcdef12 · fork of 99998888 · 2026-01-01 12:30 UTC · 1,200 events"


def test_the_one_that_is_open_is_marked() -> None:
    assert session_words(info(), info().id).startswith("open here · ")


def test_one_that_another_window_writes_is_marked() -> None:
    assert session_words(info(), None, {info().id}).startswith("open elsewhere · ")
    assert session_words(info(), info().id, {info().id}).startswith("open here · ")
    assert session_words(info(), None, {"another"}).startswith("abcdef12 · ")
