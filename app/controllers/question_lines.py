"""A question to the person as lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from app.controllers.completion import scope_of
from app.controllers.inert import inert, inert_line
from app.controllers.marks import Marks
from app.controllers.questions import AnswerOption, Asked
from app.controllers.text_layout import Line, Piece, wrap, wrap_text

if TYPE_CHECKING:
    from skills_core.agent.approval import ToolQuestion, TrustQuestion

SKILLS_SHOWN = 12


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
    count = len(question.skills)
    noun = "skill" if count == 1 else "skills"
    said = f"Trust this project?  It brings {count} {noun}; whoever wrote it wrote their instructions."
    lines = wrap((Piece(said[:19], "warning"), Piece(said[19:])), width)
    if question.invoking is not None:
        waits = f"Your message waits for the answer: it uses {inert_line(question.invoking)}."
        lines += wrap((Piece(waits, "strong"),), width, (Piece("  "),), (Piece("  "),))
    lines += wrap((Piece(inert_line(question.project_root), "muted"),), width, (Piece("  "),), (Piece("  "),))
    for skill in question.skills[:SKILLS_SHOWN]:
        pieces = (
            Piece(inert_line(skill.name), "strong"),
            Piece(f"  {inert_line(skill.description)}"),
            Piece(f"  {inert_line(skill.path or scope_of(skill))}", "muted"),
        )
        lines += wrap(pieces, width, (Piece("  · ", "muted"),), (Piece("    "),))[:3]
    if count > SKILLS_SHOWN:
        lines.append(Line((Piece(f"  … {count - SKILLS_SHOWN} more", "muted"),)))
    return lines


def option_pieces(option: AnswerOption, *, chosen: bool, marks: Marks) -> tuple[Piece, ...]:
    """One answer with its key; the chosen one also carries a mark, for those who see no colours."""
    lead = f"{marks.selected}" if chosen else " "
    return (Piece(lead, "accent"), Piece(f"{option.key.upper()} ", "muted"), Piece(option.label, "strong"))
