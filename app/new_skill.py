"""A new skill on the disk, for the command and for the screen."""

from __future__ import annotations

import os

from app.errors import UsageError


def project_skill_root(project_root: str) -> str:
    """Where a project's new skills go."""
    return os.path.join(project_root, ".agents", "skills")


def user_skill_root(agents_home: str | None) -> str:
    """Where a person's own new skills go; ``agents_home`` is the setting."""
    from skills_core.filesystem.homes import agents_home as home_of

    return home_of(agents_home, "skills")


def check_name(name: str) -> None:
    """Raises UsageError, with a name that would do, when this one will not."""
    from app.controllers.skill_template import name_fault
    from skills_core.document.names import slug

    fault = name_fault(name)
    if fault is not None:
        better = slug(name)
        raise UsageError(f'"{name}": {fault}', f"for example: skilldeck new {better}" if better else "")


def write_skill(root: str, name: str) -> str:
    """Writes the template as a new skill of a root and returns its file. Raises UsageError, and touches nothing that
    was there."""
    from app.controllers.skill_template import skill_template

    folder = os.path.join(root, name)
    path = os.path.join(folder, "SKILL.md")
    for taken in (folder, os.path.join(root, f"{name}.md")):
        if os.path.lexists(taken):
            raise UsageError(f"{taken}: there is one already", "choose another name, or edit that one")
    try:
        os.makedirs(root, exist_ok=True)
        os.mkdir(folder)
        with open(path, "x", encoding="utf-8") as file:
            file.write(skill_template(name))
    except FileExistsError as error:
        raise UsageError(f"{error.filename or folder}: is in the way") from None
    except OSError as error:
        raise UsageError(f"{error.filename or folder}: {(error.strerror or str(error)).lower()}") from None
    return path
