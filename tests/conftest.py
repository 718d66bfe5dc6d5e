"""Baselines of the snapshot tests lie in the top-level folder ``snapshots``; keys of one test are none in the next."""

from __future__ import annotations

from pathlib import Path

import pytest
import pytest_textual_snapshot as plugin

from skills_core.agent import secret_text

ROOT = Path(__file__).resolve().parent.parent


class TopLevelSvg(plugin.SVGImageExtension):
    """One folder for each test file, by its name."""

    @classmethod
    def dirname(cls, *, test_location: object) -> str:
        return str(ROOT / "snapshots" / test_location.basename)  # type: ignore[attr-defined]


plugin.SVGImageExtension = TopLevelSvg


@pytest.fixture(autouse=True)
def no_keys_of_other_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    """The end of a streamed text that may be the beginning of a key waits for what follows."""
    monkeypatch.setattr(secret_text, "_remembered", set())
