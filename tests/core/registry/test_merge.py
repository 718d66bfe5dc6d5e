from __future__ import annotations

import pytest

from skills_core.registry import Lookup, RegistrationError, Scope, SkillRegistry
from skills_core.skill import DirectoryBase, InvocationPolicy, OpaqueBase, RuntimeSkill

from .support import add, candidate, definition, names


def runtime(name: str, **facts) -> RuntimeSkill:
    return RuntimeSkill(
        name=name, description=facts.pop("description", f"About {name}."), content=f"{name} body.", **facts
    )


async def test_lower_rank_wins_and_the_loser_is_shadowed():
    registry = SkillRegistry()
    memory = add(registry, "memory")
    memory.candidates = [
        candidate("z-skill", rank=20),
        candidate("a-skill", rank=10),
        candidate("shadowed", rank=20, description="Lower priority"),
    ]
    override = add(registry, "override")
    override.candidates = [candidate("shadowed", provider="override", rank=5, description="Higher priority")]
    override.load = lambda of: definition(of, "the override's body")

    snapshot = await registry.snapshot()
    assert [(s.name, s.provider) for s in snapshot.skills] == [
        ("a-skill", "memory"),
        ("shadowed", "override"),
        ("z-skill", "memory"),
    ]
    (loser,) = snapshot.shadowed
    assert (loser.skill.provider, loser.skill.description) == ("memory", "Lower priority")
    assert loser.winner is snapshot.by_name["shadowed"]
    loaded = await registry.get("shadowed")
    assert loaded is not None and loaded.content == "the override's body"

    memory.registration.close()
    assert await names(registry) == ["shadowed"]
    assert memory.control is not None and memory.control.closed


async def test_equal_ranks_go_by_registration_then_listing_order():
    registry = SkillRegistry()
    first = add(registry, "first")
    second = add(registry, "second")
    second.candidates = [candidate("same", provider="second", description="second")]
    first.candidates = [
        candidate("same", provider="first", description="first"),
        candidate("same", provider="first", description="later in the list"),
    ]
    snapshot = await registry.snapshot()
    assert snapshot.by_name["same"].description == "first"
    assert sorted(s.skill.description for s in snapshot.shadowed) == ["later in the list", "second"]


async def test_a_runtime_skill_sorts_before_a_provider_of_its_rank():
    registry = SkillRegistry()
    provider = add(registry, "memory")
    provider.candidates = [candidate("same", rank=250)]
    registry.register(runtime("same"))
    assert (await registry.snapshot()).by_name["same"].provider == "runtime"
    provider.candidates = [candidate("same", rank=200)]
    provider.control.invalidate()
    assert (await registry.snapshot()).by_name["same"].provider == "memory"


async def test_the_nearest_layer_wins_regardless_of_rank():
    registry = SkillRegistry()
    scope = Scope()
    far = add(registry, "far")
    far.candidates = [candidate("shared-name", provider="far", rank=10, description="global")]
    near = add(registry, "near", scope=scope)
    near.candidates = [candidate("shared-name", provider="near", rank=900, description="scoped")]
    near.load = lambda of: definition(of, "scoped body")

    scoped = Lookup(scope=scope)
    snapshot = await registry.snapshot(scoped)
    assert [s.description for s in snapshot.skills] == ["scoped"]
    assert [(s.skill.description, s.winner.description) for s in snapshot.shadowed] == [("global", "scoped")]
    loaded = await registry.get("shared-name", scoped)
    assert loaded is not None and loaded.content == "scoped body"
    assert (await registry.snapshot()).by_name["shared-name"].description == "global"


async def test_a_scoped_provider_is_seen_in_that_scope_only():
    registry = SkillRegistry()
    scope = Scope("preset")
    add(registry, "global", "global-skill")
    add(registry, "preset-local", "preset-skill", scope=scope)
    assert await names(registry) == ["global-skill"]
    assert await names(registry, Lookup(scope=scope)) == ["global-skill", "preset-skill"]
    assert await registry.get("preset-skill") is None
    assert (await registry.get("preset-skill", Lookup(scope=scope))) is not None


