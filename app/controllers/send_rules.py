"""Whether a draft may be sent as it is, and what to say when not."""

from __future__ import annotations

from dataclasses import dataclass

from app.controllers.commands import COMMANDS, first_word
from skills_core.access.policy import SkillAccess, user_may_use
from skills_core.registry.snapshot import SkillSnapshot


@dataclass(frozen=True, slots=True)
class SendRefusal:
    """``again`` when a second Enter on the same text sends it all the same."""

    message: str
    hint: str = ""
    again: bool = False


class SendRules:
    """Remembers which draft was held back, so that a second Enter sends it."""

    def __init__(self) -> None:
        self._held: str | None = None

    def refusal(self, text: str, snapshot: SkillSnapshot, access: SkillAccess) -> SendRefusal | None:
        """Why this draft is kept, or None when it goes out."""
        from skills_core.invocation import check_draft, nearest_names

        problem = check_draft(text, snapshot, access)
        if problem is not None:
            return SendRefusal(problem.message, problem.hint.replace("skilldeck skills", "/skills"))
        word = first_word(text)
        if word is None or self._held == text:
            self._held = None
            return None
        skill = snapshot.by_name.get(word)
        if skill is not None and user_may_use(skill, access):
            return None
        self._held = text
        names = [command.name for command in COMMANDS]
        names += [skill.name for skill in snapshot.skills if user_may_use(skill, access)]
        nearest = nearest_names(word, names)
        meant = f"Did you mean {_joined(nearest)}? " if nearest else ""
        return SendRefusal(
            f"There is no command or skill /{word}.", f"{meant}Enter again sends it as it is.", again=True
        )

    def changed(self, text: str) -> None:
        """The draft is another now: it is held back anew."""
        if text != self._held:
            self._held = None


def _joined(names: tuple[str, ...]) -> str:
    words = [f"/{name}" for name in names]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
