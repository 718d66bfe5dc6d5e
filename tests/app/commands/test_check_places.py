"""The places that `skilldeck check` names: beside the folder, and in the words that a CI server obeys."""

from __future__ import annotations

from pathlib import Path

from app.commands.check import github_line, relative
from skills_core.problem import SkillProblem
from tests.app.commands.conftest import Place


def problem(path: str, message: str = "It is wrong.", hint: str = "Mend it.") -> SkillProblem:
    return SkillProblem(code="name.format", severity="error", path=path, message=message, hint=hint, line=2, column=7)


def test_only_what_lies_in_the_folder_is_told_from_there() -> None:
    assert relative("/shop/.agents/skills/hem/SKILL.md", "/shop") == ".agents/skills/hem/SKILL.md"
    assert relative("/home/ada/.agents/skills/hem/SKILL.md", "/shop") == "/home/ada/.agents/skills/hem/SKILL.md"
    assert relative("/shop-two/SKILL.md", "/shop") == "/shop-two/SKILL.md"


def test_a_line_for_a_ci_server_is_one_command_whatever_a_file_is_called() -> None:
    line = github_line(problem("/shop/a\n::error file=b::c,d:e%0A\r.md", "One\n::warning::two\r%25", "100%"), "/shop")
    assert "\n" not in line and "\r" not in line
    assert line == (
        "::error file=a%0A%3A%3Aerror file=b%3A%3Ac%2Cd%3Ae%250A%0D.md,line=2,col=7"
        "::One%0A::warning::two%0D%2525 (name.format) 100%25"
    )


def test_a_project_is_checked_from_anywhere(place: Place, tmp_path: Path) -> None:
    folder = tmp_path / "elsewhere" / ".agents" / "skills" / "tie-knots"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\nname: tie-knots\n")
    result = place.run("check", str(tmp_path / "elsewhere"))
    assert result.status == 1
    assert "frontmatter.unclosed" in result.out
