"""The parts of ``scripts/soak``, each for a moment: they hold here, and each notices the fault that it looks for."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from skills_core.session import Surface
from tests.stress.soak import day, restarts
from tests.stress.soak.__main__ import TREE
from tests.stress.soak.in_use import in_use
from tests.stress.soak.part import Report, Task
from tests.stress.soak.resources import Held, held_now


def soak(tmp_path: Path, *arguments: str, timeout: float = 110) -> tuple[int, dict[str, object], str]:
    report = tmp_path / "report.json"
    done = subprocess.run(
        [sys.executable, "-m", "tests.stress.soak", *arguments, "--seed", "7", "--json", str(report)],
        cwd=TREE,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    assert report.exists(), done.stderr
    return done.returncode, json.loads(report.read_text()), done.stdout


def test_the_short_parts_hold_and_are_reported(tmp_path: Path):
    only = [word for part in ("deaths", "restarts", "documents") for word in ("--only", part)]
    status, report, table = soak(tmp_path, "0.1", *only)
    assert status == 0, table
    assert report["passed"] is True and report["seed"] == 7
    parts = {part["part"]: part["facts"] for part in report["parts"]}  # type: ignore[index,union-attr]
    assert list(parts) == ["deaths", "restarts", "documents"]
    assert parts["deaths"]["kill -9"] >= 50
    assert parts["restarts"]["core rounds"] >= 5 and parts["restarts"]["screen rounds"] >= 5
    assert parts["documents"]["files"] > 100
    assert "FAILED" not in table and "kill -9" in table


@pytest.mark.skipif(os.geteuid() == 0 and shutil.which("setpriv") is None, reason="root is refused nothing here")
def test_the_mutations_of_the_roots_meet_permissions_that_refuse(tmp_path: Path):
    status, report, table = soak(tmp_path, "0.05", "--only", "roots")
    assert status == 0, table
    (part,) = report["parts"]  # type: ignore[misc]
    assert part["facts"]["permissions refuse"] == "yes"


def test_a_day_is_the_same_when_it_is_read_again(tmp_path: Path):
    report = day.run(Task(1.0, tmp_path, 1), events=3_000, days=2)
    assert report.failures == []


def test_a_surface_that_grows_differently_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    take = Surface.take
    calls = 0

    def forgetful(self: Surface, event: object) -> None:
        nonlocal calls
        calls += 1
        if calls != 701:
            take(self, event)  # type: ignore[arg-type]

    monkeypatch.setattr(Surface, "take", forgetful)
    report = day.run(Task(1.0, tmp_path, 1), events=1_000, days=1)
    assert "the visible events differ after reading" in report.failures


def test_what_a_day_leaves_in_memory_is_noticed():
    before = in_use()
    assert in_use().growth_since(before) == []
    small = [str(number) for number in range(100_000)]
    assert [growth.partition(":")[0] for growth in in_use().growth_since(before)] == ["memory"], len(small)
    del small
    large = bytes(40 << 20)
    after = in_use()
    assert after.large_mib is None or len(after.growth_since(before)) == 1, len(large)


async def test_what_stays_open_is_noticed(tmp_path: Path):
    before = held_now(Held)
    kept = asyncio.create_task(asyncio.sleep(60), name="left-behind")
    file = (tmp_path / "left-open").open("w")
    await asyncio.sleep(0)
    after = held_now(Held)
    kept.cancel()
    file.close()
    leaks = after.leaks_since(before, 3)
    assert [leak.partition(":")[0] for leak in leaks] == ["files", "tasks", "objects"], leaks


async def test_a_round_that_forgets_to_close_fails_the_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for variable in ("HOME", "SKILLDECK_STATE_DIR"):
        monkeypatch.setenv(variable, str(tmp_path))
    shop = restarts.Shop(tmp_path)
    report = Report("restarts")
    open_ones = []

    async def forgetful(shop: restarts.Shop, number: int) -> None:
        from app.runtime import Runtime

        runtime = await Runtime.open(shop.settings, str(shop.project))
        await runtime.settled()
        open_ones.append(runtime)

    await restarts.repeat(forgetful, shop, 0.1, report, "core")
    for runtime in open_ones:
        await runtime.aclose()
    assert any("inotify" in failure for failure in report.failures), report.failures
