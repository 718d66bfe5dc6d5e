"""The file that ``skilldeck new`` writes, and the names it takes."""

from __future__ import annotations

from skills_core.skill import NAME_MAX_LENGTH, is_skill_name


def name_fault(name: str) -> str | None:
    """Why a name cannot be a skill's name, or None."""
    if not is_skill_name(name):
        return "a skill's name is lower-case letters and digits, in words joined by single hyphens"
    if len(name) > NAME_MAX_LENGTH:
        return f"a skill's name has at most {NAME_MAX_LENGTH} characters, this one has {len(name)}"
    return None


def skill_template(name: str) -> str:
    """A file to write over. Its description is a placeholder, so that it is offered only when that is filled in."""
    words = name.replace("-", " ")
    heading = words[:1].upper() + words[1:]
    return f"""\
---
name: {name}
description: <Write what it does in one or two sentences, and when to use it, in the words that people use.>
---

# {heading}

Say what to do, in order, as to a capable colleague who does not know this place: the commands, the paths, the traps.

1. First ...
2. Then ...

## Check

Say how to see that the result is right, and when to stop and ask.
"""
