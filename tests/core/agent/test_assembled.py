"""The whole without a key: registry, filesystem provider, catalog, sessions, tools and loop, all of them real."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from skills_core.access import OPEN_ACCESS
from skills_core.agent import Agent, ProjectInstructions, default_tools, open_model
from skills_core.agent.models.scripted import ScriptedModel
from skills_core.catalog import CatalogPublisher, read_catalog
from skills_core.filesystem import FilesystemProvider, FilesystemSettings
from skills_core.invocation import InvocationLoader
from skills_core.registry import ProviderControl, SkillRegistry
from skills_core.session import Session, SessionStore
from skills_core.session.event import user_message
from skills_core.session.message import message_text
from tests.core.agent.support import Person, assert_valid, call, within, write_script

SKILL = ".agents/skills/greet/SKILL.md"


def skill_text(description: str, body: str, name: str = "greet") -> str:
    return f"---\nname: {name}\ndescription: {description}\n---\n{body}\n"


class Assembly:
    """A project with its own home folder, and agents over it."""

    def __init__(self, tmp_path: Path) -> None:
        self.tmp_path = tmp_path
        self.cwd = tmp_path / "project"
        (self.cwd / ".git").mkdir(parents=True)
        self.registry = SkillRegistry()
        self.person = Person("once")
        self.store = SessionStore(tmp_path / "state", "0.0.0")
        settings = FilesystemSettings(dsh_home=str(tmp_path / "dsh"), agents_home=str(tmp_path / "agents"))
        self.provider: FilesystemProvider

        def factory(control: ProviderControl) -> FilesystemProvider:
            self.provider = FilesystemProvider(control, settings)
            return self.provider

        self.registry.register_provider(factory)
        self.session: Session
        self.model: ScriptedModel

    async def agent(self, *replies: Mapping[str, Any], session: Session | None = None) -> Agent:
        self.session = session or await self.store.create(str(self.cwd))
        self.model = ScriptedModel(write_script(self.tmp_path, replies))
        return Agent(
            session=self.session,
            model=self.model,
            tools=default_tools(str(self.cwd), self.provider, self.registry, OPEN_ACCESS),
            hooks=[
                ProjectInstructions(OPEN_ACCESS),
                CatalogPublisher(self.registry, OPEN_ACCESS),
                InvocationLoader(self.registry, OPEN_ACCESS, self.person),
            ],
            approver=self.person,
            system_prompt="You are helpful.",
        )

    def catalogs(self) -> list[list[tuple[str, str]]]:
        found: list[list[tuple[str, str]]] = []
        for event in self.session.of_source("skill-catalog"):
            entries = read_catalog(event.data)
            assert entries is not None
            found.append([(entry.name, entry.description) for entry in entries])
        return found

    def results(self) -> list[str]:
        return [e.data["content"][0]["text"] for e in self.session.events if e.type == "tool/result"]


@asynccontextmanager
async def assembled(tmp_path: Path) -> AsyncIterator[Assembly]:
    assembly = Assembly(tmp_path)
    try:
        yield assembly
    finally:
        await assembly.registry.aclose()
        await assembly.provider.aclose()
        if hasattr(assembly, "session"):
            await assembly.session.aclose()


@pytest.fixture
async def assembly(tmp_path: Path) -> AsyncIterator[Assembly]:
    async with assembled(tmp_path) as made:
        yield made


async def test_a_model_writes_a_skill_loads_it_edits_it_and_loads_it_anew(assembly: Assembly) -> None:
    agent = await assembly.agent(
        {
            "text": "I make a skill.",
            "tool_calls": [call("write", path=SKILL, content=skill_text("Says hello.", "V1."))],
        },
        {"tool_calls": [call("skill", name="greet")]},
        {"tool_calls": [call("edit", path=SKILL, old_text="V1.", new_text="V2.")]},
        {"tool_calls": [call("skill", name="greet")]},
        {"tool_calls": [call("edit", path=SKILL, old_text="Says hello.", new_text="Says goodbye.")]},
        {"text": "Done."},
    )
    outcome = await within(agent.run_turn(user_message("Make a skill that greets")), "the turn")
    assert outcome.reason == "done", outcome
    requests = assembly.model.requests
    catalogs = [
        [text for text in map(message_text, request.messages) if "<available_skills>" in text] for request in requests
    ]
    assert [len(found) for found in catalogs] == [0, 1, 1, 1, 1, 2]
    assert "- `greet`: Says hello." in catalogs[1][0]
    assert "- `greet`: Says goodbye." in catalogs[5][1]
    assert "replaces every earlier" in catalogs[5][1]
    assert assembly.catalogs() == [[("greet", "Says hello.")], [("greet", "Says goodbye.")]]
    created, first_load, edited, second_load, described = assembly.results()
    assert created == f"Created {SKILL} (5 lines)."
    assert "V1." in first_load
    assert edited == f"Changed {SKILL} (5 lines)."
    assert "V2." in second_load
    assert "V1." not in second_load
    assert described == f"Changed {SKILL} (5 lines)."
    assert [question.tool for question in assembly.person.questions] == ["write", "edit", "edit"]
    assert_valid(assembly.session)
    for before, after in pairwise(requests):
        assert after.messages[: len(before.messages)] == before.messages
        assert (after.system, after.tools) == (before.system, before.tools)


async def test_a_resumed_session_publishes_nothing_or_exactly_one_replacement(assembly: Assembly) -> None:
    path = assembly.cwd / SKILL
    path.parent.mkdir(parents=True)
    path.write_text(skill_text("Says hello.", "V1."))
    agent = await assembly.agent({"text": "One."})
    await within(agent.run_turn(user_message("Hello")), "the first turn")
    before = assembly.session.surface.messages()
    await assembly.session.aclose()
    resumed = await assembly.store.open(assembly.session.id)
    assert resumed.surface.messages() == before
    agent = await assembly.agent({"text": "Two."}, session=resumed)
    await within(agent.run_turn(user_message("Again")), "the resumed turn")
    assert len(assembly.catalogs()) == 1
    assert assembly.model.requests[0].messages[: len(before)] == before
    await resumed.aclose()
    path.write_text(skill_text("Says goodbye.", "V1."))
    agent = await assembly.agent({"text": "Three."}, session=await assembly.store.open(resumed.id))
    await within(agent.run_turn(user_message("Once more")), "the changed turn")
    assert assembly.catalogs() == [[("greet", "Says hello.")], [("greet", "Says goodbye.")]]


async def test_a_skill_that_the_user_names_follows_all_else_of_the_step(assembly: Assembly) -> None:
    path = assembly.cwd / SKILL
    path.parent.mkdir(parents=True)
    path.write_text(skill_text("Says hello.", "Say it loud."))
    (assembly.cwd / "AGENTS.md").write_text("Be brief.\n")
    agent = await assembly.agent({"text": "HELLO"})
    await within(agent.run_turn(user_message("/skill:greet the world")), "the turn")
    kinds = [event.data["source"]["kind"] for event in assembly.session.events if event.type == "user/message"]
    assert kinds == ["user", "agent-instructions", "skill-catalog", "skill-invocation"]
    last = message_text(assembly.model.requests[0].messages[-1])
    assert '<skill_content name="greet">' in last
    assert "Say it loud." in last
    outcome = await within(agent.run_turn(user_message("/skill:great again")), "the rejected turn")
    assert outcome.reason == "rejected"
    assert "greet" in outcome.message + outcome.hint
    assert len(assembly.model.requests) == 1
    assert outcome.returned == (user_message("/skill:great again"),)


async def test_a_compaction_brings_the_catalog_back_and_keeps_what_is_in_use(assembly: Assembly) -> None:
    path = assembly.cwd / SKILL
    path.parent.mkdir(parents=True)
    path.write_text(skill_text("Says hello.", "Say it loud."))
    long = {"text": "word " * 3000}
    agent = await assembly.agent({"tool_calls": [call("skill", name="greet")]}, *[long] * 8, {"text": "Done."})
    for number in range(8):
        await within(agent.run_turn(user_message(f"Request {number}")), "a turn")
    assert len(assembly.catalogs()) == 1
    outcome = await within(agent.compact(), "the compaction")
    assert outcome.compacted, outcome
    assert not outcome.by_model
    await within(agent.run_turn(user_message("Go on")), "the turn after it")
    assert len(assembly.catalogs()) == 2
    texts = [message_text(message) for message in assembly.model.requests[-1].messages]
    assert any("Say it loud." in text or "`greet`" in text for text in texts[:2])
    assert sum("<available_skills>" in text for text in texts) == 1
    assert_valid(assembly.session)


async def test_resources_of_a_skill_outside_the_project_are_read_without_a_question(assembly: Assembly) -> None:
    folder = assembly.tmp_path / "agents" / "skills" / "far"
    (folder / "references").mkdir(parents=True)
    (folder / "SKILL.md").write_text(skill_text("Far away.", "See references/more.md.", "far"))
    (folder / "references" / "more.md").write_text("More.\n")
    (assembly.tmp_path / "private.txt").write_text("Private.\n")
    agent = await assembly.agent(
        {"tool_calls": [call("skill", name="far"), call("read", path=str(folder / "references" / "more.md"))]},
        {"tool_calls": [call("read", path=str(assembly.tmp_path / "private.txt"))]},
        {"text": "Done."},
    )
    assembly.person._answers = ["no"]
    await within(agent.run_turn(user_message("Hello")), "the turn")
    assert [question.tool for question in assembly.person.questions] == ["read"]
    loaded, more, private = assembly.results()
    assert str(folder) in loaded
    assert more == "More."
    assert private.startswith("The person declined")


async def test_a_project_cannot_open_the_disk_by_a_link(assembly: Assembly) -> None:
    (assembly.cwd / ".agents").mkdir()
    (assembly.cwd / ".agents" / "skills").symlink_to(assembly.tmp_path)
    (assembly.tmp_path / "private.txt").write_text("Private.\n")
    agent = await assembly.agent({"tool_calls": [call("read", path=".agents/skills/private.txt")]}, {"text": "Done."})
    assembly.person._answers = ["no"]
    await within(agent.run_turn(user_message("Hello")), "the turn")
    assert len(assembly.person.questions) == 1
    assert assembly.results()[0].startswith("The person declined")


async def test_the_offline_model_routes_to_a_skill_and_tells_what_it_asks(assembly: Assembly) -> None:
    path = assembly.cwd / SKILL
    path.parent.mkdir(parents=True)
    path.write_text(skill_text("Greets people by name in a loud voice.", "1. Ask for the name.\n2. Say it loud."))
    agent = await assembly.agent()
    await agent.set_model(open_model("offline"))
    outcome = await within(agent.run_turn(user_message("Please greet these people by name")), "the turn")
    assert outcome.reason == "done", outcome
    assert "Say it loud." in assembly.results()[0]
    assert_valid(assembly.session)


async def test_a_skill_written_by_someone_else_during_a_tool_call_is_in_the_next_request(assembly: Assembly) -> None:
    command = f"mkdir -p .agents/skills/greet && printf '%s' '{skill_text('Says hello.', 'V1.')}' > {SKILL}"
    agent = await assembly.agent({"tool_calls": [call("shell", command=command)]}, {"text": "Done."})
    await within(agent.run_turn(user_message("Hello")), "the turn")
    assert "- `greet`: Says hello." in message_text(assembly.model.requests[1].messages[-1])
