"""What goes into the reading of a skill file, and what comes out of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from skills_core.problem import SkillProblem
from skills_core.skill import InvocationPolicy

FRONTMATTER_MAX_BYTES = 65536
"""The closing fence must lie within this many bytes of a file's start."""

FILE_MAX_BYTES = 1 << 20
"""A skill file of more bytes is refused."""

HEAD_BYTES = 4096
"""How much of a file to read first; nearly every frontmatter ends within it."""

DEPTH_MAX = 64
"""Collections nested deeper than this inside one key are not read."""

MetadataValue: TypeAlias = "str | tuple[MetadataValue, ...] | Mapping[str, MetadataValue]"
"""A value below ``metadata``: text as the author wrote it, or lists and maps of such text."""


@dataclass(frozen=True, slots=True)
class EntryName:
    """Where a document lies: its path for problems, and the name that its place gives it.

    ``stem`` is the bundle folder's name, or the flat file's name without ``.md``.
    """

    path: str
    stem: str
    kind: Literal["bundle", "flat"]


@dataclass(frozen=True, slots=True)
class SkillDocument:
    """The facts of one readable skill file.

    ``label`` is the written name when it is not the offered one; ``name_derived`` says that the offered name was
    made from the place or the written name, so that a validly written one of another entry goes first.
    """

    name: str
    label: str | None
    description: str
    when_to_use: str | None
    argument_hint: str | None
    invocation: InvocationPolicy
    metadata: Mapping[str, MetadataValue] | None
    name_derived: bool


@dataclass(frozen=True, slots=True)
class DocumentReading:
    """The outcome of reading one file.

    No ``document`` and some ``problems``: not offered. ``not_a_skill``: a flat file without a frontmatter, which is
    no problem either. ``looks_unfinished``: empty, without a closing fence, or broken off, as a file is while it is
    being written. ``needs_more``: the data was truncated before the frontmatter ended; read again with more bytes.
    """

    document: SkillDocument | None
    problems: tuple[SkillProblem, ...] = ()
    not_a_skill: bool = False
    looks_unfinished: bool = False
    needs_more: bool = False
