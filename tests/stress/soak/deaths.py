"""Writers of sessions are killed at any moment; what they acknowledged is there, and every session opens."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

from tests.core.session.test_killed import kill_many
from tests.stress.soak.part import Clock, Report, Task

TREE = Path(__file__).resolve().parents[3]
ROUNDS = 50


def run(task: Task) -> Report:
    clock = Clock(task.seconds)
    chance = random.Random(task.seed)
    report = Report("deaths", task.seed)
    killed = acknowledged = torn = 0
    writers = subprocess.Popen(
        [sys.executable, "-m", "tests.core.session.killed_writer"],
        cwd=TREE,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        while clock.left > 0 or killed == 0:
            folder = task.folder / str(killed)
            folder.mkdir()
            more, broken = kill_many(writers, folder, ROUNDS, chance.randrange(1 << 30))
            killed += ROUNDS
            acknowledged += more
            torn += broken
    # The helpers of the tests fail with pytest's own exception, which is no Exception.
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        report.failures.append(f"after {killed} deaths: {type(error).__name__}: {error}")
    finally:
        if writers.stdin is not None:
            writers.stdin.close()
        try:
            writers.wait(30)
        except subprocess.TimeoutExpired:
            writers.kill()
            writers.wait()
    if not report.failures and acknowledged < killed:
        report.failures.append(f"{killed} writers acknowledged only {acknowledged} events: nothing was tested")
    report.facts = {"kill -9": killed, "acknowledged events": acknowledged, "torn records met": torn}
    report.seconds = clock.taken
    return report
