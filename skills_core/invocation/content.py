"""The frame in which a skill's instructions reach the model.

What the frame guarantees: the name cannot leave its attribute and the resource lines cannot leave their element,
since both are escaped. The user's words are never put into it; they stay in the user's own message, as typed.

What it does not try: the body stays verbatim, because instructions that were rewritten would not be the ones that
their author tested. A body that contains ``</skill_content>`` therefore looks, as text, as if the frame ended there.
It gains nothing by it. The frame is not what separates messages: each injection is one event of the log and one
message of the request, with a source that says which skill it came from, and no part of a body becomes a message, a
role or a tool call of its own. What the model believes of a body's text is bounded by who may put one there: a
project's skills are loaded only when the project is trusted, and tools ask the person whatever a skill says.
"""

from __future__ import annotations

from skills_core.escaping import escape_attribute, escape_text
from skills_core.skill import DirectoryBase, OpaqueBase, SkillDefinition, UrlBase


def render_skill_content(definition: SkillDefinition) -> str:
    """One text block, lines joined by LF. Raises TypeError for a resource base of an unknown kind."""
    return "\n".join(
        (
            f'<skill_content name="{escape_attribute(definition.name)}">',
            "<skill_resources>",
            *_guidance(definition),
            "</skill_resources>",
            "",
            "<skill_instructions>",
            definition.content,
            "</skill_instructions>",
            "</skill_content>",
        )
    )


def _guidance(definition: SkillDefinition) -> tuple[str, str]:
    match definition.resource_base:
        case DirectoryBase(path):
            return (
                f"Base directory for this skill: {escape_text(path)}",
                "Resolve relative paths mentioned by this skill against the base directory before using them."
                " Load referenced resources only as needed.",
            )
        case UrlBase(url):
            return (
                f"Base URL for this skill: {escape_text(url)}",
                "Resolve relative URLs mentioned by this skill against the base URL before using them."
                " Load referenced resources only as needed.",
            )
        case OpaqueBase(description):
            first = f"Resources for this skill: {escape_text(description)}"
        case None:
            first = f'Resources for this skill are managed by provider "{escape_text(definition.provider)}".'
        case unknown:  # pyright: ignore[reportUnnecessaryComparison]
            raise TypeError(
                f'skill "{definition.name}" has a resource_base of an unknown kind: {type(unknown).__name__}'
            )
    return first, "Load referenced resources only as needed."
