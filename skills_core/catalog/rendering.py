"""The catalog as the model reads it."""

from __future__ import annotations

from collections.abc import Sequence

from skills_core.catalog.entry import CatalogEntry
from skills_core.escaping import escape_text

_FIRST_INTRODUCTION = (
    "A skill is a reusable set of task-specific instructions. The following skills are available in this session:"
)
_FIRST_GUIDANCE = (
    "If the user names a skill, or the task clearly matches a skill's description, call the `skill` tool with the"
    " exact skill name before taking task actions. Load all applicable skills, then follow their full instructions."
    " This catalog contains summaries only; do not infer or follow a skill's instructions until it has been loaded."
)
_UPDATE_INTRODUCTION = (
    "The available skills changed. This complete catalog replaces every earlier available-skills list in this session:"
)
_UPDATE_GUIDANCE = (
    "Use only the names listed here. Do not use names from earlier skill catalogs. If the user names a listed skill,"
    " or the task clearly matches its description, call the `skill` tool with the exact name before acting."
)
_EMPTY_GUIDANCE = (
    "No skills are currently available through the `skill` tool. Do not use names from earlier skill catalogs."
)
_INVOCATION_GUIDANCE = (
    "When the user invokes a skill directly, its <skill_content> block is already in this conversation:"
    " follow it without loading it again."
)


def render_entry(entry: CatalogEntry) -> str:
    """One line of the list, without its line end."""
    return f"- `{entry.name}`: {escape_text(entry.description)}"


def render_catalog(entries: Sequence[CatalogEntry], update: bool) -> str:
    """One text block; ``update`` for every catalog after the first. Without entries an update is a tombstone."""
    if not update:
        introduction, guidance = _FIRST_INTRODUCTION, _FIRST_GUIDANCE
    else:
        introduction, guidance = _UPDATE_INTRODUCTION, _UPDATE_GUIDANCE if entries else _EMPTY_GUIDANCE
    return "\n".join(
        (
            "<system-reminder>",
            introduction,
            "",
            "<available_skills>",
            *map(render_entry, entries),
            "</available_skills>",
            "",
            guidance,
            _INVOCATION_GUIDANCE,
            "</system-reminder>",
        )
    )
