"""The problems that discovery finds, in words for a person."""

from __future__ import annotations

import os

from skills_core.document.problems import PROBLEM_KINDS
from skills_core.filesystem.opening import Trouble
from skills_core.filesystem.tree import FOLDERS_MAX
from skills_core.problem import SkillProblem
from skills_core.words import counted

_SHOWN_MAX = 160


def printable(text: str) -> str:
    """A path or name as it may stand in a message: controls and undecodable bytes become U+FFFD, long ones are cut."""
    clean = "".join(character if character.isprintable() else "�" for character in text)
    return clean if len(clean) <= _SHOWN_MAX else f"…{clean[1 - _SHOWN_MAX :]}"


def trouble_problem(path: str, trouble: Trouble, detail: str, *, folder: bool = False) -> SkillProblem:
    """The problem of a file (or, with ``folder``, of a folder) that cannot be read."""
    what = "folder" if folder else "file"
    if trouble == "dangling-link":
        return _problem("file.dangling-link", path, "The link leads to nothing: what it points to does not exist.")
    if trouble == "link-loop":
        return _problem("file.link-loop", path, "The links lead round in a circle and never to a file.")
    if trouble == "link-outside":
        where = f", to `{printable(detail)}`" if detail else ""
        return _problem(
            "file.link-outside", path, f"The link leaves the skill's folder{where}; a project may not do that."
        )
    if trouble == "not-regular":
        return _problem("file.not-regular", path, f"The entry is {detail or 'a special file'}, not a regular file.")
    if trouble == "refused":
        return _problem("file.unreadable", path, f"Permission to read the {what} is refused.")
    return _problem("file.unreadable", path, f"The {what} could not be read: {_lowered(detail) or 'it is not there'}.")


def too_large(path: str, size: int, limit: int) -> SkillProblem:
    return _problem("file.too-large", path, f"The file has {size:,} bytes; the limit is {limit:,}.")


def unexpected(path: str, error: BaseException) -> SkillProblem:
    return _problem("file.unexpected", path, f"The file could not be read: {type(error).__name__}.")


def _lowered(reason: str) -> str:
    """The system's reason as the end of a sentence."""
    return reason[:1].lower() + reason[1:]


def letter_case(path: str) -> SkillProblem:
    name = printable(os.path.basename(path))
    return _problem("file.letter-case", path, f"The file is called `{name}`, not `SKILL.md`.")


def too_deep(path: str, depth: int, allowed: int) -> SkillProblem:
    """A SKILL.md that lies ``depth`` folders below its root, where ``allowed`` are looked into."""
    hint = f"Set `discovery_depth` to {depth} to offer it, or move its folder up into the root."
    folders = counted(allowed, "folder")
    message = f"The file lies {depth} folders deep, so it is not offered; skills are looked for {folders} deep."
    return _problem("file.too-deep", path, message, hint)


def too_many_folders(root: str) -> SkillProblem:
    hint = "Move the skills' folders up into the root, or use a root that holds nothing else."
    message = f"More than {FOLDERS_MAX:,} folders lie deeper in the root; what lies beyond them was not looked at."
    return SkillProblem(code="file.too-deep", severity="warning", path=root, message=message, hint=hint)


def shadowed(path: str, name: str, winner: str) -> SkillProblem:
    """A skill whose name another entry of the same root, ``winner``, has."""
    kind = PROBLEM_KINDS["name.shadowed"]
    message = f"The name `{name}` is taken in the same root: `{printable(winner)}` is used."
    return SkillProblem(
        code="name.shadowed", severity=kind.severity, path=path, message=message, hint=kind.hint, skill=name
    )


def _problem(code: str, path: str, message: str, hint: str | None = None) -> SkillProblem:
    kind = PROBLEM_KINDS[code]
    return SkillProblem(
        code=code, severity=kind.severity, path=path, message=message, hint=hint or kind.hint, line=1, column=1
    )
