"""What the program does less of while nobody looks, and takes up again at once."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from app.main import SkilldeckApp
from app.options import ScreenOptions
from app.runtime import Runtime
from app.settings.definition import Settings
from app.widgets import composer
from skills_core.filesystem.provider import FilesystemProvider
from tests.app.support import Deck


async def test_the_caret_rests_when_nobody_writes_and_blinks_again_with_the_next_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deck = Deck(tmp_path)
    async with deck.app.run_test(size=(100, 30)) as pilot:
        await deck.ready()
        draft = deck.chat.composer
        draft.cursor_blink = True
        for _ in range(composer.BLINKS + 5):
            draft._toggle_cursor_blink_visible()
        assert draft._cursor_visible, "it stays on"
        assert not draft.blink_timer._active.is_set()
        await pilot.press("x")
        assert draft.blink_timer._active.is_set()
        draft._toggle_cursor_blink_visible()
        assert not draft._cursor_visible


async def test_the_disk_is_followed_closely_while_skills_are_in_sight(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[bool] = []
    watch_closely = FilesystemProvider.watch_closely

    def note(self: FilesystemProvider, closely: bool) -> None:
        asked.append(closely)
        watch_closely(self, closely)

    monkeypatch.setattr(FilesystemProvider, "watch_closely", note)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("SKILLDECK_STATE_DIR", str(tmp_path / "state"))
    project = tmp_path / "shop"
    project.mkdir()
    settings = Settings()
    options = ScreenOptions(settings=settings, cwd=str(project))
    app = SkilldeckApp(options, lambda: Runtime.open(settings, str(project)))

    async def until_asked(closely: bool, what: str) -> None:
        async with asyncio.timeout(10):
            while not asked or asked[-1] is not closely:
                await asyncio.sleep(0.01)
        assert asked[-1] is closely, what

    async with app.run_test(size=(100, 30)) as pilot:
        await until_asked(False, "nothing is in sight at the start")
        await pilot.press("/")
        await until_asked(True, "the popup is open")
        await pilot.press("escape")
        await until_asked(False, "it is closed")
        await pilot.press("f6")
        await until_asked(True, "the pane is open")
        await pilot.press("f6")
        await until_asked(False, "it is closed")
