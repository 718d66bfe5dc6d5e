"""The skills that come with the program and with this repository are what they teach."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from app.assets import bundled_skills
from skills_core.document import PROBLEM_KINDS, EntryName, read_whole

REPOSITORY = Path(__file__).resolve().parents[2]
FILES = sorted(
    [*bundled_skills().glob("*/SKILL.md"), *(REPOSITORY / ".agents" / "skills").glob("*/SKILL.md")],
    key=lambda path: path.parent.name,
)


def read(path: Path) -> tuple[str, str, str]:
    reading, body = read_whole(path.read_bytes(), EntryName(str(path), path.parent.name, "bundle"))
    assert reading.problems == ()
    assert reading.document is not None
    return reading.document.name, reading.document.description, body


def test_there_are_some() -> None:
    names = [path.parent.name for path in FILES]
    assert {"write-a-skill", "add-problem-code", "review-change", "update-snapshots"} <= set(names)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.parent.name)
def test_each_is_without_a_fault_and_fits_the_catalog(path: Path) -> None:
    name, description, body = read(path)
    assert name == path.parent.name
    assert len(" ".join(description.split())) <= 500
    assert "Use when" in description
    assert len(body.splitlines()) <= 200


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.parent.name)
def test_the_files_and_codes_that_they_name_exist(path: Path) -> None:
    _, _, body = read(path)
    codes = set(re.findall(r"`([a-z]+\.[a-z0-9]+(?:-[a-z0-9]+)*)`", body))
    areas = {code.partition(".")[0] for code in PROBLEM_KINDS}
    for code in codes:
        if code.partition(".")[0] in areas and not (REPOSITORY / code).exists():
            assert code in PROBLEM_KINDS, code
    for named in re.findall(r"(?<![\w/.-])((?:scripts|skills_core|app|tests)/[\w./-]*\w)", body):
        if "TOPIC" not in named and path.is_relative_to(REPOSITORY / ".agents"):
            assert (REPOSITORY / named).exists(), named


def test_the_files_that_a_skill_refers_to_lie_beside_it() -> None:
    for path in FILES:
        for named in re.findall(r"\]\((?!https?:)([^)#]+)\)", read(path)[2]):
            assert (path.parent / named).exists(), named
