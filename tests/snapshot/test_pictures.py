"""Pictures of each screen in light and dark, small and large. Look at a new one before it is kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.snapshot.pictures import SCENES, deck, too_small

SIZES = {"80x24": (80, 24), "120x40": (120, 40)}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("theme", ["dark", "light"])
@pytest.mark.parametrize("scene", SCENES)
def test_picture(snap_compare: Any, tmp_path: Path, scene: str, theme: str, size: str) -> None:
    made = deck(tmp_path, f"skilldeck-{theme}")

    async def act(pilot: Pilot[int]) -> None:
        await SCENES[scene](made, pilot)

    assert snap_compare(made.app, terminal_size=SIZES[size], run_before=act)


def test_too_small(snap_compare: Any, tmp_path: Path) -> None:
    made = deck(tmp_path, "skilldeck-dark")

    async def act(pilot: Pilot[int]) -> None:
        await too_small(made, pilot)

    assert snap_compare(made.app, terminal_size=(30, 8), run_before=act)
