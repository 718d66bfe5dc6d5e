"""Lists every pinned dependency with its licence, and checks the pins against what is installed.

With ``--vulnerabilities`` it also asks what is known of vulnerabilities in the pinned versions. The exit status is 1
when something is wrong, 2 when nothing is but there was not an answer about every package, else 0.
"""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import vulnerabilities

ROOT = Path(__file__).resolve().parent.parent
EXTRAS = ("test", "models", "lint")
INSTALLERS = frozenset({"pip", "setuptools", "wheel"})
"""What a virtual environment brings along."""

UNFIT = re.compile(r"\b(AGPL|GPL-|GPLv|GNU (Affero )?General Public)", re.IGNORECASE)
"""Licences that would bind this program's own users; the Lesser GPL does not."""


@dataclass(frozen=True, slots=True)
class Row:
    name: str
    version: str
    licence: str
    use: str


def main() -> int:
    parser = argparse.ArgumentParser(description="Licences, pins and known vulnerabilities of the dependencies.")
    parser.add_argument(
        "--vulnerabilities",
        action="store_true",
        help="also ask, by network, what is known of the pinned versions",
    )
    asks = bool(parser.parse_args().vulnerabilities)
    constraints = ROOT / "constraints.txt"
    pins = read_pins(constraints.read_text("utf-8"))
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
    print_table(rows)
    faults = [*pin_faults(pins, installed, wanted["all"]), *licence_faults(rows, installed)]
    print(f"\n{len(rows)} pinned, {len(wanted['run'])} of them needed to run.")
    complete = True
    if asks:
        findings = vulnerabilities.ask(constraints)
        faults += findings.known
        complete = findings.complete
        print(findings.sentence)
    else:
        print("Known vulnerabilities: not asked for; --vulnerabilities does.")
    for fault in faults:
        print(f"audit: {fault}", file=sys.stderr)
    if faults:
        return 1
    return 0 if complete else 2


def print_table(rows: Iterable[Row]) -> None:
    cells = [(row.name, row.version, row.use, row.licence) for row in rows]
    widths = [max(len(each[column]) for each in cells) for column in range(3)]
    for each in cells:
        print("  ".join([*(text.ljust(width) for text, width in zip(each, widths, strict=False)), each[3]]))


def licence_faults(rows: Iterable[Row], installed: dict[str, metadata.Distribution]) -> list[str]:
    faults: list[str] = []
    for row in rows:
        if UNFIT.search(row.licence):
            faults.append(f"{row.name}: its licence is {row.licence}")
        elif row.licence == "unknown" and row.name in installed:
            faults.append(f"{row.name}: its licence is not stated")
    return faults


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
    expression = facts.get_all("License-Expression")
    if expression:
        return expression[0]
    classified = [
        line.rpartition(" :: ")[2] for line in facts.get_all("Classifier") or () if line.startswith("License :: ")
    ]
    if classified:
        return ", ".join(classified)
    lines = "".join(facts.get_all("License") or ()).strip().splitlines()
    return lines[0][:60] if lines else "unknown"


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
