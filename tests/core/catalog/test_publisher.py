"""Each row of the decision table, over a real registry and a real session."""

import asyncio

import pytest

from skills_core.agent.hooks import Reject
from skills_core.agent.tools.skill import SkillTool
from skills_core.catalog import CatalogPublisher, catalog_message, read_catalog, render_catalog
from skills_core.catalog.entry import CatalogEntry
from skills_core.registry import IncompleteReason, ProviderListing, Scope, SkillRegistry
from skills_core.session.event import NOTICE, PendingEvent, user_message
from skills_core.skill import DirectoryBase
from tests.core.catalog.support import (
    MODEL_ONLY,
    USER_ONLY,
    Access,
    ImpostorTool,
    Steps,
    catalog_record,
    entry_names,
    kinds,
    skill,
    text_of,
    within,
)
from tests.core.registry.support import add, candidate


@pytest.fixture
def registry():
    return SkillRegistry()


class Later:
    """A hook that runs before the publisher and adds a contribution of its own."""

    async def before_step(self, context, batch):
        return (*batch, user_message("later contribution", {"kind": "plugin"}))


class Refuser:
    """A hook that rejects every step."""

    async def before_step(self, context, batch):
        return Reject("no", "not today")


async def test_first_step_injects_names_and_descriptions_and_nothing_else(registry: SkillRegistry):
    registry.register(
        skill(
            "z-skill",
            "Long   description " * 5,
            when_to_use="WHEN",
            source="SECRET-SOURCE",
            resource_base=DirectoryBase("/secret/base"),
            content="SECRET BODY",
        )
    )
    registry.register(skill("a-skill", "Use {{placeholder}} <safely> & carefully."))
    registry.register(skill("model-only-skill", "For models.", invocation=MODEL_ONLY))
    registry.register(skill("user-only-skill", "For users.", invocation=USER_ONLY))
    publisher = CatalogPublisher(registry, Access(), description_max_length=50)
    steps = Steps(registry, Later(), publisher)
    contribution, catalog = await steps.step()
    assert text_of(contribution) == "later contribution"
    source = catalog.data["source"]
    assert source == {
        "kind": "skill-catalog",
        "form": "catalog",
        "entries": [
            {"name": "a-skill", "description": "Use {{placeholder}} <safely> & carefully."},
            {"name": "model-only-skill", "description": "For models."},
            {"name": "z-skill", "description": "Long description Long description Long descript..."},
        ],
    }
    text = text_of(catalog)
    assert text == render_catalog([CatalogEntry(**entry) for entry in source["entries"]], update=False)
    for hidden in ("WHEN", "SECRET", "/secret", "user-only-skill"):
        assert hidden not in str(catalog.data)


async def test_says_nothing_when_no_skill_is_for_the_model(registry: SkillRegistry):
    registry.register(skill("user-only", invocation=USER_ONLY))
    steps = Steps(registry)
    assert await steps.step() == ()
    assert await steps.step() == ()


async def test_says_nothing_while_there_never_was_a_skill(registry: SkillRegistry):
    steps = Steps(registry)
    assert await steps.step() == await steps.step() == ()
    assert steps.catalogs == []


async def test_incomplete_at_first_is_tried_again_at_the_next_step(registry: SkillRegistry):
    provider = add(registry)
    provider.error = OSError("disk gone")
    steps = Steps(registry)
    assert await steps.step() == ()
    provider.error = None
    provider.candidates = []
    provider.control.invalidate()
    assert await steps.step() == ()
    provider.candidates = [candidate("late")]
    provider.control.invalidate()
    (catalog,) = await steps.step()
    assert entry_names(catalog) == ["late"] and "update" not in catalog.data["source"]


async def test_a_proposed_duplicate_goes_and_a_stale_one_is_replaced_in_its_place(registry: SkillRegistry):
    registry.register(skill("first-skill"))
    steps = Steps(registry)
    (published,) = await steps.step()
    assert await steps.decide(published) == ()
    registry.register(skill("second-skill"))
    words = user_message("hello")
    decision = await steps.decide(words, published)
    assert len(decision) == 2 and decision[0] is words
    assert decision[1] is not published and entry_names(decision[1]) == ["first-skill", "second-skill"]
    after = user_message("after")
    decision = await steps.decide(published, words, published, after)
    assert kinds(decision) == ["skill-catalog", "user", "user"]
    assert entry_names(decision[0]) == ["first-skill", "second-skill"] and decision[2] is after


