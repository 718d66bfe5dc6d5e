"""What a reading comes to: a candidate, problems, or nothing."""

from __future__ import annotations

from typing import NamedTuple

from skills_core.filesystem import problems
from skills_core.filesystem.tree import SKILL_FILE, EntryKind, FileEntry, Outcome, RootTree
from skills_core.problem import SkillProblem
from skills_core.skill import DirectoryBase, SkillCandidate


class Locator(NamedTuple):
    """The provider's handle on a candidate's file. ``confined``: links may not leave the skill's folder."""

    path: str
    kind: EntryKind
    stem: str
    confined: bool


def reading_outcome(tree: RootTree, entry: FileEntry, provider: str) -> Outcome:
    """The outcome of an entry's latest reading."""
    reading = entry.reading
    if reading is None or reading.not_a_skill:
        return Outcome()
    path = tree.path_of(entry.rel)
    found = reading.problems
    document = reading.document
    if entry.kind == "bundle" and not entry.rel.endswith(f"/{SKILL_FILE}"):
        found = (problems.letter_case(path), *found)
    if document is None:
        return Outcome(None, found)
    spec = tree.spec
    candidate = SkillCandidate(
        name=document.name,
        description=document.description,
        source=spec.source,
        provider=provider,
        rank=spec.rank,
        invocation=document.invocation,
        when_to_use=document.when_to_use,
        argument_hint=document.argument_hint,
        label=document.label,
        resource_base=DirectoryBase(path[: path.rfind("/")] or "/"),
        path=path,
        real_path=tree.real_path_of(entry),
        project_root=spec.project_root,
        locator=Locator(path, entry.kind, entry.stem, tree.confined),
        metadata=document.metadata,
    )
    return Outcome(candidate, found, document.name_derived)


def trouble_outcome(tree: RootTree, entry: FileEntry) -> Outcome:
    """The outcome of an entry that cannot be read: a problem of its file, or of its folder when that is at fault."""
    assert entry.trouble is not None
    folder = entry.folder
    of_folder = entry.kind == "bundle" and folder is not None and folder.signature is None
    path = tree.path_of(folder.rel if of_folder and folder is not None else entry.rel)
    return Outcome(None, (problems.trouble_problem(path, entry.trouble, entry.trouble_detail, folder=of_folder),))


def too_deep_problems(tree: RootTree, allowed: int) -> list[SkillProblem]:
    """What lies deeper in a root than skills are looked for."""
    found: list[SkillProblem] = []
    for folder in tree.folders.values():
        if folder.below is not None:
            found.extend(problems.too_deep(tree.path_of(rel), rel.count("/"), allowed) for rel in folder.below.found)
    if tree.truncated:
        found.append(problems.too_many_folders(tree.spec.path))
    return found
