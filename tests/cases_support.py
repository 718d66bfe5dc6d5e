"""The cases under ``tests/cases``: what should come of each entry, and the comparison with what came."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skills_core.problem import SkillProblem

CASES = Path(__file__).resolve().parent / "cases"


@dataclass(frozen=True)
class Case:
    """One folder of ``tests/cases``."""

    name: str
    folder: Path
    expected: Mapping[str, Any]

    @property
    def entries(self) -> Sequence[Mapping[str, Any]]:
        """What is expected of each entry."""
        return self.expected.get("skills", ())

    def build(self, into: Path) -> Path:
        """Copy the case to ``into``, which must not exist, run its build steps, and return the skills root."""
        shutil.copytree(self.folder, into, symlinks=True)
        for step in self.expected.get("build", ()):
            path = into / step["path"]
            path.parent.mkdir(parents=True, exist_ok=True)
            match step["op"]:
                case "write":
                    path.write_bytes(step["text"].encode())
                case "write_repeat":
                    path.write_bytes((step["head"] + step["unit"] * step["count"] + step["tail"]).encode())
                case "symlink":
                    path.symlink_to(step["target"])
                case "mkfifo":
                    os.mkfifo(path)
                case "mkdir":
                    path.mkdir()
                case "truncate":
                    os.truncate(path, step["size"])
                case other:
                    raise ValueError(f"{self.name}: unknown build step {other}")
        return into / self.expected["root"]


def load_cases() -> Iterator[Case]:
    """All cases, in order of their names."""
    for folder in sorted(CASES.iterdir()):
        expected = folder / "expected.json"
        if expected.is_file():
            yield Case(folder.name, folder, json.loads(expected.read_text(encoding="utf-8")))


def check_entry(case: str, expected: Mapping[str, Any], document: Any, problems: Sequence[SkillProblem]) -> None:
    """Raise AssertionError, saying all that differs, unless ``document`` and ``problems`` are as ``expected``.

    ``document`` is what is offered for the entry (anything with ``name``, ``description`` and ``invocation``), or None.
    """
    found: list[str] = []
    if expected["valid"] and document is None:
        found.append("should be offered and is not")
    elif not expected["valid"] and document is not None:
        found.append(f"should not be offered, and is, as {document.name}")
    if expected["valid"] and document is not None:
        found += _document_differences(expected, document)
    found += [f"lacks {wanted}" for wanted in expected.get("diagnostics", ()) if not _has(problems, wanted)]
    assert not found, (
        f"{case}, {expected['entry']}: " + "; ".join(found) + "\nproblems: " + "\n  ".join(map(str, problems))
    )


def _document_differences(expected: Mapping[str, Any], document: Any) -> Iterator[str]:
    description = " ".join(document.description.split())
    pairs = {
        "name": document.name,
        "description": description,
        "model_invocable": document.invocation.model_invocable,
        "user_invocable": document.invocation.user_invocable,
    }
    defaults = {"model_invocable": True, "user_invocable": True}
    for key, value in pairs.items():
        wanted = expected.get(key, defaults.get(key))
        if wanted is not None and wanted != value:
            yield f"{key} is {value!r} instead of {wanted!r}"
    if not description.startswith(expected.get("description_prefix", "")):
        yield f"description begins with {description[:40]!r}"
    for part in expected.get("description_must_not_contain", ()):
        if part in document.description:
            yield f"description contains {part!r}"


def _has(problems: Sequence[SkillProblem], wanted: Mapping[str, Any]) -> bool:
    return any(
        problem.severity == wanted["level"]
        and problem.code == wanted.get("code", problem.code)
        and problem.line == wanted.get("line", problem.line)
        and problem.column == wanted.get("column", problem.column)
        and bool(problem.message)
        and bool(problem.hint)
        for problem in problems
    )
