"""What the offline model says to each kind of turn, and which skill it loads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from skills_core.agent.model import ModelRequest
from skills_core.agent.models.offline.conversation import LoadedSkill, Turn, read_skill_content, read_turn
from skills_core.agent.models.offline.decision import NEAREST_SHOWN, Decision, decide
from skills_core.agent.models.offline.index import Route, unknown_names
from skills_core.agent.models.offline.outline import outline
from skills_core.catalog.difference import catalog_difference
from skills_core.catalog.entry import CatalogEntry
from skills_core.invocation.nearest import nearest_names
from skills_core.session.message import ToolResultMessage
from skills_core.skill import SKILL_TOOL

_LISTED = 40
_GREETED_WITH = 5
_CHANGES_SHOWN = 6
_WORDS_SHOWN = 5
_RESULT_SHOWN = 400

_WHAT_I_AM = (
    "I am the offline model: I match your words with the skills' descriptions and load the skill that fits."
    " I do not carry out its instructions; set another model with --model for that."
)
_NO_SKILLS = (
    "There are no skills that I can load here. A skill is a file such as .agents/skills/NAME/SKILL.md with a name and"
    " a description; it is found as soon as it is saved."
)


@dataclass(frozen=True, slots=True)
class Answer:
    """The reply's text, and the name of the skill to load, if any."""

    text: str
    load: str | None = None


def answer(request: ModelRequest) -> Answer:
    """The reply to a request. Takes time with the number of skills the first time it meets a catalog."""
    turn = read_turn(request)
    can_load = any(tool.name == SKILL_TOOL for tool in request.tools)
    entries = turn.catalog or ()
    parts = [_changes(turn)] if turn.previous is not None else []
    load: str | None = None
    if turn.results:
        text, load = _after_tools(turn, entries, can_load)
        parts.append(text)
    if turn.invoked:
        parts += [_outlined(skill, f"You invoked `{skill.name}`.") for skill in turn.invoked]
    elif turn.words:
        told = _to_words(turn, decide(turn.words, entries, turn.tried), entries, can_load)
        parts.append(told.text)
        load = told.load or load
    if not parts:
        parts.append(f"There is nothing new to answer. {_WHAT_I_AM}")
    return Answer("\n\n".join(part for part in parts if part), load)


def _to_words(turn: Turn, decision: Decision, entries: Sequence[CatalogEntry], can_load: bool) -> Answer:
    match decision.verdict:
        case "greeting":
            return Answer(_greeting(entries))
        case "about":
            return Answer(f"{_WHAT_I_AM}\n\n{_skill_list(entries)}")
        case "no-skills":
            return Answer(f"{_WHAT_I_AM}\n\n{_NO_SKILLS}")
        case "none-fits":
            return Answer(_none_fits(decision, entries))
        case _:
            return _fitting(turn, decision, can_load)


def _fitting(turn: Turn, decision: Decision, can_load: bool) -> Answer:
    chosen = decision.chosen
    if chosen is None:
        return Answer(_WHAT_I_AM)
    text = f"The skill `{chosen.name}` fits{_because(chosen)}."
    if decision.runners_up:
        others = _listing([f"`{route.name}`{_because(route)}" for route in decision.runners_up])
        text += f" Close to it: {others}. To choose yourself, write /skill:NAME."
    known = turn.in_view.get(chosen.name)
    if known is not None:
        return Answer(_outlined(known, f"{text} Its instructions are in this conversation already."))
    if not can_load:
        return Answer(f"{text} I cannot load it, because this agent has no `{SKILL_TOOL}` tool.")
    return Answer(f"{text} I load it.", chosen.name)


def _none_fits(decision: Decision, entries: Sequence[CatalogEntry]) -> str:
    lines = ["None of the skills fits what you ask."]
    names = [entry.name for entry in entries]
    for unknown in unknown_names(decision.words, names)[:1]:
        near = nearest_names(unknown, names)
        lines = [f"There is no skill `{unknown}`."]
        if near:
            lines.append(f"Names like it: {_listing([f'`{name}`' for name in near])}.")
    if decision.routes:
        nearest = _listing([f"`{route.name}`{_because(route)}" for route in decision.routes[:NEAREST_SHOWN]])
        lines.append(f"Nearest: {nearest}. To use one of them, write /skill:NAME.")
    else:
        if len(entries) == 1:
            lines.append("No word of it is in the description of the only skill that there is.")
        else:
            lines.append(f"No word of it is in a description of the {len(entries):,} skills that there are.")
    return " ".join(lines)


