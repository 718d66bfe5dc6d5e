"""How a turn and a compaction ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from skills_core.session.event import PendingEvent

TurnReason: TypeAlias = Literal["done", "cancelled", "failed", "step-limit", "rejected"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnOutcome:
    """``message`` and ``hint`` are one line each for a person, empty when there is nothing to say.

    ``returned`` are the messages that were claimed and not recorded (a hook rejected them, the turn was cancelled
    while the hooks ran, or the disk was full), so that whoever sent them can offer them again.
    """

    reason: TurnReason
    message: str = ""
    hint: str = ""
    returned: tuple[PendingEvent, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionOutcome:
    """``compacted`` is false when there was nothing to replace or it failed; ``message`` says which.

    Tokens are estimates, before and after. ``by_model`` tells whether the model wrote the summary.
    """

    compacted: bool
    message: str
    hint: str = ""
    by_model: bool = False
    tokens_before: int | None = None
    tokens_after: int | None = None


class AgentBusyError(Exception):
    """The agent is in the middle of a turn or of a compaction."""

    def __init__(self) -> None:
        self.message = "the agent is busy with a turn"
        self.hint = "Wait for it to end, cancel it, or queue the message."
        super().__init__(self.message)
