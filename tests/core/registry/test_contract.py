from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from skills_core.registry import Lookup, ProviderContractError, ProviderListing, SkillRegistry
from skills_core.skill import InvocationPolicy

from .support import add, candidate, definition, names


@pytest.mark.parametrize("result", [None, 1, {}, "text", ProviderListing(complete="yes")])  # type: ignore[arg-type]
async def test_a_malformed_listing_is_the_providers_fault(result: Any):
    registry = SkillRegistry()
    add(registry, "healthy", "fine")
    provider = add(registry, "memory")

    async def malformed(lookup: Lookup) -> Any:
        return result

    provider.list = malformed
    with pytest.raises(ProviderContractError, match=r'skill provider "memory" list\(\) must return'):
        await registry.snapshot()


FIELDS: list[tuple[dict[str, Any], str]] = [
    ({"name": {}}, "non-string skill name"),
    ({"name": "Bad_Name"}, "invalid skill name"),
    ({"description": {}}, "non-string description"),
    ({"description": " "}, "without a description"),
    ({"invocation": None}, "not an InvocationPolicy"),
    ({"invocation": InvocationPolicy("false", True)}, "non-boolean invocation.model_invocable"),  # type: ignore[arg-type]
    ({"invocation": InvocationPolicy(True, "true")}, "non-boolean invocation.user_invocable"),  # type: ignore[arg-type]
    ({"when_to_use": 1}, "non-string when_to_use"),
    ({"source": {}}, "non-string source"),
    ({"rank": "1"}, "invalid rank"),
    ({"rank": float("nan")}, "invalid rank"),
    ({"rank": float("inf")}, "invalid rank"),
    ({"rank": True}, "invalid rank"),
    ({"provider": {}}, "non-string provider"),
    ({"path": 1}, "non-string path"),
    ({"resource_base": "/tmp"}, "invalid resource_base"),
]


@pytest.mark.parametrize(("change", "message"), [*FIELDS, ({"provider": "other"}, 'for provider "other"')])
async def test_a_malformed_candidate_fails_fast_and_names_the_field(change: dict[str, Any], message: str):
    registry = SkillRegistry()
    provider = add(registry, "memory")
    provider.candidates = [replace(candidate("fine"), **change)]
    with pytest.raises(ProviderContractError, match=message) as raised:
        await registry.snapshot()
    assert 'skill provider "memory"' in str(raised.value)


async def test_a_candidate_of_another_type_fails_fast():
    registry = SkillRegistry()
    add(registry, "memory").candidates = [{"name": "fine"}]  # type: ignore[list-item]
    with pytest.raises(ProviderContractError, match="not a SkillCandidate: dict"):
        await registry.snapshot()


async def test_a_lenient_registry_contains_a_malformed_provider_loudly():
    registry = SkillRegistry(strict=False)
    add(registry, "healthy", "fine")
    provider = add(registry, "memory")
    provider.candidates = [candidate("good"), replace(candidate("fine"), rank=float("nan"))]
    snapshot = await registry.snapshot()
    assert [s.name for s in snapshot.skills] == ["fine"] and not snapshot.complete
    (problem,) = snapshot.problems
    assert problem.severity == "error" and "invalid rank" in problem.message and "memory" in problem.message
    assert "invalid rank" in snapshot.reason


@pytest.mark.parametrize(("change", "message"), [*FIELDS, ({"content": {}}, "non-string content")])
async def test_a_malformed_definition_is_refused(change: dict[str, Any], message: str):
    registry = SkillRegistry()
    provider = add(registry, "memory", "fine")
    provider.load = lambda of: replace(definition(of), **change)
    with pytest.raises(ProviderContractError, match=message):
        await registry.get("fine")


async def test_a_definition_of_another_type_is_refused():
    registry = SkillRegistry()
    provider = add(registry, "memory", "fine")
    provider.load = lambda of: {"content": "text"}
    with pytest.raises(ProviderContractError, match="not a SkillDefinition: dict"):
        await registry.get("fine")


@pytest.mark.parametrize("size", [0, -1, 1.5, True, "2"])
def test_the_cache_size_must_be_a_positive_integer(size: Any):
    with pytest.raises(ValueError, match="cache_size"):
        SkillRegistry(cache_size=size)


async def test_an_empty_registry_is_complete():
    registry = SkillRegistry()
    snapshot = await registry.snapshot()
    assert snapshot.skills == () and snapshot.complete and await names(registry) == []
