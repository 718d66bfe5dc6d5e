"""Why a file is not offered as a skill, or is offered with a reservation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Severity: TypeAlias = Literal["error", "warning"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillProblem:
    """One problem with its place, cause and mend.

    ``code`` is dotted (``yaml.unquoted-colon``). An error means that the skill is not offered. ``line`` and
    ``column`` count from 1, in code points, and are the place of the cause. ``message`` says what is wrong,
    ``hint`` what to write instead; both are plain text for a person. ``skill`` is the offered name, if there is one.
    """

    code: str
    severity: Severity
    path: str
    message: str
    hint: str
    line: int | None = None
    column: int | None = None
    skill: str | None = None


def problem_order(problem: SkillProblem) -> tuple[str, int, int, str]:
    """A stable order for lists of problems: by place, then code."""
    return (problem.path, problem.line or 0, problem.column or 0, problem.code)