def _after_tools(turn: Turn, entries: tuple[CatalogEntry, ...], can_load: bool) -> tuple[str, str | None]:
    parts: list[str] = []
    failed = loaded = False
    for result in turn.results:
        skill = None if result.is_error or result.name != SKILL_TOOL else read_skill_content(result.text)
        if skill is not None:
            loaded = True
            parts.append(_outlined(skill, f"`{skill.name}` is loaded."))
        else:
            failed = failed or (result.is_error and result.name == SKILL_TOOL)
            parts.append(_plain_result(result))
    if not failed or loaded or turn.words:
        return "\n\n".join(parts), None
    other = decide(turn.asked, entries, turn.tried)
    if other.chosen is None:
        parts.append("No other skill fits what you asked.")
        return "\n\n".join(parts), None
    told = _fitting(turn, other, can_load)
    return "\n\n".join((*parts, told.text)), told.load


def _plain_result(result: ToolResultMessage) -> str:
    shown = " ".join(result.text.split())
    shown = shown if len(shown) <= _RESULT_SHOWN else shown[:_RESULT_SHOWN] + "…"
    if result.name == SKILL_TOOL and result.is_error:
        return f"The skill could not be loaded. {shown.removeprefix('Error: ')}"
    if result.is_error:
        return f"The tool `{result.name}` failed. {shown.removeprefix('Error: ')}"
    lines = len(result.text.splitlines())
    return f"The tool `{result.name}` answered with {lines:,} line{'' if lines == 1 else 's'}: {shown}"


def _outlined(skill: LoadedSkill, opening: str) -> str:
    plan = outline(skill.body)
    lines = [opening]
    if plan.items:
        lines[0] += " Its instructions ask, in this order:"
        lines += ["", *(item if item.lstrip()[0].isdigit() else f"- {item}" for item in plan.items)]
        if plan.left_out:
            lines.append(f"- … and {plan.left_out:,} more")
    else:
        lines[0] += " It has no instructions."
    if plan.files:
        lines += ["", f"Files it refers to: {', '.join(f'`{name}`' for name in plan.files)}"]
    if skill.resources:
        lines += ["", skill.resources]
    return "\n".join(lines)


def _greeting(entries: Sequence[CatalogEntry]) -> str:
    if not entries:
        return f"Hello. {_WHAT_I_AM}\n\n{_NO_SKILLS}"
    names = _listing([f"`{entry.name}`" for entry in entries[:_GREETED_WITH]])
    more = f", and {len(entries) - _GREETED_WITH:,} more" if len(entries) > _GREETED_WITH else ""
    return f"Hello. {_WHAT_I_AM}\n\nSkills here: {names}{more}. Say what you want to do, or write /skill:NAME."


def _skill_list(entries: Sequence[CatalogEntry]) -> str:
    if not entries:
        return _NO_SKILLS
    lines = [f"I can load {len(entries):,} skill{'' if len(entries) == 1 else 's'}:", ""]
    lines += [f"- `{entry.name}`: {entry.description}" for entry in entries[:_LISTED]]
    if len(entries) > _LISTED:
        lines.append(f"- … and {len(entries) - _LISTED:,} more")
    return "\n".join(lines)


def _changes(turn: Turn) -> str:
    difference = catalog_difference(turn.previous or (), turn.catalog or ())
    said = [
        f"{verb} {_listing([f'`{name}`' for name in names[:_CHANGES_SHOWN]])}"
        + (f" and {len(names) - _CHANGES_SHOWN:,} more" if len(names) > _CHANGES_SHOWN else "")
        for verb, names in (("new:", difference.added), ("gone:", difference.removed), ("changed:", difference.changed))
        if names
    ]
    return f"The skills have changed since my last reply; {'; '.join(said)}." if said else ""


def _because(route: Route) -> str:
    return f" ({', '.join(route.words[:_WORDS_SHOWN])})" if route.words else ""


def _listing(items: Sequence[str]) -> str:
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"
