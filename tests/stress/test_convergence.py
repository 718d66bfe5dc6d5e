"""Several processes change the roots at random: the catalog ends as the disk, and never held what the disk did not."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.stress.mutations import Manner
from tests.stress.run import judge, make_plans, roots_of, run_mutations


@pytest.mark.parametrize(
    ("manner", "pause", "steps", "least"),
    [("wild", 0.01, False, 1), ("bursts", 0.004, True, 5), ("bursts", 0.03, False, 1), ("gentle", 0.15, True, 5)],
    ids=["wild", "bursts", "bursts-by-the-watcher-alone", "gentle"],
)
async def test_a_short_random_run(tmp_path: Path, manner: Manner, pause: float, steps: bool, least: int):
    result = await run_mutations(tmp_path, random.randrange(1 << 30), 3.0, pause, manner, steps=steps)
    judge(result, roots_of(tmp_path), least)


def test_the_plans_give_each_process_a_root_of_its_own(tmp_path: Path):
    plans, _ = make_plans(tmp_path, 1, 1.0, 0.0, 5)
    assert len({plan.own_root for plan in plans}) == len(plans) == 6
    assert {plan.own_root for plan in plans} | {plans[0].shared_root} == set(roots_of(tmp_path, 5))
