"""Baselines of the snapshot tests lie in the top-level folder ``snapshots``."""

from __future__ import annotations

from pathlib import Path

import pytest_textual_snapshot as plugin

ROOT = Path(__file__).resolve().parent.parent


class TopLevelSvg(plugin.SVGImageExtension):
    """One folder for each test file, by its name."""

    @classmethod
    def dirname(cls, *, test_location: object) -> str:
        return str(ROOT / "snapshots" / test_location.basename)  # type: ignore[attr-defined]


plugin.SVGImageExtension = TopLevelSvg
