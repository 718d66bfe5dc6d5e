"""One skill file's bytes → a document, or the problems that say what is wrong with it."""

from __future__ import annotations

from skills_core.document.model import (
    FILE_MAX_BYTES,
    FRONTMATTER_MAX_BYTES,
    HEAD_BYTES,
    DocumentReading,
    EntryName,
    MetadataValue,
    SkillDocument,
)
from skills_core.document.problems import PROBLEM_KINDS, ProblemKind
from skills_core.document.reader import read_document, read_whole
from skills_core.document.text import clean_text, shown

__all__ = [
    "FILE_MAX_BYTES",
    "FRONTMATTER_MAX_BYTES",
    "HEAD_BYTES",
    "PROBLEM_KINDS",
    "DocumentReading",
    "EntryName",
    "MetadataValue",
    "ProblemKind",
    "SkillDocument",
    "clean_text",
    "read_document",
    "read_whole",
    "shown",
]
