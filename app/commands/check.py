"""``skilldeck check``: why a file is not offered as a skill, and how to mend it."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from app.context import CommandContext
from app.output import Output
from app.process import DONE, NOT_SO, run_async

if TYPE_CHECKING:
    from app.checking import CheckResult
    from skills_core.problem import SkillProblem


def run(context: CommandContext) -> int:
    settings = context.settings()
    paths = [os.path.normpath(os.path.join(context.cwd, os.path.expanduser(path))) for path in context.arguments.paths]

    async def main() -> int:
        from app.checking import check

        async with context.runtime(settings, watch=False) as runtime:
            result = await check(runtime, paths)
        errors = sum(problem.severity == "error" for problem in result.problems)
        warnings = len(result.problems) - errors
        _print(context, result, errors, warnings, runtime.project_root)
        for note in result.notes:
            context.output.message(f"skilldeck: {note}")
        if result.reason:
            context.output.failure(f"not everything could be checked: {result.reason}")
        failed = errors or result.reason or (context.arguments.strict and warnings)
        return NOT_SO if failed else DONE

    return run_async(main)


def _print(context: CommandContext, result: CheckResult, errors: int, warnings: int, project_root: str) -> None:
    output = context.output
    checked = len(result.checked)
    match context.arguments.format:
        case "json":
            from app.controllers.skill_report import problem_objects

            problems = problem_objects(result.problems)
            output.json({"checked": checked, "errors": errors, "warnings": warnings, "problems": problems})
        case "github":
            for problem in result.problems:
                output.line(github_line(problem, project_root))
        case _:
            from app.commands.skills import count_line

            for problem in result.problems:
                _print_problem(output, problem, context.cwd)
            colour = "red" if errors else "yellow" if warnings else "green"
            output.line(f"{checked} checked: ", (count_line(errors, warnings), colour))


def _print_problem(output: Output, problem: SkillProblem, cwd: str) -> None:
    parts = (relative(problem.path, cwd), problem.line, problem.column)
    place = ":".join(str(part) for part in parts if part is not None)
    colour = "red" if problem.severity == "error" else "yellow"
    output.line(
        (place, "bold"), ": ", (problem.severity, colour), f": {problem.message} ", (f"[{problem.code}]", "dim")
    )
    shown = _source_line(problem, output.width)
    if shown is not None:
        text, caret = shown
        number = str(problem.line)
        output.line((f"  {number} | ", "dim"), text)
        output.line((f"  {' ' * len(number)} | ", "dim"), (caret, colour))
    if problem.hint:
        output.line(("  hint: ", "cyan"), problem.hint)
    output.line()


def _source_line(problem: SkillProblem, width: int) -> tuple[str, str] | None:
    from app.controllers.source_excerpt import excerpt, line_of
    from skills_core.document import FILE_MAX_BYTES

    if problem.line is None or problem.column is None:
        return None
    try:
        # What it was when it was checked, it need not be now: a pipe is not waited for.
        with open(os.open(problem.path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return None
            line = line_of(file.read(FILE_MAX_BYTES), problem.line)
    except OSError:
        return None
    if line is None or not line.strip():
        return None
    return excerpt(line, problem.column, width - len(str(problem.line)) - 5)


def relative(path: str, folder: str) -> str:
    """The path relative to a folder that it lies in, else as it is."""
    below = os.path.relpath(path, folder)
    return path if below.startswith(os.pardir) else below


def github_line(problem: SkillProblem, project_root: str) -> str:
    """A workflow command that puts the problem beside its line."""
    place = [f"file={_property(relative(problem.path, project_root))}"]
    if problem.line is not None:
        place.append(f"line={problem.line}")
    if problem.column is not None:
        place.append(f"col={problem.column}")
    message = f"{problem.message} ({problem.code}) {problem.hint}".strip()
    return f"::{problem.severity} {','.join(place)}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
