"""The reference system's behaviours of discovery that no narrower test holds."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from skills_core.filesystem import FilesystemSettings, filesystem_provider
from skills_core.registry import Lookup, SkillRegistry, SkillSnapshot, settled_snapshot
from skills_core.skill import RuntimeSkill
from tests.core.filesystem.support import DEADLINE, World, skill_text, write_flat, write_skill

ANYWHERE = Lookup()


@pytest.fixture
async def registry() -> AsyncIterator[SkillRegistry]:
    registry = SkillRegistry()
    yield registry
    await registry.aclose()


async def settled(registry: SkillRegistry, lookup: Lookup = ANYWHERE) -> SkillSnapshot:
    snapshot = await settled_snapshot(registry, lookup, DEADLINE)
    assert snapshot.complete, snapshot.reason
    return snapshot


def offered(snapshot: SkillSnapshot) -> list[str]:
    return [skill.name for skill in snapshot.skills]


async def test_the_roots_in_priority_order(world: World, registry: SkillRegistry):
    custom, bundled = world.base / "custom", world.base / "bundled"
    write_skill(world.user_agents, "same", description="User agents skill.")
    write_skill(world.user_dsh, "same", description="User dsh skill.")
    write_skill(custom, "same", description="Custom skill.")
    write_skill(custom, "custom-only")
    write_skill(world.project_agents, "same", description="Project agents skill.")
    write_skill(world.project_dsh, "same", description="Project dsh skill.")
    write_skill(world.user_dsh / ".system", "hidden-system")
    write_skill(bundled, "same", description="Bundled skill.")
    write_skill(bundled, "bundled-only")
    registry.register_provider(
        filesystem_provider(world.settings(custom_skill_dirs=(str(custom),), bundled_skill_dir=str(bundled)))
    )
    lookup = Lookup(cwd=str(world.project / "src"))
    snapshot = await settled(registry, lookup)
    assert offered(snapshot) == ["bundled-only", "custom-only", "same"]
    same = snapshot.by_name["same"]
    assert (same.description, same.source) == ("Project dsh skill.", "project-dsh")
    assert snapshot.by_name["bundled-only"].source == "bundled"
    assert [item.skill.source for item in snapshot.shadowed] == [
        "project-agents",
        "custom",
        "user-dsh",
        "user-agents",
        "bundled",
    ]
    definition = await registry.get("bundled-only")
    assert definition is not None and definition.content == "Use the skill."
    plain = world.base / "plain"
    write_skill(plain / ".dsh" / "skills", "plain-project")
    assert "plain-project" in offered(await settled(registry, Lookup(cwd=str(plain))))


async def test_project_before_runtime_before_custom_and_user(world: World, registry: SkillRegistry):
    custom = world.base / "custom"
    write_skill(world.project_agents, "project-name", description="Project wins")
    write_skill(custom, "runtime-name", description="Custom loses")
    write_skill(world.user_agents, "runtime-name", description="User loses")
    registry.register_provider(filesystem_provider(world.settings(custom_skill_dirs=(str(custom),))))
    for name, description in [("project-name", "Runtime loses"), ("runtime-name", "Runtime wins")]:
        registry.register(RuntimeSkill(name=name, description=description, content="Body."))
    for name, description in [("project-name", "Project wins"), ("runtime-name", "Runtime wins")]:
        definition = await registry.get(name, world.lookup)
        assert definition is not None and definition.description == description


def write_all(root: Path, files: dict[str, str]) -> None:
    root.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (root / name).write_text(text)


async def test_what_is_a_skill_and_what_is_none(world: World, registry: SkillRegistry):
    root = world.user_agents
    flat = write_flat(root, "flat-skill")
    write_all(
        root,
        {
            "rich-skill.md": (
                "---\nname: rich-skill\ndescription: Rich.\nwhenToUse: Often.\ndisable-model-invocation: off\n"
                "user-invocable: YES\nmetadata:\n  owner: me\n---\nRich body.\n"
            ),
            "missing-description.md": "---\nname: missing-description\n---\nBody\n",
            "no-frontmatter.md": "name: no-frontmatter\n",
            "plain.md": "# Plain\n\nWords.\n",
            "unterminated.md": "---\nname: x",
            "list.md": "---\n- one\n- two\n---\nBody\n",
            "no-trailing-body.md": "---\nname: no-trailing-body\ndescription: No body.\n---",
            "notes.txt": skill_text("notes"),
        },
    )
    (root / "empty").mkdir()
    for name, line, body in [
        ("user-only-skill", "disable-model-invocation: true", "User-only."),
        ("model-only-skill", "user-invocable: false", "Model-only."),
    ]:
        path = write_skill(root, name)
        path.write_text(f"---\nname: {name}\ndescription: One side.\n{line}\n---\n{body}\n")
    registry.register_provider(filesystem_provider(world.settings(watch_stability_threshold_ms=20)))
    snapshot = await settled(registry)
    assert offered(snapshot) == ["flat-skill", "model-only-skill", "no-trailing-body", "rich-skill", "user-only-skill"]
    policies = {
        skill.name: (skill.invocation.model_invocable, skill.invocation.user_invocable) for skill in snapshot.skills
    }
    assert policies == {
        "flat-skill": (True, True),
        "model-only-skill": (True, False),
        "no-trailing-body": (True, True),
        "rich-skill": (True, True),
        "user-only-skill": (False, True),
    }
    rich = await registry.get("rich-skill")
    assert rich is not None and rich.when_to_use == "Often." and rich.metadata is not None
    assert rich.metadata["owner"] == "me"
    bodies = {name: await registry.get(name) for name in ("user-only-skill", "model-only-skill", "no-trailing-body")}
    assert {name: d.content for name, d in bodies.items() if d} == {
        "user-only-skill": "User-only.",
        "model-only-skill": "Model-only.",
        "no-trailing-body": "",
    }
    flat.unlink()
    assert await registry.get("flat-skill") is None


async def test_links_to_folders_and_files_are_discovered(world: World, registry: SkillRegistry):
    outside = world.base / "outside"
    write_skill(outside, "linked-dir")
    write_flat(outside, "linked-flat")
    root = world.user_agents
    root.mkdir(parents=True)
    (root / "linked-dir").symlink_to(outside / "linked-dir")
    (root / "linked-flat.md").symlink_to(outside / "linked-flat.md")
    (root / "broken").symlink_to(outside / "nothing")
    (root / "null").symlink_to("/dev/null")
    registry.register_provider(filesystem_provider(world.settings()))
    snapshot = await settled(registry)
    assert offered(snapshot) == ["linked-dir", "linked-flat"]
    assert [problem.code for problem in snapshot.problems] == ["file.dangling-link"]


async def test_a_folder_named_like_the_skill_file_is_a_problem_and_hides_nothing(world: World, registry: SkillRegistry):
    (world.user_agents / "broken-skill" / "SKILL.md").mkdir(parents=True)
    write_skill(world.user_agents, "good")
    registry.register_provider(filesystem_provider(world.settings()))
    snapshot = await settled(registry)
    assert offered(snapshot) == ["good"]
    assert [problem.code for problem in snapshot.problems] == ["file.not-regular"]


async def test_homes_of_the_environment_and_isolated_providers(
    world: World, registry: SkillRegistry, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("DSH_HOME", str(world.home / ".dsh"))
    monkeypatch.setenv("DSH_AGENTS_HOME", str(world.home / ".agents"))
    monkeypatch.setenv("DSH_BUNDLED_SKILL_DIR", str(world.base / "bundled"))
    write_skill(world.user_dsh, "env-skill")
    write_skill(world.base / "bundled", "env-bundled-skill")
    write_skill(world.base / "custom", "custom-skill")
    registry.register_provider(filesystem_provider(FilesystemSettings(watch=False)))
    assert offered(await settled(registry)) == ["env-bundled-skill", "env-skill"]
    isolated = SkillRegistry()
    settings = FilesystemSettings(
        watch=False,
        include_default_roots=False,
        provider_name="isolated",
        custom_skill_dirs=(str(world.base / "custom"),),
    )
    isolated.register_provider(filesystem_provider(settings))
    registry.register_provider(filesystem_provider(settings))
    (only,) = (await settled(isolated)).skills
    assert (only.name, only.provider) == ("custom-skill", "isolated")
    assert offered(await settled(registry)) == ["custom-skill", "env-bundled-skill", "env-skill"]
    await isolated.aclose()
    empty = SkillRegistry()
    for name in ("DSH_HOME", "DSH_AGENTS_HOME"):
        monkeypatch.setenv(name, str(world.base / "empty"))
    monkeypatch.delenv("DSH_BUNDLED_SKILL_DIR")
    registration = empty.register_provider(filesystem_provider(FilesystemSettings(watch=False)))
    assert offered(await settled(empty)) == [] and registration.provider.name == "filesystem"
    await empty.aclose()


class Followed:
    """A registry with a watching provider; waits for what its catalog comes to."""

    def __init__(self, registry: SkillRegistry, settings: FilesystemSettings) -> None:
        self.registry = registry
        self._changed = asyncio.Event()
        registry.subscribe(self._changed.set)
        registry.register_provider(filesystem_provider(settings))

    async def comes_to(self, expected: dict[str, str]) -> None:
        """Waits until the complete catalog's names and descriptions are these."""
        found: dict[str, str] = {}
        try:
            async with asyncio.timeout(DEADLINE):
                while True:
                    self._changed.clear()
                    snapshot = await self.registry.snapshot()
                    found = {skill.name: skill.description for skill in snapshot.skills}
                    if snapshot.complete and found == expected:
                        return
                    await self._changed.wait()
        except TimeoutError:
            pytest.fail(f"waited for {expected}, have {found}")


