"""What is told of a turn and of a stored session: the last words, the damaged lines, a list's marks."""

from __future__ import annotations

import pytest

from app.commands.skills import skill_marks
from tests.app.commands.conftest import Place
from tests.app.commands.test_run import call, script


def test_the_answer_is_what_was_said_last(place: Place) -> None:
    (place.project / "a.txt").write_text("x")
    model = script(place, {"text": "Let me look.", **call("read", path="a.txt")}, {"text": "It holds an x."})
    ended = place.run("run", "go", "--model", model)
    assert (ended.status, ended.out) == (0, "It holds an x.\n")


def test_each_damaged_line_of_a_stored_session_is_told(place: Place) -> None:
    assert place.run("run", "hello", "--model", script(place, {"text": "Good day."})).status == 0
    (log,) = place.state.rglob("*.jsonl")
    whole = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join((*whole[:2], b"{torn\n", *whole[2:])))
    ended = place.run("show", log.stem)
    assert ended.status == 0
    assert ended.err.startswith("skilldeck: line 3 of the log cannot be read")
    assert ended.err.count("\n") == 1
    assert "Good day." in ended.out


@pytest.mark.parametrize(
    ("facts", "marks"),
    [
        ({}, ""),
        ({"enabled": False}, "off"),
        ({"trusted": False}, "untrusted"),
        ({"model_invocable": False}, "user only"),
        ({"user_invocable": False}, "model only"),
        ({"model_invocable": False, "user_invocable": False}, "nobody"),
        ({"enabled": False, "trusted": False, "model_invocable": False}, "off, untrusted, user only"),
    ],
)
def test_the_marks_of_a_skill_say_who_may_use_it(facts: dict[str, bool], marks: str) -> None:
    skill = {"enabled": True, "trusted": True, "model_invocable": True, "user_invocable": True, **facts}
    assert skill_marks(skill) == marks


def test_a_switch_holds_in_its_project_and_for_the_person_in_every_one(place: Place) -> None:
    root = place.home / ".agents" / "skills"
    place.skill("mine", root=root)
    other = place.home.parent / "other"
    (other / ".git").mkdir(parents=True)

    def enabled() -> list[bool]:
        found: list[bool] = []
        for cwd in (place.project, other):
            skills = place.run("skills", "--json", cwd=cwd).json["skills"]
            found += [skill["enabled"] for skill in skills if skill["name"] == "mine"]
        return found

    assert enabled() == [True, True]
    assert place.run("disable", "mine").status == 0
    assert enabled() == [False, True]
    assert place.run("enable", "mine").status == 0
    assert place.run("disable", "mine", "--user").status == 0
    assert enabled() == [False, False]