async def test_a_stale_proposal_goes_before_the_first_empty_baseline(registry: SkillRegistry):
    steps = Steps(registry)
    malformed = catalog_record(...)
    stale = catalog_record([{"name": "old", "description": "Old."}])
    decision = await steps.decide(malformed, stale)
    assert len(decision) == 1 and decision[0] is malformed


async def test_a_proposal_that_matches_stays_as_it_is(registry: SkillRegistry):
    registry.register(skill("a-skill", "Does A."))
    steps = Steps(registry)
    proposed = catalog_record([{"name": "a-skill", "description": "Does A."}])
    stale = catalog_record([{"name": "old", "description": "Old."}])
    decision = await steps.decide(proposed)
    assert len(decision) == 1 and decision[0] is proposed
    decision = await steps.decide(stale, proposed)
    assert len(decision) == 1 and decision[0] is proposed


async def test_replacements_then_one_tombstone_then_silence(registry: SkillRegistry):
    steps = Steps(registry)
    first = registry.register(skill("first-skill"))
    await steps.step()
    assert await steps.step() == ()
    second = registry.register(skill("second-skill"))
    (replacement,) = await steps.step()
    assert entry_names(replacement) == ["first-skill", "second-skill"]
    assert replacement.data["source"]["update"] is True
    assert "complete catalog replaces every earlier" in text_of(replacement)
    first.close()
    second.close()
    (tombstone,) = await steps.step()
    assert "No skills are currently available" in text_of(tombstone)
    assert "first-skill" not in text_of(tombstone) and "second-skill" not in text_of(tombstone)
    assert entry_names(tombstone) == []
    assert await steps.step() == ()
    assert len(steps.catalogs) == 3
    registry.register(skill("first-skill"))
    (again,) = await steps.step()
    assert again.data["source"]["update"] is True


async def test_a_changed_description_replaces_and_a_changed_body_does_not(registry: SkillRegistry):
    provider = add(registry)
    provider.candidates = [candidate("steady", description="One.")]
    steps = Steps(registry)
    await steps.step()
    provider.control.invalidate()
    assert await steps.step() == ()
    provider.candidates = [candidate("steady", description="Two.")]
    provider.control.invalidate()
    (replacement,) = await steps.step()
    assert replacement.data["source"]["entries"] == [{"name": "steady", "description": "Two."}]


async def test_resumes_from_the_entries_of_the_newest_visible_catalog(registry: SkillRegistry):
    registry.register(skill("resumed-skill", "Resumed."))
    steps = Steps(registry)
    text = render_catalog((CatalogEntry("resumed-skill", "Resumed."),), update=True)
    await steps.session.append(
        catalog_record([{"name": "old-skill", "description": "Old."}], text="any prose"),
        user_message(text, {"kind": "plugin", "entries": [{"name": "resumed-skill", "description": "Resumed."}]}),
    )
    (replacement,) = await steps.step()
    assert replacement.data["source"]["update"] is True and entry_names(replacement) == ["resumed-skill"]
    assert await steps.step() == ()


async def test_unchanged_after_resume_says_nothing(registry: SkillRegistry):
    registry.register(skill("resumed-skill", "Resumed."))
    steps = Steps(registry)
    await steps.session.append(catalog_record([{"name": "resumed-skill", "description": "Resumed."}], text="old prose"))
    assert await steps.step() == ()


@pytest.mark.parametrize(
    "entries", [..., None, "text", [None], [{"name": "a-skill"}], [{"description": "Does it."}]], ids=repr
)
async def test_a_damaged_record_counts_as_never_published(registry: SkillRegistry, entries):
    registry.register(skill("a-skill"))
    steps = Steps(registry)
    await steps.session.append(catalog_record(entries))
    (catalog,) = await steps.step()
    assert "update" not in catalog.data["source"] and entry_names(catalog) == ["a-skill"]


async def test_a_damaged_record_is_skipped_on_the_way_to_a_readable_one(registry: SkillRegistry):
    registry.register(skill("a-skill"))
    steps = Steps(registry)
    await steps.step()
    await steps.session.append(catalog_record(None))
    assert await steps.step() == ()


