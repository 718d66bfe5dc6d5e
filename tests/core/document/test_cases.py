"""Every entry of the shared cases that is a question of reading one file."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Any

import pytest

from skills_core.document import FILE_MAX_BYTES, PROBLEM_KINDS, EntryName, read_document, read_whole
from tests.cases_support import Case, check_entry, load_cases

DISCOVERY_CODES = {code for code, kind in PROBLEM_KINDS.items() if kind.found_by != "document"}
CASES = [(case, wanted) for case in load_cases() for wanted in case.entries]


def asks_discovery(wanted: dict[str, Any]) -> bool:
    """Whether the entry is refused, or not found at all, by the look at the folders and not at the text."""
    found = {diagnostic.get("code") for diagnostic in wanted["diagnostics"]}
    return not wanted["valid"] and (bool(found & DISCOVERY_CODES) or wanted["entry"].count("/") > 1)


@pytest.mark.parametrize(
    ("case", "wanted"),
    [
        pytest.param(case, wanted, id=f"{case.name}:{wanted['entry']!a}")
        for case, wanted in CASES
        if not asks_discovery(wanted)
    ],
)
def test_the_entry_reads_as_expected(case: Case, wanted: dict[str, Any], tmp_path: Path):
    path = case.build(tmp_path / "case") / wanted["entry"]
    if not stat.S_ISREG(path.stat().st_mode):
        assert not wanted["valid"]
        return
    bundle = "/" in wanted["entry"]
    entry = EntryName(str(path), path.parent.name if bundle else path.stem, "bundle" if bundle else "flat")
    size = path.stat().st_size
    with path.open("rb") as file:
        data = file.read(FILE_MAX_BYTES)
    if size > FILE_MAX_BYTES:
        reading = read_document(data[:4096], entry, truncated=True, file_size=size)
    else:
        reading, body = read_whole(data, entry)
        assert (reading.document is None) or (body == body.strip() and not body.startswith("---"))
    seen_here = {**wanted, "diagnostics": [d for d in wanted["diagnostics"] if d.get("code") not in DISCOVERY_CODES]}
    check_entry(case.name, seen_here, reading.document, reading.problems)


def test_most_cases_are_answered_here():
    assert len(CASES) > 80
    assert sum(not asks_discovery(wanted) for _, wanted in CASES) > 70
