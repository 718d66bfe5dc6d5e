"""Which skill has a name: the pure rule that joins layers, ranks and orders."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from skills_core.registry.layer import RegisteredProvider
from skills_core.registry.snapshot import ShadowedSkill
from skills_core.skill import SkillCandidate, SkillDefinition, SkillFacts, SkillSummary


@dataclass(frozen=True, slots=True)
class Entry:
    """A candidate with where it can be loaded: from its provider, or as the runtime skill itself."""

    summary: SkillSummary
    rank: float
    registered: RegisteredProvider | None
    candidate: SkillCandidate | None
    definition: SkillDefinition | None


@dataclass(frozen=True, slots=True)
class Merged:
    winners: dict[str, Entry]
    skills: tuple[SkillSummary, ...]
    shadowed: tuple[ShadowedSkill, ...]


def summarise(facts: SkillFacts) -> SkillSummary:
    """The summary of a candidate or definition; shared parts keep their identity."""
    return SkillSummary(
        name=facts.name,
        description=facts.description,
        source=facts.source,
        provider=facts.provider,
        rank=facts.rank,
        invocation=facts.invocation,
        when_to_use=facts.when_to_use,
        argument_hint=facts.argument_hint,
        label=facts.label,
        resource_base=facts.resource_base,
        path=facts.path,
        real_path=facts.real_path,
        project_root=facts.project_root,
    )


def merge(layers: Iterable[Sequence[Entry]]) -> Merged:
    """Merges layers given from far to near, each with its entries in order: runtime skills, then providers in
    the order of their registration, each in its own listing order.

    Within a layer the lower rank wins, then the earlier entry. The nearest layer's skill of a name wins outright.
    """
    winners: dict[str, Entry] = {}
    losers: list[Entry] = []
    for entries in layers:
        layer: dict[str, Entry] = {}
        for entry in sorted(entries, key=_rank):
            if entry.summary.name in layer:
                losers.append(entry)
            else:
                layer[entry.summary.name] = entry
        losers.extend(winners[name] for name in layer if name in winners)
        winners.update(layer)
    names = sorted(winners)
    shadowed = [ShadowedSkill(loser.summary, winners[loser.summary.name].summary) for loser in losers]
    shadowed.sort(key=lambda item: (item.skill.name, item.skill.rank, item.skill.path or ""))
    return Merged(winners, tuple(winners[name].summary for name in names), tuple(shadowed))


def _rank(entry: Entry) -> float:
    return entry.rank
