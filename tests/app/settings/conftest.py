from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from app.settings.definition import Settings
from app.settings.loading import FlagValue, load_settings


@dataclass
class Places:
    """A folder for the user's settings and one for a project, and a way to load from them."""

    config: Path
    project: Path

    @property
    def user_file(self) -> Path:
        return self.config / "settings.toml"

    @property
    def project_file(self) -> Path:
        return self.project / ".skilldeck.toml"

    def load(self, *flags: tuple[str, object]) -> Settings:
        given = [FlagValue(key, value, f"--set {key}") for key, value in flags]
        return load_settings(str(self.project), str(self.project), given)


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Places:
    for name in list(os.environ):
        if name.startswith("SKILLDECK_"):
            monkeypatch.delenv(name)
    config, project = tmp_path / "config", tmp_path / "project"
    config.mkdir()
    project.mkdir()
    monkeypatch.setenv("SKILLDECK_CONFIG_DIR", str(config))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return Places(config, project)


Load = Callable[..., Settings]
