"""What is wrong with a draft before it is sent, and the words for it."""

from __future__ import annotations

from dataclasses import dataclass

from skills_core.access.policy import SkillAccess, user_may_use
from skills_core.invocation.gesture import Gesture, find_gestures
from skills_core.invocation.nearest import nearest_names
from skills_core.problem import SkillProblem
from skills_core.registry.snapshot import SkillSnapshot
from skills_core.skill import is_skill_name

_NAME_SHOWN = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftProblem:
    """Why a draft is not sent: one ``/skill:`` in it cannot be followed.

    ``message`` and ``hint`` are one line each. ``nearest`` are names that the user may invoke. ``start`` and ``end``
    are the gesture's code points in the text.
    """

    name: str
    message: str
    hint: str
    nearest: tuple[str, ...] = ()
    start: int = 0
    end: int = 0


def check_draft(text: str, snapshot: SkillSnapshot, access: SkillAccess) -> DraftProblem | None:
    """The first ``/skill:NAME`` that names no skill the user may invoke; None when the draft can be sent.

    A ``/NAME`` is never a problem: without such a skill it is the user's own words.
    """
    for gesture in find_gestures(text):
        if gesture.explicit:
            problem = gesture_problem(gesture, snapshot, access)
            if problem is not None:
                return problem
    return None


def gesture_problem(gesture: Gesture, snapshot: SkillSnapshot, access: SkillAccess) -> DraftProblem | None:
    """Why this ``/skill:`` cannot be followed with the skills as they are, or None."""
    skill = snapshot.by_name.get(gesture.name)
    if skill is not None and user_may_use(skill, access):
        return None
    nearest = nearest_names(gesture.name, (s.name for s in snapshot.skills if user_may_use(s, access)))
    hint = _nearest_hint(nearest)
    shown = _shown(gesture.name)
    if not gesture.name:
        message = "/skill: needs the name of a skill"
        hint = "Write the name right after the colon, as in /skill:NAME."
    elif skill is not None and not access.is_enabled(skill):
        message = f'The skill "{shown}" is switched off'
        hint = f"Switch it on again to use it: skilldeck enable {shown}"
    elif skill is not None:
        message = f'The skill "{shown}" cannot be invoked by a user: its file says user-invocable: false'
        hint = "Ask for its task in your own words; the model may load it."
    elif not is_skill_name(gesture.name):
        message = f'"{shown}" is not the name of a skill'
        hint = hint or "Names are lower-case letters and digits joined by hyphens, with white space after them."
    elif (fault := _fault_of(gesture.name, snapshot)) is not None:
        message = f'The skill "{shown}" is not offered, for its file has an error'
        line = f"Line {fault.line}: " if fault.line is not None else ""
        hint = f"{line}{fault.message} {fault.hint}"
    else:
        message = f'There is no skill "{shown}"'
        if not snapshot.complete:
            message += " among those found so far"
        hint = hint or "List what there is with: skilldeck skills"
    return DraftProblem(
        name=gesture.name, message=message, hint=hint, nearest=nearest, start=gesture.start, end=gesture.end
    )


def _fault_of(name: str, snapshot: SkillSnapshot) -> SkillProblem | None:
    """The first error of a file that lies where a skill of this name would."""
    for problem in snapshot.problems:
        folder, _, base = problem.path.rpartition("/")
        stem = folder.rpartition("/")[2] if base.lower() == "skill.md" else base.removesuffix(".md")
        if stem == name and problem.severity == "error":
            return problem
    return None


def _nearest_hint(nearest: tuple[str, ...]) -> str:
    if not nearest:
        return ""
    names = [f"/skill:{name}" for name in nearest]
    listed = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"
    return f"Did you mean {listed}?"


def _shown(name: str) -> str:
    """The name as typed, without what a terminal would obey and without end."""
    plain = "".join(letter if letter.isprintable() else "\ufffd" for letter in name)
    return plain if len(plain) <= _NAME_SHOWN else plain[:_NAME_SHOWN] + "…"
