"""A question to the person as lines."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, cast

from app.controllers.completion import scope_of
from app.controllers.inert import inert, inert_line
from app.controllers.marks import Marks
from app.controllers.questions import AnswerOption, Asked
from app.controllers.text_layout import Line, Piece, counted, cut, cut_pieces, wrap, wrap_text

if TYPE_CHECKING:
    from skills_core.agent.approval import ToolQuestion, TrustQuestion
    from skills_core.skill import SkillSummary

_BLANK = re.compile("[\u2800\u3164\uffa0\u115f\u1160]")
"""Letters and signs that look like white space."""

SKILLS_SHOWN = 12
FILES_SHOWN = 4
LINES_EACH = 3
"""How many lines one skill or file may take: what others wrote must not push the question out of view."""


def question_lines(asked: Asked, width: int) -> list[Line]:
    """The question and what it is about, without its answers."""
    if asked.kind == "tool":
        question = cast("ToolQuestion", asked.question)
        head = (Piece("May this run?  ", "warning"), Piece(inert_line(question.summary), "strong"))
        lines = wrap(head, width)
        if inert_line(question.detail) not in inert_line(question.summary):
            lines += wrap_text(inert(question.detail).rstrip("\n"), width, "text", "  ")
        return lines
    return _trust_lines(cast("TrustQuestion", asked.question), width)


def _trust_lines(question: TrustQuestion, width: int) -> list[Line]:
    """First what is asked, then what it is about; what others wrote stands indented behind a bullet."""
    brings: list[str] = []
    if question.skills or not question.instructions:
        brings.append(counted(len(question.skills), "skill"))
    if question.instructions:
        brings.append(f"{counted(len(question.instructions), 'file')} of instructions")
    wrote = "what the model then follows" if question.instructions else "their instructions"
    said = f"It brings {' and '.join(brings)}; whoever wrote it wrote {wrote}."
    lines = wrap((Piece("Trust this project?", "warning"), Piece(f"  {said}")), width)
    if question.invoking is not None:
        waits = f"Your message waits for the answer: it uses {inert_line(question.invoking)}."
        lines += wrap((Piece(waits, "strong"),), width, (Piece("  "),), (Piece("  "),))[:LINES_EACH]
    lines += wrap((Piece(_shown(question.project_root), "muted"),), width, (Piece("  "),), (Piece("  "),))[:LINES_EACH]
    for file in question.instructions[:FILES_SHOWN]:
        size = counted(file.size, "byte")
        note = f"{size}, told in every session" + (f"; only the first {len(file.text.encode()):,}" * file.truncated)
        lines += _item((Piece(_shown(file.path), "strong"),), note, width)
    lines += _more(len(question.instructions) - FILES_SHOWN, width)
    for unread in question.refused[:FILES_SHOWN]:
        lines += _item((Piece(_shown(unread.path)),), f"{unread.reason}: it is not read", width)
    for skill in question.skills[:SKILLS_SHOWN]:
        said = (Piece(_shown(skill.name), "strong"), Piece(f"  {_shown(skill.description)}"))
        lines += _item(said, _origin(skill, question), width)
    return lines + _more(len(question.skills) - SKILLS_SHOWN, width)


def _item(said: tuple[Piece, ...], where: str, width: int) -> list[Line]:
    """One bullet. Where it would take too many lines, ``where`` keeps its place and the rest is cut."""
    first, rest = (Piece("  · ", "muted"),), (Piece("    "),)
    lines = wrap((*said, Piece(f"  {where}", "muted")), width, first, rest)
    if len(lines) <= LINES_EACH:
        return lines
    head = wrap(said, width, first, rest)
    shown = head[: LINES_EACH - 1]
    if len(head) > len(shown):
        shown[-1] = Line(cut_pieces((*shown[-1].pieces, Piece(" …")), width), indent=shown[-1].indent)
    return [*shown, Line((Piece("    "), Piece(cut(where, max(width - 4, 1)), "muted")), indent=4)]


def _more(count: int, width: int) -> list[Line]:
    return [Line((Piece(cut(f"  … {count:,} more", width), "muted"),))] if count > 0 else []


def _origin(skill: SkillSummary, question: TrustQuestion) -> str:
    """The skill's file, and where it really lies when a link leads there."""
    if skill.path is None:
        return scope_of(skill)
    shown = _shown(skill.path)
    if skill.real_path is None or skill.real_path == skill.path or question.real_root is None:
        return shown
    below = os.path.relpath(skill.path, question.project_root)
    if skill.real_path == os.path.normpath(os.path.join(question.real_root, below)):
        return shown
    return f"a link to {_shown(skill.real_path)}  ({shown})"


def _shown(text: str) -> str:
    """One line without runs of white space, with which a text could look like several or like a part of the screen."""
    return " ".join(_BLANK.sub(" ", inert_line(text)).split())


def option_pieces(option: AnswerOption, *, chosen: bool, marks: Marks) -> tuple[Piece, ...]:
    """One answer with its key; the chosen one also carries a mark, for those who see no colours."""
    lead = f"{marks.selected}" if chosen else " "
    return (Piece(lead, "accent"), Piece(f"{option.key.upper()} ", "muted"), Piece(option.label, "strong"))