async def test_publishes_again_after_compaction_hid_the_catalog(registry: SkillRegistry):
    registration = registry.register(skill("first-skill"))
    steps = Steps(registry)
    await steps.step()
    await steps.compact(1, 1)
    (again,) = await steps.step()
    assert entry_names(again) == ["first-skill"] and again.data["source"]["update"] is True
    assert await steps.step() == ()
    registration.close()
    seq = steps.catalogs[-1].seq
    await steps.compact(2, seq)
    (tombstone,) = await steps.step()
    assert entry_names(tombstone) == [] and tombstone.data["source"]["update"] is True
    assert await steps.step() == ()


async def test_each_agent_gets_the_skills_of_its_own_scope(registry: SkillRegistry):
    scope = Scope("agent a")
    registry.register(skill("scoped-skill"), scope)
    inside, outside = Steps(registry, scope=scope), Steps(registry, scope=Scope("agent b"))
    (catalog,) = await inside.step()
    assert entry_names(catalog) == ["scoped-skill"]
    assert await outside.step() == ()


async def test_incomplete_later_keeps_the_last_good_catalog(registry: SkillRegistry):
    stable = registry.register(skill("stable-skill"))
    steps = Steps(registry)
    (published,) = await steps.step()
    provider = add(registry, "broken")
    provider.error = OSError("no such server")
    stable.close()
    assert await steps.step() == ()
    assert len(steps.catalogs) == 1
    proposed = catalog_record([{"name": "old", "description": "Old."}])
    decision = await steps.decide(proposed)
    assert len(decision) == 1 and decision[0] is proposed
    assert read_catalog(steps.catalogs[0].data) == read_catalog(published.data)


async def test_no_catalog_for_an_agent_without_the_tool(registry: SkillRegistry):
    registry.register(skill("a-skill"))
    without = Steps(registry, tools=())
    assert await without.step() == await without.step() == ()
    assert len(await Steps(registry).step()) == 1


async def test_no_catalog_for_a_tool_that_only_has_the_name(registry: SkillRegistry):
    registry.register(skill("a-skill"))
    assert await Steps(registry, tools=[ImpostorTool()]).step() == ()
    assert await Steps(registry, tools=[SkillTool(SkillRegistry(), Access())]).step() == ()
    assert len(await Steps(registry).step()) == 1


async def test_a_tool_that_goes_away_retires_the_names(registry: SkillRegistry):
    registry.register(skill("a-skill"))
    steps = Steps(registry)
    await steps.step()
    steps.tools = {"skill": ImpostorTool()}
    (tombstone,) = await steps.step()
    assert entry_names(tombstone) == []
    assert await steps.step() == ()


@pytest.mark.parametrize("limit", [2, -5])
def test_description_cap_is_checked(registry: SkillRegistry, limit: int):
    with pytest.raises(ValueError, match="greater than or equal to 3"):
        CatalogPublisher(registry, Access(), description_max_length=limit)


async def test_a_rejection_before_the_publisher_records_nothing(registry: SkillRegistry):
    registry.register(skill("a-skill"))
    steps = Steps(registry, Refuser(), CatalogPublisher(registry, Access()))
    assert await steps.step(user_message("hello")) == Reject("no", "not today")
    assert list(steps.session.events) == []


async def test_cancelling_the_step_cancels_discovery(registry: SkillRegistry):
    provider = add(registry)
    provider.gate = asyncio.Event()
    ended = asyncio.Event()
    wait = provider.gate.wait

    async def waited() -> bool:
        try:
            return await wait()
        finally:
            ended.set()

    provider.gate.wait = waited  # type: ignore[method-assign]
    steps = Steps(registry)
    step = asyncio.create_task(steps.step())
    await within(provider.entered.wait(), "the discovery to begin")
    step.cancel()
    with pytest.raises(asyncio.CancelledError):
        await step
    await within(ended.wait(), "the discovery to end")
    assert list(steps.session.events) == []


async def test_a_switch_and_trust_take_effect_at_the_next_step_without_a_new_snapshot(registry: SkillRegistry):
    registry.register(skill("one"))
    registry.register(skill("two"))
    access = Access()
    steps = Steps(registry, access=access)
    await steps.step()
    access.off.add("one")
    (replacement,) = await steps.step()
    assert entry_names(replacement) == ["two"]
    access.off.clear()
    access.untrusted.add("two")
    (replacement,) = await steps.step()
    assert entry_names(replacement) == ["one"]


