"""How the core asks a person: one interface that a screen, a headless run and tests each implement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from skills_core.skill import SkillSummary

if TYPE_CHECKING:
    from skills_core.agent.instruction_files import InstructionFile, UnreadInstructions

ToolAnswer: TypeAlias = Literal["once", "session", "no"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolQuestion:
    """May this tool run? ``summary`` is one line; ``detail`` is what would be written or executed.

    ``outside`` tells that it reaches beyond the project: an answer for the session about the one does not hold for
    the other.
    """

    tool: str
    summary: str
    detail: str
    arguments: Mapping[str, Any]
    outside: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustQuestion:
    """May what this project brings reach the model: its skills, and the instructions in its `AGENTS.md` files?

    ``real_root`` is the project's root with links resolved, ``refused`` the instruction files that are never read.
    ``invoking`` is the name that the user just invoked, if any.
    """

    project_root: str
    skills: tuple[SkillSummary, ...] = ()
    instructions: tuple[InstructionFile, ...] = ()
    refused: tuple[UnreadInstructions, ...] = ()
    real_root: str | None = None
    invoking: str | None = None


class Approver(Protocol):
    """Asks and waits. Cancelling the awaiting task takes the question back."""

    async def approve_tool(self, question: ToolQuestion) -> ToolAnswer: ...

    async def approve_trust(self, question: TrustQuestion) -> bool | None:
        """True or False is remembered for the project; None means not answered."""
        ...
