"""Reads what stands between the fences: the keys that a skill has a use for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skills_core.document import fields as f
from skills_core.document.block import read_block
from skills_core.document.invocation import read_invocation
from skills_core.document.model import SkillDocument

if TYPE_CHECKING:
    from skills_core.document.found import Frontmatter
    from skills_core.document.model import EntryName
    from skills_core.document.problems import ProblemList


def read_frontmatter(front: Frontmatter, entry: EntryName, problems: ProblemList) -> SkillDocument | None:
    """The document of a frontmatter; None when its problems keep it from being offered."""
    text, fence = front.text, front.fence
    fields = read_block(text, front.start, problems)
    if fields is None:
        if entry.kind == "flat" and problems.has("frontmatter.not-a-mapping"):
            problems.soften()
        return None
    if entry.kind == "flat" and "name" not in fields and "description" not in fields and not problems.failed:
        meant = f.near_miss(fields, "description")
        hint = "Add `name` and `description` if it is meant as a skill, or move the file out of the skills folder."
        problems.add(
            "description.missing",
            "The frontmatter has neither `name` nor `description`, so the file is not taken for a skill.",
            at=fence if meant is None else meant.key_at,
            severity="warning",
            hint=hint if meant is None else f"{f.spelling_hint(meant, 'description')} {hint}",
        )
        return None
    invocation = read_invocation(fields, text, problems)
    name = f.read_name(fields, entry, text, fence, problems)
    description = f.read_description(fields, text, fence, problems)
    when_to_use = f.read_when_to_use(fields, text, problems)
    argument_hint = f.read_argument_hint(fields, text, problems)
    metadata = f.read_metadata(fields, text, problems)
    f.check_others(fields, problems)
    if name is None or description is None or problems.failed:
        return None
    return SkillDocument(
        name=name[0],
        label=name[1],
        description=description,
        when_to_use=when_to_use,
        argument_hint=argument_hint,
        invocation=invocation,
        metadata=metadata,
        name_derived=name[2],
    )