async def test_reparenting_a_scope_is_seen_by_the_next_view():
    registry = SkillRegistry()
    a, b = Scope("a"), Scope("b")
    registry.register(runtime("skill-a"), a)
    registry.register(runtime("skill-b"), b)
    agent = Scope("agent", parent=a)
    assert await names(registry, Lookup(scope=agent)) == ["skill-a"]
    agent.reparent(b)
    assert await names(registry, Lookup(scope=agent)) == ["skill-b"]
    agent.reparent(None)
    assert await names(registry, Lookup(scope=agent)) == []


async def test_provider_names_are_unique_in_a_layer():
    registry = SkillRegistry()
    a, b = Scope("a"), Scope("b")
    add(registry, "memory")
    add(registry, "memory", "a-only", scope=a)
    add(registry, "memory", "b-only", scope=b)
    with pytest.raises(RegistrationError, match=r'named "memory" is already registered in this scope$'):
        add(registry, "memory", scope=a)
    with pytest.raises(RegistrationError, match=r'named "memory" is already registered$'):
        add(registry, "memory")
    assert await names(registry, Lookup(scope=a)) == ["a-only"]
    assert await names(registry, Lookup(scope=b)) == ["b-only"]


async def test_names_are_sorted_by_code_point():
    registry = SkillRegistry()
    add(registry, "memory", "z-skill", "a-skill", "a1", "a-1", "a")
    assert await names(registry) == sorted(["z-skill", "a-skill", "a1", "a-1", "a"])


async def test_the_registry_applies_no_invocation_policy():
    registry = SkillRegistry()
    registry.register(runtime("both"))
    registry.register(runtime("model-only", invocation=InvocationPolicy(True, False)))
    registry.register(runtime("user-only", invocation=InvocationPolicy(False, True)))
    registry.register(runtime("trusted-only", invocation=InvocationPolicy(False, False)))
    snapshot = await registry.snapshot()
    assert [s.name for s in snapshot.skills] == ["both", "model-only", "trusted-only", "user-only"]
    assert [s.name for s in snapshot.skills if s.invocation.model_invocable] == ["both", "model-only"]
    assert [s.name for s in snapshot.skills if s.invocation.user_invocable] == ["both", "user-only"]
    loaded = await registry.get("trusted-only")
    assert loaded is not None and loaded.content == "trusted-only body."


async def test_shared_parts_keep_their_identity():
    registry = SkillRegistry()
    base, policy, locator, metadata = OpaqueBase("archive"), InvocationPolicy(True, False), object(), {"owner": "x"}
    provider = add(registry, "memory")
    listed = candidate(
        "full", resource_base=base, invocation=policy, locator=locator, metadata=metadata, when_to_use="now", path="/p"
    )
    made = definition(listed)
    provider.candidates = [listed]
    provider.load = lambda of: made
    (summary,) = (await registry.snapshot()).skills
    assert summary.resource_base is base and summary.invocation is policy
    assert not hasattr(summary, "locator") and not hasattr(summary, "metadata")
    assert await registry.get("full") is made
    assert provider.listed == 1 and provider.got[0] is listed


async def test_runtime_parts_keep_their_identity_and_get_the_default_provider():
    registry = SkillRegistry()
    base, metadata, policy = DirectoryBase("/b"), {"a": 1}, InvocationPolicy(False, True)
    registry.register(runtime("one", resource_base=base, metadata=metadata, invocation=policy))
    registry.register(runtime("two", provider="mine"))
    one, two = (await registry.snapshot()).skills
    assert one.resource_base is base and one.invocation is policy
    loaded = await registry.get("one")
    assert loaded is not None and loaded.resource_base is base and loaded.metadata is metadata
    assert (one.provider, one.rank, two.provider) == ("runtime", 250, "mine")


