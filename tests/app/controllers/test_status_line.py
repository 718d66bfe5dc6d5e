"""The status bar's words at every width."""

from __future__ import annotations

import pytest

from app.controllers.marks import UNICODE
from app.controllers.skill_view import SkillView
from app.controllers.status_line import StatusFacts, status_line
from skills_core.registry.snapshot import SkillSnapshot

SEEN = SkillView(snapshot=SkillSnapshot(), state="live")


def bar(width: int, **facts: object) -> str:
    values: dict[str, object] = {"cwd": "/home/ada/work/a-long-name-of-a-shop", "model": "offline", "view": SEEN}
    return status_line(StatusFacts(**{**values, **facts}), width, UNICODE, "/home/ada").text  # type: ignore[arg-type]


def test_a_running_command_leaves_room_for_the_rest() -> None:
    said = bar(100, activity="Running $ " + "word " * 40)
    for words in ("Running $ word", "shop", "offline", "0 skills", "#0"):
        assert words in said


def test_before_the_first_look_ended_no_number_is_claimed() -> None:
    said = bar(100, view=SkillView())
    assert "looking for skills" in said
    assert "0 skills" not in said


def test_a_long_model_is_shown_by_its_end() -> None:
    said = bar(80, model="script:/home/ada/work/tests/data/a-long-way/answers.jsonl")
    assert "answers.jsonl" in said
    assert "shop" in said or "a-long-name" in said


def test_a_small_window_still_names_folder_and_model() -> None:
    said = bar(60)
    assert "a-long-name-of…" in said
    assert "offline" in said


def test_a_session_that_is_kept_nowhere_is_marked() -> None:
    assert "not saved" in bar(60, unsaved=True)


@pytest.mark.parametrize("width", [20, 40, 60, 80, 100, 200])
def test_it_never_is_wider_than_the_screen(width: int) -> None:
    facts = {"activity": "Running " + "x" * 300, "model": "m" * 200, "queued": 3, "usage": "12,345 tokens"}
    assert len(bar(width, **facts)) <= width
