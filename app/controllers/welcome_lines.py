"""What an empty transcript says: how to begin, how to see what is going on, how to leave."""

from __future__ import annotations

from app.controllers.marks import Marks
from app.controllers.skill_view import SkillView
from app.controllers.text_layout import Line, Piece, counted, line, wrap

_KEY_WIDTH = 15


def welcome_lines(view: SkillView, model: str, width: int, marks: Marks) -> list[Line]:
    """The lines at a width, from what is known so far."""
    lines = [line(Piece("Skilldeck", "heading")), Line()]
    if view.snapshot is None:
        lines += wrap((Piece("Looking for skills …", "muted"),), width)
    elif not view.snapshot.skills:
        said = "No skills yet. Save one as .agents/skills/NAME/SKILL.md, here or in your home folder:"
        lines += wrap((Piece(f"{said} it is there at once."),), width)
    else:
        lines += wrap((Piece(f"{counted(view.skill_count, 'skill')} here. Changes on the disk show at once."),), width)
    lines.append(Line())
    for keys, does in (
        ("/skill:", "complete a skill, anywhere in your message"),
        ("@", "name a file of the project; its text goes with your message"),
        ("/new-skill NAME", "make a skill of your own"),
        ("F6", "the skills as the model has them, and why one is missing"),
        (f"{marks.closed} rows", "Tab goes to the transcript; Enter opens a row to the exact text the model got"),
        ("F1", "every key and command"),
        ("/quit", "leave; Ctrl+C twice does too"),
    ):
        lead = (Piece(f"  {keys:<{_KEY_WIDTH}}  ", "accent"),)
        lines += wrap((Piece(does),), width, lead, (Piece(" " * (_KEY_WIDTH + 4)),))
    if model == "offline":
        lines.append(Line())
        said = "The offline model answers: it finds and loads the skill that fits, but writes nothing itself."
        lines += wrap((Piece(f"{said} /model changes it.", "muted"),), width)
    return lines