async def test_the_exact_lookup_reaches_list_and_get():
    registry = SkillRegistry()
    provider = add(registry, "memory", "skill-a")
    lookup = Lookup(cwd="/workspace/a")
    await registry.snapshot(lookup)
    await registry.get("skill-a", lookup)
    assert all(seen is lookup for seen in provider.lookups) and len(provider.lookups) == 2


async def test_duplicate_runtime_skill_is_ignored_and_its_handle_does_nothing(caplog):
    registry = SkillRegistry()
    first = registry.register(runtime("same", description="First"))
    second = registry.register(runtime("same", description="Second"))
    assert 'runtime skill "same" ignored because it is already registered' in caplog.text
    second.close()
    assert (await registry.snapshot()).by_name["same"].description == "First"
    first.close()
    assert await names(registry) == []
    first.close()


async def test_a_scoped_runtime_skill_shadows_the_global_one_without_a_warning(caplog):
    registry = SkillRegistry()
    scope = Scope()
    registry.register(runtime("told-twice", description="global"))
    scoped = registry.register(runtime("told-twice", description="scoped"), scope)
    assert not caplog.records
    registry.register(runtime("told-twice", description="third"), scope)
    assert len(caplog.records) == 1
    view = Lookup(scope=scope)
    assert (await registry.snapshot(view)).by_name["told-twice"].description == "scoped"
    assert (await registry.snapshot()).by_name["told-twice"].description == "global"
    scoped.close()
    assert (await registry.snapshot(view)).by_name["told-twice"].description == "global"


async def test_closing_a_scoped_registration_drops_it_from_the_view_and_notifies():
    registry = SkillRegistry()
    scope = Scope()
    provider = add(registry, "memory", "scoped-skill", scope=scope)
    changes: list[int] = []
    registry.subscribe(lambda: changes.append(1))
    assert await names(registry, Lookup(scope=scope)) == ["scoped-skill"]
    provider.registration.close()
    assert changes == [1]
    assert await names(registry, Lookup(scope=scope)) == []
    provider.registration.close()
    assert changes == [1]


async def test_a_read_makes_no_layer_and_an_empty_layer_is_reclaimed():
    registry = SkillRegistry()
    scope = Scope()
    await registry.snapshot(Lookup(scope=scope))
    assert scope not in registry._layers
    first = registry.register(runtime("one"), scope)
    second = add(registry, "memory", scope=scope)
    first.close()
    assert scope in registry._layers
    second.registration.close()
    assert scope not in registry._layers
    with pytest.raises(RegistrationError):
        registry.register_provider(lambda control: (_ for _ in ()).throw(RegistrationError("no")), scope)
    assert scope not in registry._layers


async def test_failed_registration_leaves_an_existing_layer_and_closes_its_control():
    registry = SkillRegistry()
    scope = Scope()
    add(registry, "memory", "kept", scope=scope)
    controls = []

    def failing(control):
        controls.append(control)
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        registry.register_provider(failing, scope)
    assert controls[0].closed
    assert await names(registry, Lookup(scope=scope)) == ["kept"]


async def test_the_name_runtime_is_reserved():
    registry = SkillRegistry()
    controls = []

    def reserved(control):
        controls.append(control)
        return type("P", (), {"name": "runtime"})()

    with pytest.raises(RegistrationError, match="reserved"):
        registry.register_provider(reserved)
    assert controls[0].closed


@pytest.mark.parametrize(
    ("skill", "message"),
    [
        (runtime("Bad_Name"), "invalid skill name"),
        (runtime("no-words", description=" "), "requires a description"),
        (runtime("bad-policy", invocation=[]), "not an InvocationPolicy"),
    ],
)
async def test_invalid_runtime_skills_are_refused(skill, message):
    registry = SkillRegistry()
    with pytest.raises(RegistrationError, match=message):
        registry.register(skill)
    assert await names(registry) == []


async def test_unknown_and_ill_formed_names_load_nothing():
    registry = SkillRegistry()
    provider = add(registry, "memory", "here")
    assert await registry.get("missing-skill") is None
    listed = provider.listed
    assert await registry.get("Bad_Name") is None
    assert provider.listed == listed
