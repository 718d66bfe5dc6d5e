"""What ``skilldeck check`` looks at: every root, or what lies at the paths that were named."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from app.errors import UsageError
from app.runtime import SETTLE_SECONDS, Runtime, filesystem_settings
from skills_core.problem import SkillProblem, problem_order
from skills_core.registry import Lookup, SkillRegistry, SkillSnapshot, settled_snapshot

if TYPE_CHECKING:
    from skills_core.filesystem.tree import EntryKind


@dataclass(frozen=True, slots=True)
class CheckResult:
    """``checked`` are the files looked at, ``reason`` says why the answer is not complete (empty when it is), and
    ``notes`` are lines for a person about paths that hold no skill."""

    checked: frozenset[str]
    problems: tuple[SkillProblem, ...]
    reason: str = ""
    notes: tuple[str, ...] = ()


async def check(runtime: Runtime, paths: Sequence[str]) -> CheckResult:
    """Checks the paths (absolute), or every root when there are none.

    Raises UsageError for a path that is not there.
    """
    for path in paths:
        if not os.path.lexists(path):
            raise UsageError(f"{path}: there is no such file or folder")
    snapshot = await runtime.settled()
    roots = {root.path for root in runtime.filesystem.roots(runtime.cwd)}
    whole = _result(snapshot, roots)
    if not paths:
        return whole
    return _joined([await _check_path(runtime, whole, path) for path in paths])


async def _check_path(runtime: Runtime, whole: CheckResult, path: str) -> CheckResult:
    """What the roots say about the path; what lies outside of them, or is none of their entries, is read by itself."""
    known = await asyncio.to_thread(_below, whole, path)
    if known.checked or known.problems:
        return known
    if os.path.isdir(path):
        found = await asyncio.to_thread(_skill_file_in, path)
        if found is None:
            inside = await asyncio.to_thread(_project_roots, path)
            return _joined([await _check_root(runtime, root) for root in inside or (path,)])
        return await asyncio.to_thread(_check_file, found, "bundle")
    name = os.path.basename(path)
    if name.lower() == "skill.md":
        return await asyncio.to_thread(_check_file, path, "bundle")
    if not name.lower().endswith(".md"):
        raise UsageError(f"{path}: is no skill file", "a skill is a folder with a SKILL.md, or a NAME.md")
    return await asyncio.to_thread(_check_file, path, "flat")


def _project_roots(path: str) -> list[str]:
    """The folders of skills that a project's own folder holds."""
    roots = (os.path.join(path, home, "skills") for home in (".dsh", ".agents"))
    return [root for root in roots if os.path.isdir(root)]


async def _check_root(runtime: Runtime, path: str) -> CheckResult:
    """A folder of skills that is none of the roots here, looked at as if it were one."""
    settings = replace(
        filesystem_settings(runtime.settings),
        watch=False,
        include_default_roots=False,
        custom_skill_dirs=(path,),
        project_skill_dirs=(),
        bundled_skill_dir=None,
    )
    from skills_core.filesystem import filesystem_provider

    registry = SkillRegistry(strict=False)
    provider = registry.register_provider(filesystem_provider(settings)).provider
    try:
        snapshot = await settled_snapshot(registry, Lookup(), SETTLE_SECONDS)
    finally:
        await registry.aclose()
        await provider.aclose()
    result = _result(snapshot, {path})
    return result if result.checked else replace(result, notes=(f"{path}: there are no skills in it",))


def _check_file(path: str, kind: EntryKind) -> CheckResult:
    from skills_core.filesystem import problems
    from skills_core.filesystem.opening import FileTroubleError
    from skills_core.filesystem.reading import read_body

    folder = os.path.dirname(path)
    stem = os.path.basename(folder) if kind == "bundle" else os.path.splitext(os.path.basename(path))[0]
    try:
        reading, _, _ = read_body(path, kind, stem, confined=False)
    except FileTroubleError as error:
        return CheckResult(frozenset({path}), (problems.trouble_problem(path, error.trouble, error.detail),))
    found = list(reading.problems)
    if kind == "bundle" and os.path.basename(path) != "SKILL.md":
        found.append(problems.letter_case(path))
    notes = (f"{path}: has no frontmatter, so it is no skill",) if reading.not_a_skill else ()
    return CheckResult(frozenset({path}), tuple(sorted(found, key=problem_order)), notes=notes)


def _skill_file_in(folder: str) -> str | None:
    try:
        names = [name for name in os.listdir(folder) if name.lower() == "skill.md"]
    except OSError as error:
        raise UsageError(f"{folder}: {(error.strerror or str(error)).lower()}") from None
    if not names:
        return None
    return os.path.join(folder, "SKILL.md" if "SKILL.md" in names else min(names))


def _result(snapshot: SkillSnapshot, roots: set[str]) -> CheckResult:
    offered = (*snapshot.skills, *(lost.skill for lost in snapshot.shadowed))
    paths = {skill.path for skill in offered if skill.path is not None}
    paths |= {problem.path for problem in snapshot.problems if problem.path not in roots}
    problems = tuple(sorted(snapshot.problems, key=problem_order))
    return CheckResult(frozenset(paths), problems, "" if snapshot.complete else snapshot.reason)


def _below(whole: CheckResult, path: str) -> CheckResult:
    wanted = {os.path.abspath(path), os.path.realpath(path)}

    def inside(file: str) -> bool:
        return any(
            spelled == place or spelled.startswith(place.rstrip(os.sep) + os.sep)
            for spelled in (file, os.path.realpath(file))
            for place in wanted
        )

    return replace(
        whole,
        checked=frozenset(file for file in whole.checked if inside(file)),
        problems=tuple(problem for problem in whole.problems if inside(problem.path)),
    )


def _joined(results: Iterable[CheckResult]) -> CheckResult:
    results = tuple(results)
    problems = {problem for result in results for problem in result.problems}
    return CheckResult(
        frozenset(path for result in results for path in result.checked),
        tuple(sorted(problems, key=problem_order)),
        "; ".join(dict.fromkeys(result.reason for result in results if result.reason)),
        tuple(dict.fromkeys(note for result in results for note in result.notes)),
    )
