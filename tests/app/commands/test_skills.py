"""`skilldeck skills`, `enable`, `disable`, `new`."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.app.commands.conftest import Place

REPORT_KEYS = ["complete", "digest", "cwd", "project_root", "trusted", "skills", "shadowed", "problems", "roots"]
SKILL_KEYS = [
    "name",
    "label",
    "description",
    "when_to_use",
    "source",
    "provider",
    "rank",
    "path",
    "real_path",
    "base",
    "model_invocable",
    "user_invocable",
    "enabled",
    "trusted",
    "tokens",
]
SHADOWED_KEYS = ["name", "path", "source", "rank", "winner_path"]
PROBLEM_KEYS = ["code", "severity", "path", "line", "column", "message", "hint", "skill"]
ROOT_KEYS = ["path", "source", "rank", "state"]


def test_every_key_is_there_in_an_empty_folder(place: Place) -> None:
    ended = place.run("skills", "--json")
    assert (ended.status, ended.err) == (0, "")
    report = ended.json
    assert list(report) == REPORT_KEYS
    assert report["complete"] is True
    assert len(report["digest"]) == 64
    assert report["cwd"] == report["project_root"] == str(place.project)
    assert report["trusted"] is None
    assert [skill["name"] for skill in report["skills"]] == ["write-a-skill"]
    assert report["shadowed"] == report["problems"] == []
    assert all(list(root) == ROOT_KEYS for root in report["roots"])
    states = {root["source"]: root["state"] for root in report["roots"]}
    assert states["project-agents"] == "missing"
    assert states["bundled"] == "present"


def test_a_skill_with_all_its_facts(place: Place) -> None:
    folder = place.root / "review-change"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(
        "---\nname: review-change\ndescription: >-\n  Reads a  diff,\n  then says.\nwhen_to_use: often\n"
        "disable-model-invocation: true\n---\nbody\n"
    )
    report = place.run("skills", "--json").json
    skill = next(skill for skill in report["skills"] if skill["name"] == "review-change")
    assert list(skill) == SKILL_KEYS
    path = str(folder / "SKILL.md")
    assert skill == {
        "name": "review-change",
        "label": None,
        "description": "Reads a diff, then says.",
        "when_to_use": "often",
        "source": "project-agents",
        "provider": "filesystem",
        "rank": 200,
        "path": path,
        "real_path": os.path.realpath(path),
        "base": {"kind": "directory", "path": str(folder)},
        "model_invocable": False,
        "user_invocable": True,
        "enabled": True,
        "trusted": False,
        "tokens": skill["tokens"],
    }
    assert isinstance(skill["tokens"], int)
    assert report["trusted"] is False


def test_skills_are_sorted_and_losers_are_shadowed(place: Place) -> None:
    winner = place.skill("same", "The project's.")
    loser = place.skill("same", "The user's.", root=place.home / ".agents" / "skills")
    place.skill("zebra")
    place.skill("ant")
    report = place.run("skills", "--json", "--trust", "yes").json
    names = [skill["name"] for skill in report["skills"]]
    assert names == sorted(names) == ["ant", "same", "write-a-skill", "zebra"]
    (lost,) = report["shadowed"]
    assert list(lost) == SHADOWED_KEYS
    assert (lost["path"], lost["winner_path"], lost["rank"]) == (str(loser), str(winner), 500)


def test_an_untrusted_project_takes_no_name_from_the_person(place: Place) -> None:
    theirs = place.skill("same", "The project's.")
    own = place.skill("same", "The user's.", root=place.home / ".agents" / "skills")
    (lost,) = place.run("skills", "--json").json["shadowed"]
    assert (lost["path"], lost["winner_path"], lost["rank"]) == (str(theirs), str(own), 200)


def test_trust_decides_what_the_digest_covers(place: Place) -> None:
    empty = place.run("skills", "--json").json["digest"]
    place.skill("mine")
    assert place.run("skills", "--json").json["digest"] == empty
    trusted = place.run("skills", "--json", "--trust", "yes").json
    assert trusted["digest"] != empty
    assert trusted["trusted"] is True
    assert place.run("skills", "--json", "--trust", "no").json["trusted"] is False


def test_problems_have_their_keys(place: Place) -> None:
    (place.root / "broken").mkdir(parents=True)
    (place.root / "broken" / "SKILL.md").write_text("---\nname: broken\n---\nNo description.\n")
    ended = place.run("skills", "--json")
    assert ended.status == 0
    (problem,) = ended.json["problems"]
    assert list(problem) == PROBLEM_KEYS
    assert (problem["code"], problem["severity"]) == ("description.missing", "error")


def test_skills_dir_comes_after_the_settings_and_may_be_missing(place: Place, tmp_path: Path) -> None:
    one, two, missing = tmp_path / "one", tmp_path / "two", tmp_path / "missing"
    place.skill("same", "From the settings.", root=one)
    place.skill("same", "From the flag.", root=two)
    place.skill("extra", root=two)
    config = place.home / "config"
    config.mkdir()
    (config / "settings.toml").write_text(f'custom_skill_dirs = ["{one}"]\n')
    report = place.run("--skills-dir", str(missing), "skills", "--skills-dir", str(two), "--json").json
    custom = [root for root in report["roots"] if root["source"] == "custom"]
    assert [root["path"] for root in custom] == [str(one), str(missing), str(two)]
    assert [root["state"] for root in custom] == ["present", "missing", "present"]
    skills = {skill["name"]: skill for skill in report["skills"]}
    assert skills["same"]["description"] == "From the settings."
    assert skills["extra"]["trusted"] is True


def test_a_folder_that_the_project_names_needs_its_trust(place: Place) -> None:
    place.skill("shared", root=place.project / "tools")
    (place.project / ".skilldeck.toml").write_text('custom_skill_dirs = ["tools"]\n')
    report = place.run("skills", "--json").json
    skill = next(skill for skill in report["skills"] if skill["name"] == "shared")
    assert (skill["source"], skill["rank"], skill["trusted"]) == ("custom", 300, False)


def test_what_cannot_be_read_makes_the_answer_incomplete_and_says_why(place: Place) -> None:
    """No one, not even root, can look into a folder whose name is longer than a file system takes."""
    unreadable = ("--skills-dir", str(place.home / ("x" * 300)))
    place.skill("mine")
    ended = place.run("skills", "--json", *unreadable)
    assert ended.status == 1
    assert (ended.json["complete"], ended.json["digest"]) == (False, None)
    assert "mine" in [skill["name"] for skill in ended.json["skills"]]
    assert ended.err.count("\n") == 1
    assert "not complete" in ended.err
    for words in (("check",), ("run", "hello", "--no-save")):
        ended = place.run(*words, *unreadable)
        assert ended.status == 1, words
        assert "x" * 100 in ended.err


def test_text_names_what_a_person_needs(place: Place) -> None:
    place.skill("mine", "Does [red]this[/red] \\x1b[31mplainly.")
    shown = place.run("skills")
    assert "mine" in shown.out
    assert "[untrusted] Does [red]this[/red]" in shown.out
    assert "not trusted" in shown.out


def test_nothing_from_a_file_is_obeyed_by_a_terminal(place: Place) -> None:
    (place.root / "evil\x1b[31m").mkdir(parents=True)
    (place.root / "evil\x1b[31m" / "SKILL.md").write_text(
        '---\nname: evil\ndescription: "a \\e[31m b \\u202e c \\U000E0041 d"\nwhen_to_use: "\\e]52;c;x\\a"\n---\nx\n'
    )
    for words in (("skills",), ("skills", "--json"), ("check",), ("check", "--format", "github"), ("check", "--json")):
        shown = place.run(*words).out
        assert "\x1b" not in shown
        assert "\u202e" not in shown
        assert "\U000e0041" not in shown


def test_off_and_on(place: Place) -> None:
    place.skill("mine")

    def enabled() -> bool:
        return next(s for s in place.run("skills", "--json").json["skills"] if s["name"] == "mine")["enabled"]

    digest = place.run("skills", "--json", "--trust", "yes").json["digest"]
    ended = place.run("disable", "mine")
    assert (ended.status, ended.err) == (0, "")
    assert "off" in ended.out
    assert enabled() is False
    assert place.run("skills", "--json", "--trust", "yes").json["digest"] != digest
    place.run("enable", "mine")
    assert enabled() is True
    place.run("disable", "mine", "--user")
    assert enabled() is False
    place.run("enable", "mine")
    assert enabled() is True


def test_a_skill_that_is_gone_can_be_switched_on_again(place: Place) -> None:
    path = place.skill("mine")
    place.run("disable", "mine")
    path.unlink()
    assert place.run("enable", "mine").status == 0
    ended = place.run("enable", "mine")
    assert ended.status == 2


def test_a_name_that_is_near_is_suggested(place: Place) -> None:
    place.skill("review-change")
    ended = place.run("disable", "review-chnge")
    assert ended.status == 2
    assert "did you mean review-change?" in ended.err


@pytest.mark.parametrize("name", ["tidy-shelf", "written"])
def test_a_skill_with_an_error_is_switched_by_name(place: Place, name: str) -> None:
    path = place.root / "tidy-shelf" / "SKILL.md"
    path.parent.mkdir(parents=True)
    path.write_text("---\nname: written\n---\nDo it.\n", "utf-8")
    ended = place.run("disable", name)
    assert ended.status == 0
    assert ended.out == f"{name} is off in {place.project}.\n"
    assert ended.err == (
        f"skilldeck: {path} has an error, so the skill is not offered at present. skilldeck check explains it.\n"
    )
    path.write_text(f"---\nname: {name}\ndescription: Tidies the shelf.\n---\nDo it.\n", "utf-8")
    skills = {skill["name"]: skill["enabled"] for skill in place.run("skills", "--json").json["skills"]}
    assert skills[name] is False
    assert place.run("enable", name).err == ""


def test_a_file_that_is_no_skill_has_no_name(place: Place) -> None:
    place.root.mkdir(parents=True)
    (place.root / "README.md").write_text("name: readme\n", "utf-8")
    assert place.run("disable", "readme").status == 2


def test_new_writes_a_skill_to_fill_in_and_says_where(place: Place) -> None:
    ended = place.run("new", "my-thing")
    assert ended.status == 0
    assert "replaced the description" in ended.err and ended.err.count("\n") == 1
    path = place.root / "my-thing" / "SKILL.md"
    assert ended.out == f"{path}\n"
    checked = place.run("check", str(path), "--json")
    assert checked.status == 1
    assert [(p["code"], p["severity"], p["line"]) for p in checked.json["problems"]] == [
        ("template.placeholder", "error", 3)
    ]
    text = path.read_text("utf-8")
    start = text.index("<")
    path.write_text(text[:start] + "Does my thing." + text[text.index(">") + 1 :], "utf-8")
    checked = place.run("check", str(path), "--strict")
    assert (checked.status, checked.out) == (0, "1 checked: no problems\n")
    assert "my-thing" in [skill["name"] for skill in place.run("skills", "--json").json["skills"]]


def test_new_for_the_user(place: Place) -> None:
    ended = place.run("new", "my-thing", "--user")
    assert ended.out == f"{place.home / '.agents' / 'skills' / 'my-thing' / 'SKILL.md'}\n"


def test_new_touches_nothing_that_is_there(place: Place) -> None:
    path = place.skill("mine", "As it was.")
    before = path.read_bytes()
    assert place.run("new", "mine").status == 2
    assert path.read_bytes() == before
    (place.root / "flat.md").write_text("---\nname: flat\ndescription: x\n---\n")
    ended = place.run("new", "flat")
    assert ended.status == 2
    assert "there is one already" in ended.err
    assert not (place.root / "flat").exists()


@pytest.mark.parametrize(
    ("name", "better"), [("My Thing", "my-thing"), ("naïve_plan", "naive-plan"), ("../up", "up"), ("a--b", "a-b")]
)
def test_new_suggests_a_name_that_fits(place: Place, name: str, better: str) -> None:
    ended = place.run("new", name)
    assert ended.status == 2
    assert f"skilldeck new {better}\n" in ended.err
    assert not place.root.exists()


def test_new_refuses_a_name_that_is_too_long(place: Place) -> None:
    ended = place.run("new", "a" * 65)
    assert ended.status == 2
    assert "at most 64" in ended.err


def test_new_says_what_is_in_the_way(place: Place) -> None:
    (place.project / ".agents").write_text("a file")
    ended = place.run("new", "mine")
    assert ended.status == 2
    assert ended.err.count("\n") == 1
