"""Joining the roots of one observation: each file once, and who has a name within a root."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from skills_core.filesystem import problems
from skills_core.filesystem.outcome import too_deep_problems
from skills_core.filesystem.tree import Entry, Outcome, RootTree
from skills_core.problem import SkillProblem
from skills_core.skill import SkillCandidate


@dataclass(slots=True)
class Merged:
    """Candidates in the order of ranks, winners before those that they shadow, and all problems."""

    candidates: list[SkillCandidate]
    problems: list[SkillProblem]


def merge(trees: Sequence[RootTree], depth: int) -> Merged:
    """Lists what the roots hold. A file that is reached twice counts once, where it is reached first."""
    merged = Merged([], [])
    seen: set[tuple[int, int]] = set()
    for tree in trees:
        _add_root(tree, seen, merged)
        if tree.presence == "unreadable":
            merged.problems.append(problems.trouble_problem(tree.spec.path, "refused", "", folder=True))
        merged.problems.extend(too_deep_problems(tree, depth))
    return merged


def _add_root(tree: RootTree, seen: set[tuple[int, int]], merged: Merged) -> None:
    here: list[tuple[Entry, Outcome]] = []
    vanishing: list[SkillCandidate] = []
    for entry in tree.in_order():
        outcome = entry.shown
        if outcome is None:
            continue
        identity = entry.identity
        if identity is not None:
            if identity in seen:
                continue
            seen.add(identity)
        if outcome.problems:
            merged.problems.extend(outcome.problems)
        if outcome.candidate is None:
            continue
        if identity is None:
            vanishing.append(outcome.candidate)
        else:
            here.append((entry, outcome))
    winners = _winners(here)
    losers: list[SkillCandidate] = []
    for entry, outcome in here:
        candidate = outcome.candidate
        assert candidate is not None
        if winners[candidate.name][0] is entry:
            merged.candidates.append(candidate)
        else:
            winner = winners[candidate.name][0]
            losers.append(candidate)
            merged.problems.append(problems.shadowed(tree.path_of(entry.rel), candidate.name, tree.path_of(winner.rel)))
    merged.candidates.extend(losers)
    merged.candidates.extend(candidate for candidate in vanishing if candidate.name not in winners)


def _winners(here: list[tuple[Entry, Outcome]]) -> dict[str, tuple[Entry, Outcome]]:
    """Who has each name: the first in order, but a written name goes before one made from the place."""
    winners: dict[str, tuple[Entry, Outcome]] = {}
    for entry, outcome in here:
        candidate = outcome.candidate
        assert candidate is not None
        first = winners.get(candidate.name)
        if first is None or (first[1].derived and not outcome.derived):
            winners[candidate.name] = (entry, outcome)
    return winners
