"""``skilldeck skills``: the effective catalog of this folder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.context import CommandContext
from app.output import Style, cell_width, cut_to_width
from app.process import DONE, NOT_SO, run_async
from skills_core.words import counted

if TYPE_CHECKING:
    from app.runtime import Runtime


def run(context: CommandContext) -> int:
    settings = context.settings()

    async def main() -> int:
        async with context.runtime(settings, watch=False) as runtime:
            report, reason = await _report(runtime)
        if context.arguments.format == "json":
            context.output.json(report)
        else:
            _print(context, report)
        if report["complete"]:
            return DONE
        context.output.failure(f"the list is not complete: {reason}")
        return NOT_SO

    return run_async(main)


async def _report(runtime: Runtime) -> tuple[dict[str, Any], str]:
    from app.controllers.skill_report import (
        digest_of,
        problem_objects,
        project_trust,
        shadowed_object,
        skill_object,
    )

    snapshot = await runtime.settled()
    longest = runtime.settings.catalog_description_max_length
    report = {
        "complete": snapshot.complete,
        "digest": digest_of(snapshot, runtime.access, longest),
        "cwd": runtime.cwd,
        "project_root": runtime.project_root,
        "trusted": project_trust(snapshot, runtime.access),
        "skills": [skill_object(skill, runtime.access, longest) for skill in snapshot.skills],
        "shadowed": [shadowed_object(shadowed) for shadowed in snapshot.shadowed],
        "problems": problem_objects(snapshot.problems),
        "roots": [
            {"path": root.path, "source": root.source, "rank": root.rank, "state": root.state}
            for root in runtime.filesystem.roots(runtime.cwd)
        ],
    }
    return report, snapshot.reason


def _print(context: CommandContext, report: dict[str, Any]) -> None:
    output = context.output
    rows: list[list[str | tuple[str, Style]]] = []
    marks = [skill_marks(skill) for skill in report["skills"]]
    names = max((cell_width(skill["name"]) for skill in report["skills"]), default=0)
    sources = max((len(skill["source"]) for skill in report["skills"]), default=0)
    for skill, mark in zip(report["skills"], marks, strict=True):
        used = names + sources + 4 + (len(mark) + 2 if mark else 0)
        text = cut_to_width(skill["description"], max(20, output.width - used))
        name: tuple[str, Style] = (skill["name"], "bold" if skill["enabled"] else "dim")
        rows.append([name, (skill["source"], "dim"), f"[{mark}] {text}" if mark else text])
    output.table(rows)
    if not rows:
        output.line("No skills here. skilldeck new NAME writes one.")
    for lost in report["shadowed"]:
        output.line(("shadowed  ", "dim"), lost["name"], (f"  {lost['path']}, by {lost['winner_path']}", "dim"))
    errors = sum(problem["severity"] == "error" for problem in report["problems"])
    warnings = len(report["problems"]) - errors
    if report["problems"]:
        output.line()
        output.line((count_line(errors, warnings), "yellow"), "; skilldeck check explains them.")
    if report["trusted"] is False:
        output.line(("The project's own skills are not trusted: they are not in the model's catalog.", "yellow"))


def skill_marks(skill: dict[str, Any]) -> str:
    """What a person should know about a skill at a glance."""
    marks: list[str] = []
    if not skill["enabled"]:
        marks.append("off")
    if not skill["trusted"]:
        marks.append("untrusted")
    if not skill["model_invocable"]:
        marks.append("user only" if skill["user_invocable"] else "nobody")
    elif not skill["user_invocable"]:
        marks.append("model only")
    return ", ".join(marks)


def count_line(errors: int, warnings: int) -> str:
    """``2 errors, 1 warning``."""
    parts: list[str] = []
    if errors:
        parts.append(counted(errors, "error"))
    if warnings:
        parts.append(counted(warnings, "warning"))
    return ", ".join(parts) or "no problems"
