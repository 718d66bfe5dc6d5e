"""The names that files would offer, if they had no error."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Mapping

from skills_core.document import HEAD_BYTES
from skills_core.document.names import slug
from skills_core.problem import SkillProblem

_NAME = re.compile(r"""^[ \t]*["']?name["']?[ \t]*:[ \t]*["']?([^\r\n#"']{1,200})""", re.MULTILINE | re.IGNORECASE)


def broken_skills(problems: Iterable[SkillProblem]) -> Mapping[str, str]:
    """The path of a file that has an error, by each name that it may be meant to offer: the one that it writes, and
    that of its folder or file. Reads the beginning of each file."""
    found: dict[str, str] = {}
    for path in dict.fromkeys(problem.path for problem in problems if problem.severity == "error"):
        base = os.path.basename(path)
        stem = os.path.basename(os.path.dirname(path)) if base.lower() == "skill.md" else os.path.splitext(base)[0]
        for written in (*_NAME.findall(_beginning(path)), stem):
            name = slug(written)
            if name:
                found.setdefault(name, path)
    return found


def _beginning(path: str) -> str:
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        return ""
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return ""
        return os.read(descriptor, HEAD_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""
    finally:
        os.close(descriptor)
