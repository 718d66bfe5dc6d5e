"""Made and mutated skill files go through the reader (``scripts/fuzz-documents``)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.stress.soak.part import Clock, Report, Task

TREE = Path(__file__).resolve().parents[3]


def run(task: Task) -> Report:
    clock = Clock(task.seconds)
    report = Report("documents", task.seed)
    seconds = max(task.seconds, 2.0)
    done = subprocess.run(
        [sys.executable, str(TREE / "scripts/fuzz-documents"), f"{seconds:.0f}"],
        cwd=task.folder,
        capture_output=True,
        text=True,
        timeout=seconds + 300,
        check=False,
    )
    lines = done.stdout.strip().splitlines()
    if done.returncode != 0:
        kept = sorted(path.read_bytes()[:2000] for path in task.folder.glob("fuzz-*.md"))[:5]
        report.failures.append("\n".join([*lines[-12:], done.stderr[-2000:], *map(repr, kept)]).strip())
    files = next((line.split()[0].replace(",", "") for line in lines if line.split()[1:] == ["files"]), "0")
    report.facts = {"files": int(files), "outcome": lines[-1] if lines else ""}
    report.seconds = clock.taken
    return report
