from dataclasses import replace

import pytest

from skills_core.access import OPEN_ACCESS
from skills_core.invocation import check_draft
from skills_core.problem import SkillProblem
from skills_core.registry.snapshot import SkillSnapshot
from skills_core.skill import SkillSummary
from tests.core.catalog.support import MODEL_ONLY, USER_ONLY, Access


def summary(name: str, **facts) -> SkillSummary:
    return SkillSummary(name=name, description="Does it.", source="test", provider="memory", rank=1, **facts)


SNAPSHOT = SkillSnapshot(
    skills=(
        summary("hem-towels"),
        summary("hidden", invocation=USER_ONLY),
        summary("model-only", invocation=MODEL_ONLY),
        summary("theirs", project_root="/project"),
    )
)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello",
        "/skill:hem-towels now",
        "/skill:hidden",
        "/skill:theirs",
        "/nope /usr/bin 5/8 /model-only",
        "```\n/skill:nope\n```",
        "`/skill:nope`",
        "a/skill:nope",
    ],
)
def test_what_can_be_sent(text: str):
    assert check_draft(text, SNAPSHOT, Access(untrusted=["theirs"])) is None


def test_an_unknown_name_says_so_with_the_nearest():
    problem = check_draft("please /skill:hem-towel now", SNAPSHOT, OPEN_ACCESS)
    assert problem is not None
    assert problem.message == 'There is no skill "hem-towel"'
    assert problem.nearest == ("hem-towels",) and problem.hint == "Did you mean /skill:hem-towels?"
    assert (problem.name, problem.start, problem.end) == ("hem-towel", 7, 23)


def test_an_unknown_name_with_nothing_near_says_where_to_look():
    problem = check_draft("/skill:qqqqzzzz", SNAPSHOT, OPEN_ACCESS)
    assert problem is not None and problem.nearest == () and problem.hint


def test_an_incomplete_view_is_owned_up_to():
    problem = check_draft("/skill:nope", SkillSnapshot(complete=False), OPEN_ACCESS)
    assert problem is not None and "found so far" in problem.message


@pytest.mark.parametrize("path", ["/skills/tidy-shelf/SKILL.md", "/skills/tidy-shelf.md", "/skills/tidy-shelf"])
def test_a_skill_whose_file_has_an_error_says_which(path: str):
    fault = SkillProblem(
        code="description.missing", severity="error", path=path, message="There is none.", hint="Write one.", line=2
    )
    problem = check_draft("/skill:tidy-shelf", SkillSnapshot(complete=True, problems=(fault,)), OPEN_ACCESS)
    assert problem is not None
    assert problem.message == 'The skill "tidy-shelf" is not offered, for its file has an error'
    assert problem.hint == "Line 2: There is none. Write one."
    other = check_draft("/skill:tidy-desk", SkillSnapshot(complete=True, problems=(fault,)), OPEN_ACCESS)
    assert other is not None and other.message == 'There is no skill "tidy-desk"'
    warning = replace(fault, severity="warning")
    softer = check_draft("/skill:tidy-shelf", SkillSnapshot(complete=True, problems=(warning,)), OPEN_ACCESS)
    assert softer is not None and softer.message == 'There is no skill "tidy-shelf"'


def test_an_empty_name():
    problem = check_draft("/skill: hem", SNAPSHOT, OPEN_ACCESS)
    assert (
        problem is not None and problem.message == "/skill: needs the name of a skill" and "/skill:NAME" in problem.hint
    )


def test_a_name_that_cannot_be_one():
    problem = check_draft("see /skill:hem-towels.", SNAPSHOT, OPEN_ACCESS)
    assert problem is not None
    assert problem.message == '"hem-towels." is not the name of a skill' and problem.nearest == ("hem-towels",)


def test_a_skill_that_only_the_model_may_use():
    problem = check_draft("/skill:model-only", SNAPSHOT, OPEN_ACCESS)
    assert problem is not None and "user-invocable: false" in problem.message
    near = check_draft("/skill:model-onl", SNAPSHOT, OPEN_ACCESS)
    assert near is not None and "model-only" not in near.nearest


def test_a_skill_that_is_switched_off():
    problem = check_draft("/skill:hem-towels", SNAPSHOT, Access(off=["hem-towels"]))
    assert problem is not None and "switched off" in problem.message and "enable hem-towels" in problem.hint


def test_the_first_problem_is_the_one_told():
    problem = check_draft("/skill:hem-towels /skill:first /skill:second", SNAPSHOT, OPEN_ACCESS)
    assert problem is not None and problem.name == "first"


def test_what_was_typed_is_shown_inert_and_bounded():
    problem = check_draft(f"/skill:\x1b]52;c;\x07{'x' * 500}", SNAPSHOT, OPEN_ACCESS)
    assert problem is not None and problem.message.isprintable() and len(problem.message) < 200
