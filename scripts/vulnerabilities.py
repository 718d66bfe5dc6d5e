"""What is known of vulnerabilities in the pinned versions, asked with pip-audit.

pip-audit is no dependency of this project: it is installed into an environment that is thrown away afterwards. It ends
well, and says that it knows of nothing, also when it got no answer about a single package; so its answers are counted.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

SECONDS = 300


@dataclass(frozen=True, slots=True)
class Findings:
    """``known`` are lines for a person, one a vulnerability; ``unanswered`` the packages that nothing was said of.

    ``failure`` says why nobody could be asked at all; it is empty when an answer came.
    """

    known: tuple[str, ...] = ()
    answered: int = 0
    unanswered: tuple[str, ...] = ()
    failure: str = ""

    @property
    def complete(self) -> bool:
        """Whether there is an answer for every package."""
        return not self.failure and not self.unanswered

    @property
    def sentence(self) -> str:
        """What was asked and answered, in full."""
        if self.failure:
            return f"Known vulnerabilities: not known. {self.failure}"
        asked = self.answered + len(self.unanswered)
        if not self.answered:
            return f"Known vulnerabilities: not known. The service has no record of any of the {asked} pins."
        said = f"Known vulnerabilities: {len(self.known)} in the {self.answered} pins that there is an answer for."
        if self.unanswered:
            said += f" No answer for {len(self.unanswered)}: {', '.join(self.unanswered)}."
        return said


def ask(constraints: Path) -> Findings:
    """Installs pip-audit, as the machine's own configuration says where from, and asks it about the pins."""
    with tempfile.TemporaryDirectory(prefix="audit-") as folder:
        python = Path(folder) / "bin" / "python"
        failure = _failure(
            [sys.executable, "-m", "venv", folder], "an environment for pip-audit could not be made"
        ) or _failure(
            [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "pip-audit"],
            "pip-audit could not be installed",
        )
        if failure:
            return Findings(failure=failure)
        command = [str(python), "-m", "pip_audit", "--requirement", str(constraints), "--no-deps", "--disable-pip"]
        try:
            done = _run([*command, "--format", "json", "--progress-spinner", "off"])
        except (OSError, subprocess.TimeoutExpired) as error:
            return Findings(failure=f"pip-audit did not end ({type(error).__name__}).")
    return read_answer(done.stdout, done.stderr)


def read_answer(text: str, errors: str = "") -> Findings:
    """What pip-audit printed as JSON; ``errors`` is what it printed beside that."""
    try:
        document = cast("dict[str, Any]", json.loads(text))
        packages = cast("list[dict[str, Any]]", document["dependencies"])
        known: list[str] = []
        unanswered: list[str] = []
        for package in packages:
            name = f"{package['name']} {package.get('version', '')}".strip()
            if "vulns" not in package:
                unanswered.append(str(package["name"]))
                continue
            for found in cast("list[dict[str, Any]]", package["vulns"]):
                mended = ", ".join(cast("list[str]", found.get("fix_versions") or [])) or "no version"
                known.append(f"{name}: {found['id']}, mended in {mended}")
    except (ValueError, KeyError, TypeError, AttributeError):
        lines = errors.strip().splitlines()
        return Findings(failure=f"pip-audit gave no answer ({lines[-1][:200] if lines else 'it said nothing'}).")
    return Findings(tuple(known), len(packages) - len(unanswered), tuple(unanswered))


def _failure(command: Sequence[str], what: str) -> str:
    try:
        done = _run(command)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{what[0].upper()}{what[1:]} ({type(error).__name__})."
    return "" if done.returncode == 0 else f"{what[0].upper()}{what[1:]}."


def _run(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
