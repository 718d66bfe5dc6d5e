"""Skills that are switched off, or kept from the person or the model: where that holds, and how the list marks it."""

from __future__ import annotations

import pytest

from app.commands.skills import skill_marks
from tests.app.commands.conftest import Place


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
