"""The collector runs seldom while much is read, and as before when that is over."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from skills_core.filesystem import collecting, reading
from skills_core.filesystem.collecting import collected_seldom
from tests.core.filesystem.support import Watcher, World, names, write_skill


@pytest.fixture(autouse=True)
def threshold() -> Iterator[tuple[int, int, int]]:
    kept = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    yield (700, 10, 10)
    gc.set_threshold(*kept)


def test_it_is_restored_when_the_last_one_is_through(threshold: tuple[int, int, int]):
    with pytest.raises(OSError, match="disk"), collected_seldom():
        with collected_seldom():
            assert gc.get_threshold() == (collecting._SELDOM, 10, 10) and gc.isenabled()
        assert gc.get_threshold() == (collecting._SELDOM, 10, 10)
        raise OSError("disk")
    assert gc.get_threshold() == threshold


@pytest.mark.parametrize("own", [(0, 10, 10), (100_000, 5, 5)])
def test_a_collector_that_runs_as_seldom_or_never_is_left_alone(own: tuple[int, int, int]):
    gc.set_threshold(*own)
    with collected_seldom():
        assert gc.get_threshold() == own
    assert gc.get_threshold() == own


def test_what_somebody_else_sets_meanwhile_stays():
    with collected_seldom():
        gc.set_threshold(900, 9, 9)
    assert gc.get_threshold() == (900, 9, 9)


def test_a_large_discovery_collects_seldom_and_a_small_one_does_not(
    world: World, watcher: Watcher, monkeypatch: pytest.MonkeyPatch, threshold: tuple[int, int, int]
):
    seen: list[int] = []
    really = reading._read_entry

    def read_entry(*arguments: object) -> bool:
        seen.append(gc.get_threshold()[0])
        return really(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(reading, "_read_entry", read_entry)
    write_skill(world.project_agents, "knots")
    watcher.look()
    assert set(seen) == {700}
    seen.clear()
    monkeypatch.setattr(reading, "_MANY", 2)
    write_skill(world.project_agents, "ropes")
    write_skill(world.project_agents, "sails")
    watcher.time.go_on(60)
    assert names(watcher.look().listing) == ["knots", "ropes", "sails"]
    assert set(seen) == {collecting._SELDOM}
    assert gc.get_threshold() == threshold
