"""Questions to the person: asked one after the other, answered whenever the person likes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, cast

if TYPE_CHECKING:
    from skills_core.agent.approval import ToolAnswer, ToolQuestion, TrustQuestion


@dataclass(frozen=True, slots=True)
class AnswerOption:
    """``key`` gives the answer from anywhere, also while the person is writing."""

    value: str
    label: str
    key: str


TOOL_OPTIONS = (
    AnswerOption("once", "Allow once", "f2"),
    AnswerOption("session", "Allow for this session", "f3"),
    AnswerOption("no", "Refuse", "f4"),
)
TRUST_OPTIONS = (
    AnswerOption("yes", "Trust this project", "f2"),
    AnswerOption("no", "Do not trust it", "f3"),
    AnswerOption("later", "Ask later", "f4"),
)


TRUST_SAID = {
    "yes": "Trusted: the model has this project's skills and instructions from its next step on. /trust changes it.",
    "no": "Not trusted: this project's skills and instructions stay away from the model. /trust changes it.",
    "later": "Not answered: you are asked again when one of this project's skills is used, or with /trust.",
}


QUIET_SECONDS = 0.4
"""How long no answer may have been given before one that allows something: a key that is held down, or pressed twice,
would answer the question that comes next, before anyone has read it."""

ALLOWING = frozenset({"yes", "once", "session"})
TOO_SOON = "That came too soon after the answer before: read this question, then press the key again."


@dataclass(slots=True, eq=False)
class Asked:
    """A question that waits for its answer."""

    kind: Literal["tool", "trust"]
    question: ToolQuestion | TrustQuestion
    answer: asyncio.Future[str]

    @property
    def options(self) -> tuple[AnswerOption, ...]:
        return TOOL_OPTIONS if self.kind == "tool" else TRUST_OPTIONS


class QuestionDesk:
    """The ``Approver`` of the screen. Cancelling the asking task takes its question back."""

    def __init__(
        self, on_change: Callable[[], None] = lambda: None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.on_change = on_change
        self._clock = clock
        self._last_at = float("-inf")
        self._asked: list[Asked] = []

    @property
    def current(self) -> Asked | None:
        return self._asked[0] if self._asked else None

    @property
    def waiting(self) -> int:
        """How many answers are wanted: those about one project count once."""
        first = [
            asked
            for index, asked in enumerate(self._asked)
            if not any(_same_project(asked, other) for other in self._asked[:index])
        ]
        return len(first)

    @property
    def blocking(self) -> bool:
        """Whether a turn goes no further before the person answers."""
        return any(
            asked.kind == "tool" or cast("TrustQuestion", asked.question).invoking is not None for asked in self._asked
        )

    async def approve_tool(self, question: ToolQuestion) -> ToolAnswer:
        return cast("ToolAnswer", await self._ask("tool", question))

    async def approve_trust(self, question: TrustQuestion) -> bool | None:
        return {"yes": True, "no": False}.get(await self._ask("trust", question))

    @property
    def quiet(self) -> bool:
        """Whether it is long enough since a question went: with an answer, a key that came too soon, or by itself."""
        return self._clock() - self._last_at >= QUIET_SECONDS

    def answer(self, value: str) -> bool:
        """Answers the question that is shown; False when the answer does not count.

        That is so for a value that it does not offer, and for one that allows something too soon after another.
        """
        current = self.current
        if current is None or all(option.value != value for option in current.options):
            return False
        quiet, self._last_at = self.quiet, self._clock()
        if value in ALLOWING and not quiet:
            return False
        for asked in [current, *(asked for asked in self._asked if _same_project(asked, current))]:
            if asked in self._asked:
                self._asked.remove(asked)
            if not asked.answer.done():
                asked.answer.set_result(value)
        self.on_change()
        return True

    async def _ask(self, kind: Literal["tool", "trust"], question: ToolQuestion | TrustQuestion) -> str:
        asked = Asked(kind, question, asyncio.get_running_loop().create_future())
        for other in self._asked:
            if _same_project(other, asked):
                # The question that is shown says what waits for it.
                other.question = question
        self._asked.append(asked)
        self.on_change()
        try:
            return await asked.answer
        finally:
            if asked in self._asked:
                if asked is self.current:
                    # The key that was meant for it may be on its way.
                    self._last_at = self._clock()
                self._asked.remove(asked)
                self.on_change()


def _same_project(one: Asked, other: Asked) -> bool:
    """Two questions about one project get one answer."""
    return (
        one.kind == other.kind == "trust"
        and cast("TrustQuestion", one.question).project_root == cast("TrustQuestion", other.question).project_root
    )
