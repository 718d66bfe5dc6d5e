"""Every folder of cases, as a project's root, seen through the provider."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from skills_core.filesystem import FilesystemSettings, filesystem_provider
from skills_core.problem import SkillProblem
from skills_core.registry import Lookup, SkillRegistry, settled_snapshot
from tests.cases_support import Case, check_entry, load_cases

DEADLINE = 5.0


def of_entry(problems: tuple[SkillProblem, ...], root: Path, entry: str) -> list[SkillProblem]:
    """The problems at the entry's file, or at its folder when that is a link that leads nowhere."""
    places = {str(root / entry), str((root / entry).parent)} - {str(root)}
    return [problem for problem in problems if problem.path in places]


@pytest.mark.parametrize("case", load_cases(), ids=lambda case: case.name)
async def test_a_case(case: Case, tmp_path: Path):
    built = case.build(tmp_path / "case")
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    root = project / ".agents" / "skills"
    root.parent.mkdir()
    # Moved as a whole folder, with what lies beside its root, so that links keep their meaning.
    os.rename(tmp_path / "case", root.parent / "case")
    root.symlink_to(root.parent / "case" / built.name)
    settings = FilesystemSettings(watch=False, dsh_home=str(tmp_path / "none"), agents_home=str(tmp_path / "none"))
    registry = SkillRegistry()
    registration = registry.register_provider(filesystem_provider(settings))
    try:
        began = time.monotonic()
        snapshot = await settled_snapshot(registry, Lookup(cwd=str(project)), DEADLINE)
        took = time.monotonic() - began
        assert snapshot.complete, snapshot.reason
        limits = case.expected.get("limits_and_checks", {})
        bound = limits.get("seconds", limits.get("max_ms", DEADLINE * 1000) / 1000)
        assert took < max(bound, 1.0) + 0.5, f"took {took:.2f} s"
        offered = {skill.path: skill for skill in snapshot.skills}
        for entry in case.entries:
            path = str(root / entry["entry"])
            check_entry(case.name, entry, offered.get(path), of_entry(snapshot.problems, root, entry["entry"]))
            if "shadowed_by" in entry:
                shadowed = {item.skill.path: item.winner.path for item in snapshot.shadowed}
                assert shadowed[path] == str(root / entry["shadowed_by"])
        if "catalog" in case.expected:
            assert sorted(skill.name for skill in snapshot.skills) == sorted(case.expected["catalog"])
        for skill in snapshot.skills:
            definition = await registry.get(skill.name, Lookup(cwd=str(project)))
            assert definition is not None and definition.name == skill.name
    finally:
        await registration.provider.aclose()  # type: ignore[attr-defined]
        await registry.aclose()


async def test_a_private_file_that_a_link_shows_is_offered_in_the_users_own_roots(tmp_path: Path):
    (case,) = [case for case in load_cases() if case.name == "S04"]
    root = case.build(tmp_path / "case")
    secret = os.path.realpath(root / "peek" / "SKILL.md")
    settings = FilesystemSettings(watch=False, include_default_roots=False, custom_skill_dirs=(str(root),))
    registry = SkillRegistry()
    registry.register_provider(filesystem_provider(settings))
    snapshot = await settled_snapshot(registry, Lookup(), DEADLINE)
    assert [skill.real_path for skill in snapshot.skills] == [secret]
    await registry.aclose()
