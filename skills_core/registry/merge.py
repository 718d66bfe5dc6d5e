"""Which skill has a name: the pure rule that joins layers, ranks and orders."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from skills_core.registry.layer import Entry
from skills_core.registry.snapshot import ShadowedSkill
from skills_core.skill import SkillFacts, SkillSummary


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


def merge(layers: Iterable[Sequence[Entry]], yields: Callable[[SkillFacts], bool] | None = None) -> Merged:
    """Merges layers given from far to near, each with its entries in order: runtime skills, then providers in
    the order of their registration, each in its own listing order.

    Within a layer the lower rank wins, then the earlier entry. The nearest layer's skill of a name wins outright.
    A skill for which ``yields`` is true has a name only when no other skill of any layer has it.
    """
    firm, yielding = _apart(layers, yields)
    winners: dict[str, Entry] = {}
    losers: list[Entry] = []
    _merge_into(winners, losers, firm)
    if yielding:
        others: dict[str, Entry] = {}
        _merge_into(others, losers, yielding)
        losers.extend(entry for name, entry in others.items() if name in winners)
        winners = {**others, **winners}
    names = sorted(winners)
    shadowed = [ShadowedSkill(loser.summary, winners[loser.summary.name].summary) for loser in losers]
    shadowed.sort(key=lambda item: (item.skill.name, item.skill.rank, item.skill.path or ""))
    return Merged(winners, tuple(winners[name].summary for name in names), tuple(shadowed))


def _apart(
    layers: Iterable[Sequence[Entry]], yields: Callable[[SkillFacts], bool] | None
) -> tuple[list[Sequence[Entry]], list[Sequence[Entry]]]:
    if yields is None:
        return list(layers), []
    firm: list[Sequence[Entry]] = []
    yielding: list[Sequence[Entry]] = []
    for entries in layers:
        later = [entry for entry in entries if yields(entry.summary)]
        given_way = set(map(id, later))
        firm.append([entry for entry in entries if id(entry) not in given_way] if later else entries)
        if later:
            yielding.append(later)
    return firm, yielding


def _merge_into(winners: dict[str, Entry], losers: list[Entry], layers: Iterable[Sequence[Entry]]) -> None:
    for entries in layers:
        layer: dict[str, Entry] = {}
        for entry in sorted(entries, key=_rank):
            if entry.summary.name in layer:
                losers.append(entry)
            else:
                layer[entry.summary.name] = entry
        losers.extend(winners[name] for name in layer if name in winners)
        winners.update(layer)


def _rank(entry: Entry) -> float:
    return entry.summary.rank
