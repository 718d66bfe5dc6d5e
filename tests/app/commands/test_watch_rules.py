"""What `skilldeck watch` tells of a catalog that is not complete: nothing for a moment, the reason for longer."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from app.commands import watch
from app.output import Output
from app.settings.definition import Settings
from skills_core.registry import Lookup
from skills_core.registry.provider import ProviderListing
from tests.app.support import ShelfRuntime, skill


class Watching:
    """The command's own loop over a shelf, its lines, and how often the shelf was looked at."""

    def __init__(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(watch, "RETRY_SECONDS", 0.01)
        self.runtime = ShelfRuntime(tmp_path, Settings(), "/home/shop")
        self.looks = 0
        self._out = StringIO()
        listed = self.runtime.shelf.list

        async def counted(lookup: Lookup) -> ProviderListing:
            self.looks += 1
            return await listed(lookup)

        monkeypatch.setattr(self.runtime.shelf, "list", counted)

    async def __aenter__(self) -> Watching:
        context: Any = SimpleNamespace(arguments=SimpleNamespace(format="json"), output=Output(self._out, StringIO()))
        self._task = asyncio.create_task(watch._follow(self.runtime, context))  # type: ignore[arg-type]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        await self.runtime.aclose()

    @property
    def events(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self._out.getvalue().splitlines()]

    @property
    def kinds(self) -> list[str]:
        return [event["event"] for event in self.events]

    async def until(self, kind: str, count: int = 1) -> None:
        await self._wait(lambda: self.kinds.count(kind) >= count, f"{count} times {kind}")

    async def look_again(self, times: int = 5) -> None:
        wanted = self.looks + times
        await self._wait(lambda: self.looks >= wanted, f"{times} looks")

    async def _wait(self, holds: Callable[[], bool], what: str) -> None:
        try:
            async with asyncio.timeout(10):
                while not holds():
                    await asyncio.sleep(0.005)
        except TimeoutError:
            raise AssertionError(f"waited 10 s for {what}; told: {self.kinds}, looks: {self.looks}") from None


async def test_what_is_incomplete_for_a_moment_is_not_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "INCOMPLETE_SECONDS", 1_000.0)
    async with Watching(tmp_path, monkeypatch) as watching:
        await watching.until("problems")
        watching.runtime.shelf.put(skill("hem"), complete=False)
        await watching.look_again()
        watching.runtime.shelf.put(skill("hem"))
        await watching.until("catalog", 2)
        assert watching.kinds == ["catalog", "problems", "catalog"]


async def test_what_stays_incomplete_is_told_once_and_when_it_is_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "INCOMPLETE_SECONDS", 0.05)
    async with Watching(tmp_path, monkeypatch) as watching:
        await watching.until("problems")
        watching.runtime.shelf.put(complete=False, reason="a folder cannot be read")
        await watching.until("incomplete")
        await watching.look_again()
        watching.runtime.shelf.put()
        await watching.until("complete")
        assert watching.kinds == ["catalog", "problems", "incomplete", "complete"]
        assert "a folder cannot be read" in watching.events[2]["reason"]


async def test_it_looks_again_although_nothing_reports_a_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with Watching(tmp_path, monkeypatch) as watching:
        await watching.until("problems")
        shelf = watching.runtime.shelf
        shelf.put(skill("hem"), complete=False)
        await watching.look_again()
        shelf.listing = ProviderListing(candidates=(skill("hem"), skill("tie")))
        await watching.until("catalog", 2)
        assert [event["added"] for event in watching.events if event["event"] == "catalog"] == [[], ["hem", "tie"]]
