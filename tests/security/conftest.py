from __future__ import annotations

from pathlib import Path

import pytest

from tests.security.support import Machine, clean_environment


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    clean_environment(tmp_path, monkeypatch.setenv, monkeypatch.delenv)
    return Machine(tmp_path)
