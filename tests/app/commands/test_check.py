"""`skilldeck check`: text, JSON, GitHub; files, folders, roots."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.controllers.source_excerpt import excerpt, line_of
from tests.app.commands.conftest import Place
from tests.app.commands.test_skills import PROBLEM_KEYS


def broken(place: Place, root: Path | None = None) -> Path:
    path = (root or place.root) / "broken" / "SKILL.md"
    path.parent.mkdir(parents=True)
    path.write_text("---\nname: broken\n---\nNo description.\n")
    return path


def test_errors_fail_and_warnings_do_only_when_strict(place: Place) -> None:
    place.skill("fine")
    assert place.run("check").status == 0
    assert place.run("check", "--strict").status == 0
    place.skill("warned", "Use when: it is said.")
    assert place.run("check").status == 0
    assert place.run("check", "--strict").status == 1
    broken(place)
    assert place.run("check").status == 1


def test_text_shows_the_line_a_caret_and_the_mend(place: Place) -> None:
    path = place.skill("warned", "Use when: it is said.")
    shown = place.run("check").out.splitlines()
    assert shown[0].startswith(f"{path.relative_to(place.project)}:3:22: warning: ")
    assert shown[0].endswith("[yaml.unquoted-colon]")
    assert shown[1] == "  3 | description: Use when: it is said."
    assert shown[2] == "    |" + " " * 22 + "^"
    assert shown[3].startswith("  hint: ")
    assert shown[-1] == "2 checked: 1 warning"


def test_json(place: Place) -> None:
    place.skill("fine")
    place.skill("warned", "Use when: it is said.")
    path = broken(place)
    ended = place.run("check", "--json")
    assert ended.status == 1
    report = ended.json
    assert list(report) == ["checked", "errors", "warnings", "problems"]
    assert (report["checked"], report["errors"], report["warnings"]) == (4, 1, 1)
    assert all(list(problem) == PROBLEM_KEYS for problem in report["problems"])
    assert [problem["path"] for problem in report["problems"] if problem["severity"] == "error"] == [str(path)]


def test_github_annotations_are_relative_to_the_project(place: Place) -> None:
    folder = place.root / "a,b: 100%"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\nname: odd\n---\nNothing.\n")
    below = place.project / "src"
    below.mkdir()
    line = place.run("check", "--format", "github", cwd=below).out.splitlines()[0]
    assert line.startswith("::error file=.agents/skills/a%2Cb%3A 100%25/SKILL.md,line=")
    assert ",col=" in line.split("::")[1]
    assert "\n" not in line


def test_a_file_a_folder_and_a_root_by_path(place: Place) -> None:
    place.skill("fine")
    path = broken(place)
    for named in (path, path.parent):
        report = place.run("check", str(named), "--json").json
        assert (report["checked"], report["errors"]) == (1, 1)
    report = place.run("check", str(place.root), "--json").json
    assert (report["checked"], report["errors"]) == (2, 1)
    assert place.run("check", str(place.root / "fine"), "--json").json["errors"] == 0


def test_paths_are_relative_to_the_working_folder(place: Place, tmp_path: Path) -> None:
    broken(place)
    (tmp_path / "other").mkdir()
    words = ("check", ".agents/skills/broken", "--json", "--cwd", str(place.project))
    assert place.run(*words, cwd=tmp_path / "other").json["errors"] == 1


def test_paths_outside_of_every_root(place: Place, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    path = broken(place, elsewhere)
    place.skill("fine", root=elsewhere)
    for named, checked in ((path, 1), (path.parent, 1), (elsewhere, 2)):
        report = place.run("check", str(named), "--json").json
        assert (report["checked"], report["errors"]) == (checked, 1), named
        assert report["problems"][0]["path"] == str(path)
    both = place.run("check", str(path), str(elsewhere), "--json").json
    assert (both["checked"], both["errors"]) == (2, 1)


def test_what_is_no_skill(place: Place, tmp_path: Path) -> None:
    readme = tmp_path / "README.md"
    readme.write_text("# Nothing\n")
    ended = place.run("check", str(readme))
    assert ended.status == 0
    assert "has no frontmatter" in ended.err
    empty = tmp_path / "empty"
    empty.mkdir()
    ended = place.run("check", str(empty), "--json")
    assert (ended.status, ended.json["checked"]) == (0, 0)
    assert "no skills in it" in ended.err
    other = tmp_path / "x.txt"
    other.write_text("x")
    assert place.run("check", str(other)).status == 2


def test_a_dangling_link_is_a_problem_and_no_wrong_usage(place: Place, tmp_path: Path) -> None:
    link = tmp_path / "gone.md"
    link.symlink_to(tmp_path / "nothing.md")
    ended = place.run("check", str(link), "--json")
    assert ended.status == 1
    assert [problem["code"] for problem in ended.json["problems"]] == ["file.dangling-link"]


@pytest.mark.parametrize(
    ("line", "column", "width", "shown", "caret"),
    [
        ("name: x", 7, 80, "name: x", "      ^"),
        ("\tx: y", 2, 80, "    x: y", "    ^"),
        ("技能: a: b", 4, 80, "技能: a: b", "     ^"),
        ("a\x1b[31mb", 3, 80, "a␛[31mb", "  ^"),
        ("short", 9, 80, "short", "     ^"),
    ],
)
def test_excerpt(line: str, column: int, width: int, shown: str, caret: str) -> None:
    assert excerpt(line, column, width) == (shown, caret)


def test_a_long_line_is_cut_around_its_place() -> None:
    shown, caret = excerpt("a" * 500 + "!" + "b" * 500, 501, 60)
    assert len(shown) <= 60
    assert shown[caret.index("^")] == "!"
    assert shown.startswith("…")
    assert shown.endswith("…")


def test_lines_of_bytes() -> None:
    data = b"\xef\xbb\xbfone\r\ntwo\xff\n\nlast"
    assert [line_of(data, number) for number in range(1, 6)] == ["one", "two\ufffd", "", "last", None]
