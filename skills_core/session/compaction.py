"""Which part of a conversation a compaction replaces, and the event that replaces it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from skills_core.session.event import (
    ASSISTANT_MESSAGE,
    COMPACTION,
    SOURCE_USER,
    TOOL_RESULT,
    USER_MESSAGE,
    PendingEvent,
    SessionEvent,
    source_kind,
    text_block,
)
from skills_core.session.loaded_skills import SkillLoad, loaded_skills, share_out
from skills_core.session.plain import content_text, items, mapping, text
from skills_core.session.recollection import recollect
from skills_core.tokens import estimate_tokens

KEEP_TOKENS = 8000
"""How much of the newest conversation stays as it is, in estimated tokens."""
CARRY_TOKENS = 6000
"""How much room the instructions of loaded skills may take beside the summary, in estimated tokens."""

_CLOSING_TAG = re.compile(r"<(\s*/\s*conversation_summary)", re.IGNORECASE)

TokenEstimate: TypeAlias = Callable[[str], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionPlan:
    """The visible events that a summary will stand for, and those that stay; each in the model's order."""

    replaced: tuple[SessionEvent, ...]
    kept: tuple[SessionEvent, ...]

    @property
    def first(self) -> int:
        return self.replaced[0].seq

    @property
    def last(self) -> int:
        return self.replaced[-1].seq


def plan_compaction(
    visible: Sequence[SessionEvent], *, keep_tokens: int = KEEP_TOKENS, estimate: TokenEstimate = estimate_tokens
) -> CompactionPlan | None:
    """Chooses the older part of ``visible``; None when there is nothing worth replacing.

    The newest turns that fit ``keep_tokens`` stay; when not even the last one fits, its newest steps do. What the model
    has not answered yet always stays, and a tool call is never cut from its results.
    """
    groups = _groups(visible)
    unanswered = cut = _unanswered(groups)
    room = keep_tokens - sum(_group_tokens(group, estimate) for group in groups[cut:])
    while cut > 0 and (room := room - _group_tokens(groups[cut - 1], estimate)) >= 0:
        cut -= 1
    if cut > 0:
        # Rather whole turns than the end of one and then a whole one.
        cut = next((at for at in range(cut, unanswered) if _is_own_words(groups[at][0])), cut)
    replaced = tuple(event for group in groups[:cut] for event in group)
    if all(event.type == COMPACTION for event in replaced):
        return None
    return CompactionPlan(replaced=replaced, kept=tuple(event for group in groups[cut:] for event in group))


def compaction_event(
    plan: CompactionPlan,
    summary: str,
    *,
    model: str | None = None,
    usage: Mapping[str, Any] | None = None,
    tokens_before: int | None = None,
    carry_tokens: int = CARRY_TOKENS,
    estimate: TokenEstimate = estimate_tokens,
) -> PendingEvent:
    """The event that replaces the planned part by ``summary``; ``model`` wrote it, or None when it is extractive.

    ``usage`` is what the request for it took, also one that brought no summary.
    Instructions of skills that were loaded in that part go on with it as far as ``carry_tokens`` reach, first those
    that the user invoked; the others are named for loading again.
    """
    carried, listed = share_out(loaded_skills(plan.replaced, plan.kept), carry_tokens, estimate)
    content = [text_block(_frame(summary, carried, listed)), *(text_block(skill.instructions) for skill in carried)]
    data: dict[str, Any] = {
        "summary": summary,
        "first": plan.first,
        "last": plan.last,
        "content": content,
        "tokens_before": tokens_before,
        "facts": recollect(plan.replaced).as_data(),
        "skills": [
            *({"name": each.name, "by_user": each.by_user, "block": at} for at, each in enumerate(carried, 1)),
            *({"name": each.name, "by_user": each.by_user, "block": None} for each in listed),
        ],
    }
    if model is not None:
        data["model"] = model
    if usage is not None:
        data["usage"] = dict(usage)
    return PendingEvent(COMPACTION, data)


def event_tokens(event: SessionEvent, estimate: TokenEstimate = estimate_tokens) -> int:
    """The estimate for what the model gets of one visible event."""
    content = event.data.get("content")
    total = estimate(content_text(content))
    for block in map(mapping, items(content)):
        if block.get("type") == "thinking":
            total += estimate(text(block.get("text")))
        elif block.get("type") == "tool_call":
            total += estimate(text(block.get("name")) + json.dumps(block.get("arguments"), ensure_ascii=False))
    return total


_Group: TypeAlias = list[SessionEvent]


def _groups(visible: Sequence[SessionEvent]) -> list[_Group]:
    """Events that must stay together: a reply that calls tools, with all up to the last of its results."""
    groups: list[_Group] = []
    missing: set[str] = set()
    for event in visible:
        if event.type == ASSISTANT_MESSAGE or not missing:
            groups.append([event])
            if event.type == ASSISTANT_MESSAGE:
                missing = _call_ids(event)
        else:
            groups[-1].append(event)
        if event.type == TOOL_RESULT:
            missing.discard(text(event.data.get("id")))
    return groups


def _unanswered(groups: Sequence[_Group]) -> int:
    """Where the part begins that the model still has to answer: after its last reply, with that if it called tools."""
    for at in range(len(groups) - 1, -1, -1):
        if groups[at][0].type == ASSISTANT_MESSAGE:
            return at if _call_ids(groups[at][0]) else at + 1
    return _start_of_words(groups)


def _start_of_words(groups: Sequence[_Group]) -> int:
    """Before any reply everything after a compaction is unanswered."""
    return next((at for at, group in enumerate(groups) if group[0].type != COMPACTION), len(groups))


def _call_ids(event: SessionEvent) -> set[str]:
    blocks = map(mapping, items(event.data.get("content")))
    return {text(block.get("id")) for block in blocks if block.get("type") == "tool_call"}


def _group_tokens(group: _Group, estimate: TokenEstimate) -> int:
    return sum(event_tokens(event, estimate) for event in group)


def _is_own_words(event: SessionEvent) -> bool:
    return event.type == USER_MESSAGE and source_kind(event.data) == SOURCE_USER


def _frame(summary: str, carried: Sequence[SkillLoad], listed: Sequence[SkillLoad]) -> str:
    """The text that the model reads. A summary quotes other people's words, so its frame must hold against them."""
    inert = _CLOSING_TAG.sub(r"&lt;\1", summary)
    lines = [
        "The older part of this conversation was replaced by this summary to make room:",
        "<conversation_summary>",
        inert,
        "</conversation_summary>",
    ]
    if carried:
        names = ", ".join(f"`{skill.name}`" for skill in carried)
        lines.append(f"The instructions of these skills, loaded in that part, follow and still apply: {names}.")
    by_model = [skill for skill in listed if not skill.by_user]
    if by_model:
        names = ", ".join(f"`{skill.name}`" for skill in by_model)
        lines.append(
            "The instructions of these skills were loaded in that part and are no longer in view; load a skill again"
            f" with the `skill` tool before you go on with its task: {names}."
        )
    by_user = [skill for skill in listed if skill.by_user]
    if by_user:
        names = ", ".join(f"`/skill:{skill.name}`" for skill in by_user)
        lines.append(
            "The user invoked these skills in that part and their instructions are no longer in view; if they are"
            f" needed and the `skill` tool does not offer them, ask the user to type: {names}."
        )
    return "\n".join(lines)
