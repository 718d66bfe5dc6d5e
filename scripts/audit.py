"""Lists every pinned dependency with its licence, and checks the pins against what is installed.

Known vulnerabilities are asked for with pip-audit where it is installed; it is no dependency of this project. The exit
status is 1 when something is wrong, and 0 when nothing is, which is also said of what could not be asked.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXTRAS = ("test", "models", "lint")
INSTALLERS = frozenset({"pip", "setuptools", "wheel"})
"""What a virtual environment brings along."""

UNFIT = re.compile(r"\b(AGPL|GPL-|GPLv|GNU (Affero )?General Public)", re.IGNORECASE)
"""Licences that would bind this program's own users; the Lesser GPL does not."""

AUDIT_SECONDS = 120


@dataclass(frozen=True, slots=True)
class Row:
    name: str
    version: str
    licence: str
    use: str


def main() -> int:
    pins = read_pins((ROOT / "constraints.txt").read_text("utf-8"))
    installed = {normal(each.name): each for each in metadata.distributions() if each.name}
    wanted = {"run": closure(requirements(()), installed), "all": closure(requirements(EXTRAS), installed)}
    rows = [
        Row(
            name,
            version,
            licence_of(installed[name]) if name in installed else "unknown",
            "run" if name in wanted["run"] else "test, models, lint",
        )
        for name, version in sorted(pins.items())
    ]
    widths = [max(len(getattr(row, field)) for row in rows) for field in ("name", "version", "use")]
    for row in rows:
        cells = zip((row.name, row.version, row.use), widths, strict=True)
        print("  ".join([*(text.ljust(width) for text, width in cells), row.licence]))
    faults = [
        *pin_faults(pins, installed, wanted["all"]),
        *(f"{row.name}: its licence is {row.licence}" for row in rows if UNFIT.search(row.licence)),
        *(
            f"{row.name}: its licence is not stated"
            for row in rows
            if row.licence == "unknown" and row.name in installed
        ),
    ]
    known, said = vulnerabilities()
    print(f"\n{len(rows)} pinned, {len(wanted['run'])} of them needed to run. {said}")
    for fault in (*faults, *known):
        print(f"audit: {fault}", file=sys.stderr)
    return 1 if faults or known else 0


def normal(name: str) -> str:
    """A project's name as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def read_pins(text: str) -> dict[str, str]:
    """``name==version`` lines by name. Raises ValueError for a line that is anything else."""
    pins: dict[str, str] = {}
    for line in text.splitlines():
        line = line.partition("#")[0].strip()
        if not line:
            continue
        match = re.fullmatch(r"([A-Za-z0-9._-]+)==([^\s;,]+)", line)
        if match is None:
            raise ValueError(f"constraints.txt: not an exact pin: {line}")
        if normal(match[1]) in pins:
            raise ValueError(f"constraints.txt: pinned twice: {match[1]}")
        pins[normal(match[1])] = match[2]
    return pins


def requirements(extras: Iterable[str]) -> list[str]:
    """What the project itself requires, with the given extras and what builds it."""
    document = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    project = document["project"]
    found = list(project["dependencies"])
    for extra in extras:
        found += project["optional-dependencies"][extra]
    return [*found, *document["build-system"]["requires"]] if extras else found


def closure(names: Iterable[str], installed: dict[str, metadata.Distribution]) -> set[str]:
    """Everything that the requirements lead to in this environment, by name."""
    found: set[str] = set()
    pending = list(names)
    done: set[tuple[str, str]] = set()
    while pending:
        name, extras = _parsed(pending.pop())
        for extra in ("", *extras):
            if (name, extra) in done:
                continue
            done.add((name, extra))
            found.add(name)
            distribution = installed.get(name)
            if distribution is not None:
                pending += [each for each in distribution.requires or () if _applies(each, extra)]
    return found


def pin_faults(pins: dict[str, str], installed: dict[str, metadata.Distribution], wanted: set[str]) -> list[str]:
    """Where the pins, what is installed and what is wanted differ."""
    faults = [f"{name}: installed but not pinned" for name in sorted(wanted & installed.keys() - pins.keys())]
    for name, version in sorted(pins.items()):
        if name not in installed:
            faults.append(f"{name}: pinned but not installed")
        elif installed[name].version != version:
            faults.append(f"{name}: pinned to {version}, but {installed[name].version} is installed")
    unknown = installed.keys() - wanted - pins.keys() - INSTALLERS - {"skilldeck", "editables"}
    return [*faults, *(f"{name}: installed, but nothing asks for it" for name in sorted(unknown))]


def licence_of(distribution: metadata.Distribution) -> str:
    """The licence in few words: the expression, else the classifiers, else the first line of the field."""
    facts = distribution.metadata
    expression = facts.get("License-Expression")
    if expression:
        return expression
    classified = [
        line.rpartition(" :: ")[2] for line in facts.get_all("Classifier") or () if line.startswith("License :: ")
    ]
    if classified:
        return ", ".join(classified)
    lines = (facts.get("License") or "").strip().splitlines()
    return lines[0][:60] if lines else "unknown"


def vulnerabilities() -> tuple[list[str], str]:
    """What pip-audit knows of the pinned versions, and a sentence about the asking."""
    program = shutil.which("pip-audit", path=str(Path(sys.executable).parent)) or shutil.which("pip-audit")
    if program is None:
        return [], "Known vulnerabilities were not asked for: pip-audit is not installed."
    words = [program, "--requirement", str(ROOT / "constraints.txt"), "--no-deps", "--disable-pip"]
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=AUDIT_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return [], "Known vulnerabilities could not be asked for: pip-audit did not answer."
    if done.returncode == 0:
        return [], "pip-audit knows no vulnerability in them."
    if "vulnerabilit" in done.stdout + done.stderr and "Found " in done.stdout + done.stderr:
        return done.stdout.strip().splitlines(), "pip-audit found vulnerabilities."
    return [], "Known vulnerabilities could not be asked for: the index did not answer."


def _parsed(requirement: str) -> tuple[str, tuple[str, ...]]:
    match = re.match(r"\s*([A-Za-z0-9._-]+)\s*(?:\[([^\]]*)\])?", requirement)
    assert match is not None, requirement
    return normal(match[1]), tuple(extra.strip() for extra in (match[2] or "").split(",") if extra.strip())


def _applies(requirement: str, extra: str) -> bool:
    """Whether a requirement of a distribution counts for the extra (none: ``""``) in this environment."""
    from packaging.requirements import Requirement

    marker = Requirement(requirement).marker
    if marker is None:
        return extra == ""
    return marker.evaluate({"extra": extra}) and (extra == "" or not marker.evaluate({"extra": ""}))


if __name__ == "__main__":
    sys.exit(main())
