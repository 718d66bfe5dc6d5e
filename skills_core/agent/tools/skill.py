"""The tool by which a model loads a skill's instructions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from skills_core.access.policy import SkillAccess, model_may_use
from skills_core.agent.approval import ToolQuestion
from skills_core.agent.model import ToolSchema
from skills_core.agent.tool import ToolContext, ToolOutcome
from skills_core.invocation.content import render_skill_content
from skills_core.registry.errors import render_error
from skills_core.registry.lookup import Lookup
from skills_core.skill import SKILL_TOOL, SkillDefinition, base_facts, is_skill_name

if TYPE_CHECKING:
    from skills_core.registry.registry import SkillRegistry

_TITLE_NAME_LENGTH = 80
_SCHEMA = ToolSchema(
    SKILL_TOOL,
    "Load the full instructions for an available skill. Call this with the exact skill name from the session skill"
    " catalog before acting on a task that names or clearly matches that skill.",
    {
        "type": "object",
        "properties": {
            "name": {"type": "string", "description": "The exact skill name from the available skills list."},
        },
        "required": ["name"],
        "additionalProperties": False,
    },
)


class SkillTool:
    """Rereads and returns the current instructions of one skill of ``registry``.

    A skill that its file keeps from the model, that the person switched off, or whose project is not trusted is not
    available: that is checked before the provider is asked, and again on what it loaded.
    """

    read_only = True
    whole_result = True

    def __init__(self, registry: SkillRegistry, access: SkillAccess) -> None:
        self.registry = registry
        self._access = access

    @property
    def schema(self) -> ToolSchema:
        return _SCHEMA

    def title(self, arguments: Mapping[str, Any]) -> str:
        name = "".join(letter for letter in _written_name(arguments) if letter.isprintable())
        return f"Load skill {name[:_TITLE_NAME_LENGTH]}".rstrip()

    def question(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolQuestion | None:
        return None

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolOutcome:
        name = _written_name(arguments)
        if not is_skill_name(name) or not isinstance(arguments.get("name"), str):
            return _error(f'invalid skill name "{name}"')
        try:
            return await self._load(name, Lookup(cwd=context.cwd, scope=context.scope, fresh=True))
        except Exception as error:
            return _error(render_error(error))

    async def _load(self, name: str, lookup: Lookup) -> ToolOutcome:
        unknown = _error(f'skill "{name}" is unknown or no longer available')
        unavailable = _error(f'skill "{name}" is not available for model invocation')
        summary = (await self.registry.snapshot(lookup)).by_name.get(name)
        if summary is None:
            return unknown
        if not model_may_use(summary, self._access):
            return unavailable
        definition = await self.registry.get(name, Lookup(cwd=lookup.cwd, scope=lookup.scope))
        if definition is None:
            return unknown
        if not model_may_use(definition, self._access):
            return unavailable
        return ToolOutcome(text=render_skill_content(definition), details=_details(definition))


def _written_name(arguments: Mapping[str, Any]) -> str:
    """The name as the model gave it; anything that is not a string is shown as its JSON."""
    name = arguments.get("name", "")
    return name if isinstance(name, str) else json.dumps(name, ensure_ascii=False, default=str)


def _error(message: str) -> ToolOutcome:
    return ToolOutcome(text=f"Error: {message}", is_error=True)


def _details(definition: SkillDefinition) -> dict[str, Any]:
    return {
        "name": definition.name,
        "provider": definition.provider,
        "path": definition.path,
        "source": definition.source,
        "resource_base": base_facts(definition.resource_base),
    }
