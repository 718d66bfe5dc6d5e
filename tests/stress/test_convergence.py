"""Several processes change the roots at random: the catalog ends as the disk, and never held what the disk did not."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from tests.stress.mutations import Manner
from tests.stress.run import judge, make_plans, run_mutations

SOAK_SECONDS = float(os.environ.get("SKILLDECK_SOAK_SECONDS", "240"))


def roots_of(base: Path, processes: int = 3) -> list[str]:
    """The roots in the order of their ranks, without making them."""
    project = base / "project"
    own = [base / f"custom-{number}" for number in range(max(0, processes - 2))]
    return [
        str(project / ".dsh" / "skills"),
        str(project / ".agents" / "skills"),
        *(str(root) for root in own),
        str(base / "dsh" / "skills"),
        str(base / "agents" / "skills"),
    ]


@pytest.mark.parametrize(
    ("manner", "pause", "steps", "least"),
    [("wild", 0.01, False, 1), ("bursts", 0.004, True, 5), ("bursts", 0.03, False, 1), ("gentle", 0.15, True, 5)],
    ids=["wild", "bursts", "bursts-by-the-watcher-alone", "gentle"],
)
async def test_a_short_random_run(tmp_path: Path, manner: Manner, pause: float, steps: bool, least: int):
    result = await run_mutations(tmp_path, random.randrange(1 << 30), 3.0, pause, manner, steps=steps)
    judge(result, roots_of(tmp_path), least)


@pytest.mark.soak
@pytest.mark.timeout(SOAK_SECONDS + 300)
@pytest.mark.parametrize("pause", [0.0, 0.02, 0.2])
@pytest.mark.parametrize("manner", ["wild", "bursts", "gentle"])
@pytest.mark.parametrize("steps", [True, False], ids=["steps", "watcher-alone"])
async def test_a_long_random_run(tmp_path: Path, manner: Manner, pause: float, steps: bool):
    seed = random.randrange(1 << 30)
    result = await run_mutations(tmp_path, seed, SOAK_SECONDS / 18, pause, manner, processes=5, steps=steps)
    judge(result, roots_of(tmp_path, 5), least=1)


def test_the_plans_give_each_process_a_root_of_its_own(tmp_path: Path):
    plans, _ = make_plans(tmp_path, 1, 1.0, 0.0, 5)
    assert len({plan.own_root for plan in plans}) == len(plans) == 6
    assert {plan.own_root for plan in plans} | {plans[0].shared_root} == set(roots_of(tmp_path, 5))
