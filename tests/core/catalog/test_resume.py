"""What a stored session says to a publisher that has just started."""

from pathlib import Path

import pytest

from skills_core.registry import SkillRegistry
from skills_core.session import Session, SessionStore
from skills_core.session.event import user_message
from tests.core.catalog.support import Steps, entry_names, skill


@pytest.fixture
def registry():
    registry = SkillRegistry()
    registry.register(skill("first-skill"))
    return registry


@pytest.fixture
def store(tmp_path: Path):
    return SessionStore(tmp_path / "sessions", "test")


async def published(store: SessionStore, registry: SkillRegistry) -> str:
    session = await store.create("/project")
    await Steps(registry, session=session).step(user_message("hello"))
    await session.aclose()
    return session.id


async def reopened(session: Session, registry: SkillRegistry) -> list[list[str]]:
    """The catalogs that two steps add to a session that was just opened."""
    before = len(Steps(registry, session=session).catalogs)
    for _ in range(2):
        await Steps(registry, session=session).step()
    catalogs = Steps(registry, session=session).catalogs[before:]
    assert all(event.data["source"]["update"] is True for event in catalogs)
    await session.aclose()
    return [entry_names(event) for event in catalogs]


async def test_unchanged_skills_publish_nothing_after_a_resume(store: SessionStore, registry: SkillRegistry):
    assert await reopened(await store.open(await published(store, registry)), registry) == []


async def test_changed_skills_publish_exactly_one_replacement(store: SessionStore, registry: SkillRegistry):
    stored = await published(store, registry)
    registry.register(skill("second-skill"))
    assert await reopened(await store.open(stored), registry) == [["first-skill", "second-skill"]]
    assert await reopened(await store.open(stored), registry) == []


async def test_no_skills_any_more_publish_one_tombstone(store: SessionStore, registry: SkillRegistry):
    stored = await published(store, registry)
    assert await reopened(await store.open(stored), SkillRegistry()) == [[]]
    assert await reopened(await store.open(stored), SkillRegistry()) == []


async def test_a_fork_goes_on_from_the_catalog_of_its_parent(store: SessionStore, registry: SkillRegistry):
    stored = await published(store, registry)
    assert await reopened(await store.fork(stored), registry) == []
    registry.register(skill("second-skill"))
    assert await reopened(await store.fork(stored), registry) == [["first-skill", "second-skill"]]


async def test_a_fork_from_before_the_catalog_begins_anew(store: SessionStore, registry: SkillRegistry):
    session = await store.create("/project")
    await session.append(user_message("hello"))
    await Steps(registry, session=session).step()
    await session.aclose()
    fork = await store.fork(session.id, 1)
    steps = Steps(registry, session=fork)
    (catalog,) = await steps.step()
    assert entry_names(catalog) == ["first-skill"] and "update" not in catalog.data["source"]
    await fork.aclose()