async def test_every_boundary_looks_afresh(registry: SkillRegistry):
    provider = add(registry, "memory", "a-skill")

    async def revalidate(lookup) -> bool:
        provider.candidates = [candidate("unheard-of")]
        return True

    provider.revalidate = revalidate  # type: ignore[attr-defined]
    (catalog,) = await Steps(registry).step()
    assert entry_names(catalog) == ["unheard-of"]


class InFlight:
    """Lists as incomplete, for the given reason, until it is released; counts its listings."""

    name = "writer"

    def __init__(self, control, kind) -> None:
        self.control, self.kind, self.listed, self.settled = control, kind, 0, False

    async def list(self, lookup):
        self.listed += 1
        if self.settled:
            return ProviderListing(candidates=[candidate("written", provider="writer")])
        reason = IncompleteReason("writer", self.kind, "being written")
        return ProviderListing(candidates=[], complete=False, reasons=[reason])

    async def get(self, candidate, lookup):
        return None

    def release(self) -> None:
        self.settled = True
        self.control.invalidate()


def in_flight(registry: SkillRegistry, kind: str) -> InFlight:
    provider = registry.register_provider(lambda control: InFlight(control, kind)).provider
    assert isinstance(provider, InFlight)
    return provider


async def test_a_file_being_written_is_waited_for(registry: SkillRegistry):
    provider = in_flight(registry, "in-flight")
    steps = Steps(registry, CatalogPublisher(registry, Access(), settle_timeout=60))
    step = asyncio.create_task(steps.step())
    while provider.listed == 0:
        await asyncio.sleep(0)
    asyncio.get_running_loop().call_soon(provider.release)
    (catalog,) = await within(step, "the catalog of the written file")
    assert entry_names(catalog) == ["written"]


async def test_the_wait_for_a_file_has_an_end(registry: SkillRegistry):
    in_flight(registry, "in-flight")
    steps = Steps(registry, CatalogPublisher(registry, Access(), settle_timeout=0.05))
    assert await within(steps.step(), "the publisher to give up") == ()


@pytest.mark.parametrize("kind", ["failed", "changing", "watching"])
async def test_nothing_else_is_waited_for(registry: SkillRegistry, kind: str):
    in_flight(registry, kind)
    steps = Steps(registry, CatalogPublisher(registry, Access(), settle_timeout=3600))
    assert await within(steps.step(), "the publisher not to wait") == ()


async def test_over_budget_publishes_everything_with_a_warning(registry: SkillRegistry):
    for number in range(5):
        registry.register(skill(f"skill-{number}", "words " * 20))
    tight = Steps(registry, CatalogPublisher(registry, Access(), budget_tokens=50))
    catalog, notice = await tight.step()
    assert len(entry_names(catalog)) == 5
    assert notice.type == NOTICE and notice.data["level"] == "warning" and "All 5 skills" in notice.data["text"]
    assert await tight.step() == ()
    roomy = Steps(registry, CatalogPublisher(registry, Access(), budget_tokens=5000))
    assert len(await roomy.step()) == 1


async def test_a_quiet_step_makes_no_entries_and_no_digest(registry: SkillRegistry, monkeypatch):
    registry.register(skill("a-skill"))
    steps = Steps(registry)
    await steps.step()
    await steps.step()

    def refuse(*args):
        raise AssertionError("made anew at a step that changed nothing")

    for name in ("catalog_digest", "catalog_entry"):
        monkeypatch.setattr(f"skills_core.catalog.publisher.{name}", refuse)
    monkeypatch.setattr("skills_core.catalog.history.read_catalog", refuse)
    assert await steps.step() == ()


async def test_pending_events_of_other_types_are_no_catalogs(registry: SkillRegistry):
    registry.register(skill("a-skill"))
    odd = PendingEvent(NOTICE, catalog_message([CatalogEntry("a-skill", "About a-skill.")], False).data)
    decision = await Steps(registry).decide(odd)
    assert decision[0] is odd and kinds(decision[1:]) == ["skill-catalog"]
