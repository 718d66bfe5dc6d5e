"""Reads who may invoke a skill. Never guesses: whatever is not plainly a permission makes the skill unavailable."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skills_core.document.field import DISABLE_MODEL, USER_INVOCABLE, Field, permission_key, permission_word
from skills_core.document.text import shown
from skills_core.document.yaml_reader import MappingNode, ScalarNode
from skills_core.skill import InvocationPolicy

if TYPE_CHECKING:
    from collections.abc import Mapping

    from skills_core.document.problems import ProblemList

_TRUE = frozenset({"true", "yes", "on", "1"})
_FALSE = frozenset({"false", "no", "off", "0"})
_OPPOSITES = frozenset({"modelinvocable", "modelinvocation"})


def read_invocation(fields: Mapping[str, Field], text: str, problems: ProblemList) -> InvocationPolicy:
    """The policy that ``fields`` state; a fault adds an error to ``problems``."""
    for key, field in fields.items():
        right = permission_key(key)
        if right is not None and key != right:
            _refuse_spelling(field, right, right in fields, problems)
        elif field.kind == "map" and type(field.node) is MappingNode:
            _look_inside(field, field.node, "<<" in fields, problems)
    disabled = _truth(fields.get(DISABLE_MODEL), text, problems, default=False)
    user = _truth(fields.get(USER_INVOCABLE), text, problems, default=True)
    return InvocationPolicy(model_invocable=not disabled, user_invocable=user)


def _truth(field: Field | None, text: str, problems: ProblemList, *, default: bool) -> bool:
    if field is None:
        return default
    word = field.text.strip().casefold()
    if field.kind == "text" and field.alias is None and not field.recovered and not _has_own_tag(field, text):
        if word in _TRUE:
            return True
        if word in _FALSE:
            return False
    if field.alias is not None:
        found = "an alias"
    elif field.kind != "text":
        found = f"a {field.kind}"
    else:
        found = f"`{shown(field.text, 40)}`" if word else "nothing"
    problems.add(
        "invocation.value",
        f"`{field.key}` must be true or false, found {found}.",
        at=field.at if field.alias is None else field.key_at,
        key=field.key,
    )
    return default


def _has_own_tag(field: Field, text: str) -> bool:
    return text.startswith("!", field.at) and not text.startswith(("!!bool ", "!!str ", "!!int "), field.at)


def _refuse_spelling(field: Field, right: str, given: bool, problems: ProblemList) -> None:
    hint = None
    if given:
        hint = f"Remove the line: `{right}` is given already."
    elif permission_word(field.key) in _OPPOSITES:
        hint = f"Write `{right}: true` to keep the model from using the skill, or remove the line."
    problems.add(
        "invocation.spelling",
        f"`{shown(field.key, 64)}` is no key for this; the key is `{right}`.",
        at=field.key_at,
        key=right,
        hint=hint,
    )


def _look_inside(field: Field, node: MappingNode, merged: bool, problems: ProblemList) -> None:
    for key_node, _ in node.value:
        right = permission_key(key_node.value) if type(key_node) is ScalarNode else None
        if right is None:
            continue
        offset = field.at - node.start_mark.index
        problems.add(
            "invocation.unreadable" if merged else "invocation.nested",
            f"`{shown(key_node.value, 64)}` inside `{shown(field.key, 40)}` has no effect.",
            at=offset + key_node.start_mark.index,
            key=right,
        )
