"""Joining the roots of one observation: each file once, and who has a name within a root."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from skills_core.filesystem import problems
from skills_core.filesystem.outcome import too_deep_problems
from skills_core.filesystem.roots import lies_inside
from skills_core.filesystem.tree import FileEntry, RootTree
from skills_core.problem import SkillProblem
from skills_core.skill import SkillCandidate


@dataclass(slots=True)
class MergedRoots:
    """Candidates in the order of ranks, winners before those that they shadow, and all problems."""

    candidates: list[SkillCandidate]
    problems: list[SkillProblem]


def merge(trees: Sequence[RootTree], depth: int) -> MergedRoots:
    """Lists what the roots hold. A file that is reached twice counts once, where it is reached first.

    But a file beyond the project that a root of the person's own holds counts there, also when a link or a folder that
    the project names leads to it: a project must not make the person's skill its own.
    """
    merged = MergedRoots([], [])
    seen: set[tuple[int, int]] = set()
    own = _own_files(trees)
    for tree in trees:
        _add_root(tree, seen, own if tree.spec.project_root is not None else frozenset(), merged)
        if tree.presence == "unreadable":
            merged.problems.append(problems.trouble_problem(tree.spec.path, "refused", "", folder=True))
        merged.problems.extend(too_deep_problems(tree, depth))
    return merged


def _own_files(trees: Sequence[RootTree]) -> frozenset[tuple[int, int]]:
    """Device and inode of each skill file in the roots that belong to no project."""
    return frozenset(
        identity
        for tree in trees
        if tree.spec.project_root is None
        for entry in tree.entries.values()
        if entry.shown is not None and entry.shown.candidate is not None and (identity := entry.identity) is not None
    )


def _add_root(
    tree: RootTree, seen: set[tuple[int, int]], elsewhere: frozenset[tuple[int, int]], merged: MergedRoots
) -> None:
    winners: dict[str, FileEntry] = {}
    losers: list[FileEntry] = []
    vanishing: list[SkillCandidate] = []
    for entry in tree.in_order():
        outcome = entry.shown
        if outcome is None:
            continue
        signature = entry.signature
        if signature is not None:
            identity = signature[:2]
            if identity in seen or (identity in elsewhere and _lies_beyond_project(tree, entry)):
                continue
            seen.add(identity)
        if outcome.problems:
            merged.problems.extend(outcome.problems)
        candidate = outcome.candidate
        if candidate is None:
            continue
        if signature is None:
            vanishing.append(candidate)
            continue
        first = winners.get(candidate.name)
        if first is None:
            winners[candidate.name] = entry
        elif first.shown is not None and first.shown.derived and not outcome.derived:
            # A name that was written goes before one that was made from the place.
            winners[candidate.name] = entry
            losers.append(first)
        else:
            losers.append(entry)
    merged.candidates.extend(_candidates(winners.values()))
    for candidate in _candidates(losers):
        winner = winners[candidate.name]
        merged.candidates.append(candidate)
        merged.problems.append(problems.shadowed(candidate.path or "", candidate.name, tree.path_of(winner.rel)))
    merged.candidates.extend(candidate for candidate in vanishing if candidate.name not in winners)


def _lies_beyond_project(tree: RootTree, entry: FileEntry) -> bool:
    project_root = tree.spec.project_root
    return project_root is not None and not lies_inside(tree.real_path_of(entry), project_root)


def _candidates(entries: Iterable[FileEntry]) -> Iterable[SkillCandidate]:
    return (entry.shown.candidate for entry in entries if entry.shown is not None and entry.shown.candidate is not None)
