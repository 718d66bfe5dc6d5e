"""Folders for the tests of discovery."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.core.filesystem.support import Watcher, World


@pytest.fixture(autouse=True)
def no_homes_of_our_own(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DSH_HOME", "DSH_AGENTS_HOME", "DSH_BUNDLED_SKILL_DIR"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


@pytest.fixture
def watcher(world: World) -> Watcher:
    return Watcher(world)


@pytest.fixture
def unprivileged_world() -> Iterator[World]:
    """A world in which permissions hold: the effective user is nobody special while the test runs."""
    base = Path(tempfile.mkdtemp(prefix="skills-"))
    was = os.geteuid()
    try:
        if was == 0:
            os.chmod(base, 0o777)
            os.seteuid(65534)
        yield World(base)
    finally:
        if was == 0:
            os.seteuid(0)
        for folder, _, _ in os.walk(base):
            os.chmod(folder, 0o700)
        shutil.rmtree(base)
