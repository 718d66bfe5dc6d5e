"""Each part of ``scripts/bench`` runs at its smallest size, prints its table and writes its numbers."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.bench import process_state
from tests.bench.__main__ import PARTS
from tests.bench.measure import Measure, median_and_95, percentile_95
from tests.bench.table import render_measures

ROOT = Path(__file__).resolve().parents[2]
UNITS = {"seconds", "share", "MiB", "count", "ratio"}
ROWS = {
    "session": ("opening a session of 500 events", "the first look for a catalog", "a list of 10 sessions"),
    "start": ("skilldeck --help", "skilldeck --version", "import skills_core", "start until the first frame"),
    "ui": ("key to popup painted", "page up or down", "a piece of a streamed reply"),
    "popup": ("edit to open popup", "new folder to open popup", "deletion to open popup"),
    "idle": (
        "motion on, of one core",
        "motion off, of one core",
        "list of skills open, of",
        "resident memory",
        "inotify instances",
        "threads",
    ),
}


def bench(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tests.bench", *arguments], cwd=ROOT, capture_output=True, text=True, timeout=110
    )


def written_by(part: str, folder: Path) -> tuple[Any, str]:
    """The part's numbers as written, and what was printed."""
    file = folder / "numbers" / "bench.json"
    run = bench(part, "--quick", "--json", str(file))
    assert run.returncode == 0, run.stderr
    found = json.loads(file.read_text(encoding="utf-8"))
    assert set(found) == {"machine", part} and found["machine"]["cores"] >= 1
    return found[part], run.stdout


def test_every_part_is_tested():
    assert set(ROWS) | {"core"} == set(PARTS)


@pytest.mark.pty
@pytest.mark.parametrize("part", ROWS)
def test_a_part_writes_each_of_its_rows(part: str, tmp_path: Path):
    if part == "idle" and not process_state.KNOWN:
        pytest.skip("only Linux tells what a process takes and holds")
    found, printed = written_by(part, tmp_path)
    for row in found:
        assert row["unit"] in UNITS and math.isfinite(row["value"]) and row["value"] >= 0, row
        assert row["what"] in printed
        assert ("target" in row) == ("met" in row), row
        if "target" in row:
            assert row["met"] is (row["value"] <= row["target"]), row
    for words in ROWS[part]:
        assert any(words in row["what"] for row in found), f"no row about {words!r}"


def test_the_core_writes_its_numbers_for_each_size(tmp_path: Path):
    found, printed = written_by("core", tmp_path)
    assert list(found) == ["10"]
    for key in ("first_discovery_ratio", "refresh_ratio", "quiet_step_ratio", "edit_seen_p95", "idle_share"):
        assert found["10"][key] > 0
    assert "first discovery" in printed


def test_help_names_every_part_and_another_name_is_refused():
    assert all(f"\n  {part} " in bench("--help").stdout for part in PARTS)
    refused = bench("speed")
    assert refused.returncode == 2 and "no such part: speed" in refused.stderr


def test_the_table_shows_value_target_and_what_stands_beside():
    table = render_measures(
        [
            Measure("fast", 0.005, target=0.005, beside=0.00002, beside_what="nothing at all"),
            Measure("slow", 1.5, target=1.0),
            Measure("large", 12.25, "MiB"),
            Measure("busy", 0.0125, "share", target=0.01),
        ]
    )
    assert table.splitlines() == [
        "       measured  at most          beside",
        "fast    5.00 ms  5.00 ms  met     20.0 µs nothing at all",
        "slow     1.50 s   1.00 s  missed",
        "large  12.2 MiB",
        "busy     1.25 %   1.00 %  missed",
    ]


@pytest.mark.parametrize(("count", "expected"), [(1, 1), (2, 2), (20, 19), (100, 95), (101, 96)])
def test_percentile_95(count: int, expected: int):
    assert percentile_95(list(range(count, 0, -1))) == expected


def test_median_and_95_have_targets_of_their_own():
    rows = median_and_95("it", [0.03, 0.01, 0.02], 0.015, 0.03)
    assert [(row.what, row.value, row.met) for row in rows] == [
        ("it, median", 0.02, False),
        ("it, 95th percentile", 0.03, True),
    ]
