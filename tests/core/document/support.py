"""Reads documents from text, as the tests need them."""

from __future__ import annotations

from typing import Literal

from skills_core.document import DocumentReading, EntryName, SkillDocument, read_document
from skills_core.problem import SkillProblem

DESCRIPTION = "description: Does it.\n"
NAME = "name: my-skill\n"


def entry(stem: str = "my-skill", kind: Literal["bundle", "flat"] = "bundle") -> EntryName:
    path = f"/skills/{stem}/SKILL.md" if kind == "bundle" else f"/skills/{stem}.md"
    return EntryName(path, stem, kind)


def read(file: str | bytes, stem: str = "my-skill", kind: Literal["bundle", "flat"] = "bundle") -> DocumentReading:
    data = file.encode() if isinstance(file, str) else file
    return read_document(data, entry(stem, kind))


def read_block(block: str, stem: str = "my-skill", kind: Literal["bundle", "flat"] = "bundle") -> DocumentReading:
    """Read a file whose frontmatter is ``block``."""
    return read("---\n" + block.rstrip("\n") + "\n---\nDo the work.\n", stem, kind)


def offered(reading: DocumentReading) -> SkillDocument:
    assert reading.document is not None, reading.problems
    return reading.document


def codes(reading: DocumentReading) -> list[str]:
    return [problem.code for problem in reading.problems]


def places(reading: DocumentReading) -> list[tuple[str, int | None, int | None]]:
    return [(problem.code, problem.line, problem.column) for problem in reading.problems]


def only(reading: DocumentReading) -> SkillProblem:
    assert len(reading.problems) == 1, reading.problems
    return reading.problems[0]
