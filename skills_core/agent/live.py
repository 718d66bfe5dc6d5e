"""What an agent tells its subscribers while a turn runs. None of it is stored: the log has the finished facts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from skills_core.agent.model import ModelErrorKind, StreamItem
from skills_core.session.event import PendingEvent


@dataclass(frozen=True, slots=True)
class StepStarted:
    """A step begins; ``step`` counts from 1 within the turn."""

    step: int


@dataclass(frozen=True, slots=True)
class ToolStarted:
    """A tool call passed its checks and runs now."""

    call_id: str
    name: str
    title: str


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """Output of a running tool, as it comes."""

    call_id: str
    text: str


@dataclass(frozen=True, slots=True)
class ToolFinished:
    """The result of a tool call is in the log."""

    call_id: str
    is_error: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrying:
    """The request failed and is sent again after ``delay`` seconds.

    When ``discarded`` is true, what was streamed of this reply so far no longer counts: the reply starts anew.
    """

    attempt: int
    attempts: int
    delay: float
    kind: ModelErrorKind
    message: str
    discarded: bool


@dataclass(frozen=True, slots=True)
class Compacting:
    """The older part of the conversation is being replaced by a summary; ``automatic`` when nobody asked for it."""

    automatic: bool


@dataclass(frozen=True, slots=True)
class QueueChanged:
    """The messages that wait for the next step boundary."""

    queued: tuple[PendingEvent, ...]


LiveItem: TypeAlias = (
    StreamItem | StepStarted | ToolStarted | ToolOutput | ToolFinished | Retrying | Compacting | QueueChanged
)
