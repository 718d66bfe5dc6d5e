"""Processes change the skill roots at random while a registry watches and steps look afresh."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

from tests.stress.mutations import Manner
from tests.stress.run import clean, judge, roots_of, run_mutations
from tests.stress.soak.part import Clock, Report, Task

PROCESSES = 5
RUN_SECONDS = 15.0
MANNERS: tuple[tuple[Manner, float], ...] = (
    ("wild", 0.0),
    ("bursts", 0.004),
    ("gentle", 0.15),
    ("wild", 0.02),
    ("bursts", 0.03),
)


def run(task: Task) -> Report:
    clock = Clock(task.seconds)
    chance = random.Random(task.seed)
    report = Report("roots", task.seed)
    runs = steps = catalogs = changes = 0
    slowest = 0.0
    while clock.left > 0 or runs == 0:
        manner, pause = MANNERS[runs % len(MANNERS)]
        stepped = runs % 4 != 3
        base = task.folder / f"run-{runs}"
        base.mkdir()
        seed = chance.randrange(1 << 30)
        seconds = max(min(RUN_SECONDS, clock.left), 2.0)
        try:
            result = asyncio.run(run_mutations(base, seed, seconds, pause, manner, PROCESSES, stepped))
            judge(result, roots_of(base, PROCESSES), least=1)
        except (AssertionError, Exception) as error:
            report.failures.append(f"{manner}, pause {pause}, seed {seed}: {type(error).__name__}: {error}")
        else:
            steps += result.asked
            catalogs += len(result.observations)
            changes += result.history.count
            slowest = max(slowest, result.converged_after)
        runs += 1
        clean(base)
    report.facts = {
        "runs": runs,
        "looks": steps,
        "complete catalogs": catalogs,
        "changes of the disk": changes,
        "slowest convergence, s": round(slowest, 3),
        "permissions refuse": "yes" if permissions_refuse(task.folder) else "no: only what is not about them was tried",
    }
    report.seconds = clock.taken
    return report


def permissions_refuse(folder: Path) -> bool:
    """Whether a file without permissions cannot be read by this process: never so for a root with all capabilities."""
    locked = folder / "locked"
    locked.touch()
    locked.chmod(0)
    try:
        locked.read_bytes()
    except PermissionError:
        return True
    else:
        return False
    finally:
        locked.unlink()
