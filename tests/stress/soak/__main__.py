"""``scripts/soak [MINUTES]``: long runs one after the other, a table and a JSON report; 1 when something failed."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import json
import os
import platform
import random
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.stress.soak.part import Clock, Report, Task

TREE = Path(__file__).resolve().parents[3]
SHARES = {"roots": 0.4, "deaths": 0.2, "restarts": 0.2, "documents": 0.1, "day": 0.1}
"""The part of the whole time that each gets. A day is a day: it takes as long as it takes."""

GRACE = 600.0
"""Seconds over its time after which a part is said to hang, and is ended."""


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="scripts/soak", description="Run for long what must hold for ever.")
    parser.add_argument("minutes", nargs="?", type=float, default=10.0, help="about how long in all (10)")
    parser.add_argument("--only", action="append", choices=sorted(SHARES), help="only this part; may be repeated")
    parser.add_argument("--seed", type=int, help="where all chance comes from; the report names it")
    parser.add_argument("--json", type=Path, default=Path("build/soak.json"), help="where the report goes")
    parser.add_argument("--part", choices=sorted(SHARES), help=argparse.SUPPRESS)
    parser.add_argument("--seconds", type=float, default=10.0, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    seed: int = random.randrange(1 << 30) if options.seed is None else options.seed
    if options.part is not None:
        module = importlib.import_module(f"tests.stress.soak.{options.part}")
        report: Report = module.run(Task(options.seconds, options.folder, seed))
        (options.folder.parent / f"{options.part}.json").write_text(json.dumps(report.as_json()), encoding="utf-8")
        return 0
    wanted: list[str] = [part for part in SHARES if not options.only or part in options.only]
    whole = sum(SHARES[part] for part in wanted)
    reports: list[Report] = []
    with tempfile.TemporaryDirectory(prefix="skilldeck-soak-", ignore_cleanup_errors=True) as folder:
        for part in wanted:
            seconds = options.minutes * 60 * SHARES[part] / whole
            print(f"{part}: about {seconds:.0f} s", file=sys.stderr, flush=True)
            reports.append(run_part(part, seconds, seed, Path(folder)))
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps(as_json(reports, seed), indent=2) + "\n", encoding="utf-8")
    print(table(reports))
    print(f"\nreport: {options.json}", file=sys.stderr)
    return 0 if all(report.passed for report in reports) else 1


def run_part(part: str, seconds: float, seed: int, base: Path) -> Report:
    """Runs a part in a process group of its own, so that all that it started ends with it."""
    folder = base / part
    folder.mkdir()
    python = [*as_ordinary_user(), sys.executable]
    command = [*python, "-m", "tests.stress.soak", "--part", part, "--seconds", str(seconds)]
    clock = Clock(seconds)
    process = subprocess.Popen(
        [*command, "--seed", str(seed), "--folder", str(folder)],
        cwd=TREE,
        env={**os.environ, "TMPDIR": str(base)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        _, said = process.communicate(timeout=seconds + GRACE)
    except subprocess.TimeoutExpired:
        return Report(part, seed, clock.taken, {}, [f"it hung for {GRACE:.0f} s after its time"])
    finally:
        end_group(process)
    written = base / f"{part}.json"
    if not written.exists():
        return Report(part, seed, clock.taken, {}, [f"it ended with {process.returncode}: {said[-2000:]}"])
    report = Report.from_json(json.loads(written.read_text(encoding="utf-8")))
    # A task that nobody awaited, or a file that nobody closed, is told there.
    complaints = [line for line in said.splitlines() if "never retrieved" in line or "was destroyed" in line]
    report.failures += complaints[:5]
    return report


def as_ordinary_user() -> list[str]:
    """The command before a command that makes files without permission refuse root as they refuse everybody else.

    The user stays root, whose folders nobody else may enter; what goes are the capabilities to read and write
    whatever the modes say. Nothing for an ordinary user; nothing either where setpriv is not installed: then the
    report's "permissions refuse" says no.
    """
    setpriv = shutil.which("setpriv")
    if os.geteuid() != 0 or setpriv is None:
        return []
    return [setpriv, "--inh-caps=-all", "--bounding-set=-dac_override,-dac_read_search"]


def end_group(process: subprocess.Popen[str]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def as_json(reports: Sequence[Report], seed: int) -> dict[str, Any]:
    machine = {"system": platform.system(), "python": platform.python_version(), "cores": os.cpu_count()}
    return {
        "passed": all(report.passed for report in reports),
        "seed": seed,
        "machine": machine,
        "parts": [report.as_json() for report in reports],
    }


def table(reports: Sequence[Report]) -> str:
    lines: list[str] = []
    for report in reports:
        lines.append(f"{report.part:<10} {'held' if report.passed else 'FAILED':<7} {report.seconds:6.0f} s")
        for name, value in report.facts.items():
            lines.append(f"  {name:<30} {f'{value:,}' if isinstance(value, int) else value}")
        lines += [f"  FAILED: {failure}" for failure in report.failures]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