async def test_additions_changes_deletions_and_a_missing_root_are_followed(world: World, registry: SkillRegistry):
    settings = world.settings(watch=True, watch_stability_threshold_ms=20, watch_poll_interval_ms=10)
    followed = Followed(registry, settings)
    root = world.user_agents
    await followed.comes_to({})
    path = write_skill(root, "watched-skill", description="First.")
    await followed.comes_to({"watched-skill": "First."})
    path.write_text(skill_text("watched-skill", "Second.", "Second body."))
    await followed.comes_to({"watched-skill": "Second."})
    definition = await registry.get("watched-skill")
    assert definition is not None and definition.content == "Second body."
    write_flat(root, "flat-added", "Flat.")
    await followed.comes_to({"flat-added": "Flat.", "watched-skill": "Second."})
    path.parent.rename(root / "renamed-skill")
    (root / "renamed-skill" / "SKILL.md").write_text(skill_text("renamed-skill", "Renamed."))
    await followed.comes_to({"flat-added": "Flat.", "renamed-skill": "Renamed."})
    shutil.rmtree(root / "renamed-skill")
    await followed.comes_to({"flat-added": "Flat."})
    shutil.rmtree(world.home / ".agents")
    await followed.comes_to({})
    write_skill(root, "recreated-skill", description="Again.")
    await followed.comes_to({"recreated-skill": "Again."})


async def test_a_change_behind_a_followed_link_is_seen(world: World, registry: SkillRegistry):
    outside = world.base / "outside"
    path = write_skill(outside, "linked", description="First.")
    world.user_agents.mkdir(parents=True)
    (world.user_agents / "linked").symlink_to(outside / "linked")
    followed = Followed(registry, world.settings(watch=True, watch_stability_threshold_ms=20))
    await followed.comes_to({"linked": "First."})
    path.write_text(skill_text("linked", "Second."))
    await followed.comes_to({"linked": "Second."})
