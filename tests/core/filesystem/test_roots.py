"""The ranked roots, the project, and who a root belongs to."""

from __future__ import annotations

from pathlib import Path

import pytest

from skills_core.filesystem import find_project_root
from skills_core.filesystem.roots import root_specs
from tests.core.filesystem.support import Watcher, World, write_skill


def described(world: World, project: bool = True, **settings: object) -> list[tuple[str, int, str, bool]]:
    specs = root_specs(world.settings(**settings), str(world.project) if project else None)
    base = str(world.base)
    return [(spec.source, spec.rank, spec.path.removeprefix(base), spec.project_root is not None) for spec in specs]


def test_the_six_kinds_of_roots_in_order_of_rank(world: World):
    custom, bundled = str(world.base / "custom"), str(world.base / "bundled")
    assert described(world, custom_skill_dirs=(custom,), bundled_skill_dir=bundled) == [
        ("project-dsh", 100, "/project/.dsh/skills", True),
        ("project-agents", 200, "/project/.agents/skills", True),
        ("custom", 300, "/custom", False),
        ("user-dsh", 400, "/home/.dsh/skills", False),
        ("user-agents", 500, "/home/.agents/skills", False),
        ("bundled", 600, "/bundled", False),
    ]


def test_without_a_project_there_are_no_project_roots(world: World):
    assert [source for source, *_ in described(world, project=False)] == ["user-dsh", "user-agents"]


def test_without_the_default_roots_only_the_named_ones_remain(world: World, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("DSH_BUNDLED_SKILL_DIR", "/from/environment")
    assert described(world, include_default_roots=False, custom_skill_dirs=(str(world.base / "c"),)) == [
        ("custom", 300, "/c", False)
    ]


def test_the_environment_names_homes_and_the_bundled_root(world: World, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("DSH_HOME", "/dsh")
    monkeypatch.setenv("DSH_AGENTS_HOME", "/agents")
    monkeypatch.setenv("DSH_BUNDLED_SKILL_DIR", "/bundled")
    assert [path for _, _, path, _ in described(world, project=False, dsh_home=None, agents_home=None)] == [
        "/dsh/skills",
        "/agents/skills",
        "/bundled",
    ]


def test_a_custom_root_inside_the_project_counts_as_the_projects(world: World):
    inside, outside = str(world.project / "tools" / "skills"), str(world.base / "tools")
    found = described(world, custom_skill_dirs=(inside, outside))
    assert [(path, project) for source, _, path, project in found if source == "custom"] == [
        ("/project/tools/skills", True),
        ("/tools", False),
    ]


def test_a_custom_root_that_leads_into_the_project_by_a_link_counts_as_the_projects(world: World):
    (world.project / "real").mkdir()
    (world.base / "alias").symlink_to(world.project / "real")
    found = described(world, custom_skill_dirs=(str(world.base / "alias"),))
    assert ("custom", 300, "/alias", True) in found


def test_a_root_named_by_a_projects_settings_counts_as_the_projects(world: World):
    outside = str(world.base / "far")
    assert ("custom", 300, "/far", True) in described(world, project_skill_dirs=(outside,))
    assert ("custom", 300, "/far", False) in described(
        world, custom_skill_dirs=(outside,), project_skill_dirs=(outside,)
    )


def test_a_root_of_the_project_that_is_also_the_users_counts_as_the_users(world: World):
    specs = root_specs(world.settings(dsh_home=str(world.project / ".dsh")), str(world.project))
    at = [spec for spec in specs if spec.path == str(world.project_dsh)]
    assert [(spec.source, spec.project_root) for spec in at] == [("user-dsh", None)]


def test_the_home_folder_as_project_shows_each_skill_once_as_the_users(world: World):
    watcher = Watcher(world)
    (world.home / ".git").mkdir()
    write_skill(world.user_agents, "tidy")
    (only,) = watcher.look(world.home).listing.candidates
    assert (only.source, only.rank, only.project_root) == ("user-agents", 500, None)


def test_the_same_folder_by_two_links_is_one_root(world: World):
    write_skill(world.user_dsh, "tidy")
    (world.home / ".agents").mkdir()
    world.user_agents.symlink_to(world.user_dsh)
    watcher = Watcher(world)
    listing = watcher.look().listing
    assert [(candidate.name, candidate.source) for candidate in listing.candidates] == [("tidy", "user-dsh")]
    assert listing.problems == ()


def test_the_project_is_the_nearest_ancestor_with_git(world: World):
    assert find_project_root(str(world.project / "src" / "not-there")) == str(world.project)
    worktree = world.project / "worktree"
    worktree.mkdir()
    (worktree / ".git").write_text("gitdir: elsewhere")
    assert find_project_root(str(worktree / "deep")) == str(worktree)


def test_without_git_the_folder_itself_is_the_project(tmp_path: Path):
    assert find_project_root(str(tmp_path / "plain")) == str(tmp_path / "plain")


def test_project_skills_carry_their_project_and_others_none(world: World, watcher: Watcher):
    write_skill(world.project_agents, "theirs")
    write_skill(world.user_agents, "mine")
    found = {candidate.name: candidate.project_root for candidate in watcher.look().listing.candidates}
    assert found == {"theirs": str(world.project), "mine": None}
