"""A copy of the tree in which one fault at a time is tried."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.faults.catalogue import CHECKOUT, Fault

_COPIED = (
    "app",
    "skills_core",
    "tests",
    "tcss",
    "snapshots",
    "scripts",
    "pyproject.toml",
    "README.md",
    "constraints.txt",
)
_RUN_SECONDS = 300
_ALL_SECONDS = 1_800
_TEST_SECONDS = 100
_MESSAGE_CHARACTERS = 1_000
_BROKEN = (
    "SyntaxError",
    "ImportError",
    "ModuleNotFoundError",
    "NameError",
    "UnboundLocalError",
    "IndentationError",
    "TypeError",
    "AttributeError",
    "Failed: Timeout",
    "fixture ",
)
"""Failures that show a program that does not run, and not a test that sees the fault."""

_BROKEN_INSIDE = re.compile(rf"unexpectedly \((?:{'|'.join(name for name in _BROKEN if name.endswith('Error'))})\)")
"""The same, where the program told it as a failure of its own."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """``killed_by`` is the first test that failed for the fault, and ``message`` how.

    None when no test did; ``why`` then says what happened.
    """

    fault: Fault
    killed_by: str | None
    message: str
    why: str
    seconds: float


class TreeCopy:
    """The tree without what tools leave behind, in ``folder``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in _COPIED:
            source = CHECKOUT / name
            if source.is_dir():
                shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy2(source, folder / name)

    def run(self, tests: Sequence[str], seconds: float = _RUN_SECONDS) -> tuple[list[tuple[str, str]], str]:
        """The tests that failed, each with the message of its failure; and what went wrong outside of any test."""
        report = self.folder / "report.xml"
        report.unlink(missing_ok=True)
        command = [sys.executable, "-B", "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
        command += ["--timeout", str(_TEST_SECONDS), f"--junitxml={report}", "-m", "not packaging", *tests]
        environment = {**os.environ, "PYTHONPATH": str(self.folder), "PYTHONDONTWRITEBYTECODE": "1"}
        try:
            done = subprocess.run(
                command, cwd=self.folder, env=environment, capture_output=True, text=True, timeout=seconds
            )
        except subprocess.TimeoutExpired:
            return [], f"the run did not end within {seconds:g} s"
        if not report.exists():
            return [], (done.stdout + done.stderr).strip()[-400:]
        failed, broken = _outcome(report)
        if not failed and not broken and done.returncode not in (0, 1):
            broken = done.stdout.strip()[-400:]
        return failed, broken

    def all_pass(self, faults: Sequence[Fault]) -> str:
        """Runs the tests of all faults without any of them; says what fails, and nothing when none does."""
        failed, broken = self.run(sorted({test for fault in faults for test in fault.tests}), _ALL_SECONDS)
        return " ".join(failed[0]) if failed else broken

    def try_out(self, fault: Fault) -> Verdict:
        """Puts the fault in, runs its tests, and takes it out again."""
        started = time.monotonic()
        originals: dict[Path, str] = {}
        try:
            for edit in fault.edits:
                path = self.folder / edit.file
                before = path.read_text(encoding="utf-8")
                originals.setdefault(path, before)
                after = edit.applied(before)
                if path.suffix == ".py":
                    compile(after, edit.file, "exec")
                path.write_text(after, encoding="utf-8")
            failed, broken = self.run(fault.tests)
        except (ValueError, SyntaxError) as error:
            failed, broken = [], str(error)
        finally:
            for path, before in originals.items():
                path.write_text(before, encoding="utf-8")
        seconds = time.monotonic() - started
        for name, message in failed:
            if not message.startswith(_BROKEN) and not _BROKEN_INSIDE.search(message):
                return Verdict(fault, name, message[:_MESSAGE_CHARACTERS], "", seconds)
        return Verdict(fault, None, "", broken or (failed[0][1] if failed else "no test failed"), seconds)


def _outcome(report: Path) -> tuple[list[tuple[str, str]], str]:
    failed: list[tuple[str, str]] = []
    broken = ""
    for case in ElementTree.parse(report).iter("testcase"):
        name = f"{case.get('classname', '').replace('.', '/')}.py::{case.get('name', '')}"
        failure, error = case.find("failure"), case.find("error")
        if failure is not None:
            failed.append((name, (failure.get("message") or "").strip()))
        elif error is not None:
            # The end of a test is part of it: a task or a handle that is left shows only there.
            message = (error.get("message") or "").strip()
            if "teardown" in message:
                failed.append((name, message))
            else:
                broken = broken or f"{name}: {message}"
    return failed, broken
