import asyncio
import json
import subprocess
import sys
import time

import pytest

from skills_core.agent.loop import Agent
from skills_core.agent.model import ModelReply, TextDelta, ToolCallDelta
from skills_core.agent.models.offline import OfflineModel
from skills_core.agent.tools.skill import SkillTool
from skills_core.catalog import CatalogEntry, CatalogPublisher
from skills_core.invocation import InvocationLoader
from skills_core.registry import SkillRegistry
from skills_core.session import Session
from skills_core.session.event import ASSISTANT_MESSAGE, TOOL_RESULT, user_message
from skills_core.session.message import AssistantMessage
from tests.core.catalog.support import USER_ONLY, Access, Answers, skill, within
from tests.core.offline.conversations import SKILLS, catalog, request, words


async def items(*messages):
    return [item async for item in OfflineModel().stream(request(*messages))]


async def test_streams_small_pieces_then_the_call_then_the_whole():
    *deltas, call, reply = await items(words("hem towels"), catalog(*SKILLS))
    assert isinstance(reply, ModelReply) and isinstance(call, ToolCallDelta)
    assert len(deltas) > 5 and all(isinstance(delta, TextDelta) and 0 < len(delta.text) < 40 for delta in deltas)
    text, tool_call = reply.content
    assert "".join(delta.text for delta in deltas) == text["text"]
    assert tool_call["name"] == call.name == "skill" and json.loads(call.arguments) == tool_call["arguments"]
    assert reply.stop_reason == "tool_calls"


async def test_text_without_spaces_is_streamed_in_pieces_too():
    long = CatalogEntry("long", "没有空格" * 50)
    *deltas, reply = await items(words("list skills"), catalog(long))
    assert "".join(delta.text for delta in deltas) == reply.content[0]["text"] and reply.stop_reason == "end"
    assert max(len(delta.text) for delta in deltas) < 40


async def test_others_run_between_the_pieces():
    turns = 0

    async def other() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    task = asyncio.create_task(other())
    before = None
    async for item in OfflineModel().stream(request(words("hi"), catalog(*SKILLS))):
        if isinstance(item, TextDelta):
            assert before is None or turns > before
            before = turns
    task.cancel()
    assert before is not None


async def test_the_stream_can_be_closed_in_the_middle():
    stream = OfflineModel().stream(request(words("hi"), catalog(*SKILLS)))
    await anext(stream)
    await stream.aclose()


async def test_the_same_request_gives_the_same_reply():
    messages = (words("draw a chart"), catalog(*SKILLS))
    assert (await items(*messages))[-1] == (await items(*messages))[-1]


async def test_call_ids_are_new_in_the_conversation():
    taken = AssistantMessage(({"type": "tool_call", "id": "offline-1", "name": "skill", "arguments": {}},))
    reply = (await items(taken, words("hem towels"), catalog(*SKILLS)))[-1]
    assert reply.content[1]["id"] == "offline-2"


def test_name_and_window():
    assert OfflineModel().name == "offline" and OfflineModel().context_window is None


async def test_a_large_catalog_does_not_hold_the_loop_for_long():
    entries = [
        CatalogEntry(f"skill-{number}", f"Does task {number * 7919 % 9973} with number{number}.")
        for number in range(3000)
    ]
    began = time.monotonic()
    reply = (await within(items(words("number2077 please"), catalog(*entries)), "a reply over 3,000 skills"))[-1]
    assert reply.content[1]["arguments"] == {"name": "skill-2077"}
    assert time.monotonic() - began < 15


class TestInAnAgent:
    @pytest.fixture
    def registry(self):
        registry = SkillRegistry()
        registry.register(skill("hem-towels", "Hem towels.", "# Hemming\n\n1. Fold.\n2. Sew.\n"))
        registry.register(skill("send-invoices", "Send invoices.", "1. Send.", invocation=USER_ONLY))
        return registry

    @pytest.fixture
    def agent(self, registry: SkillRegistry):
        access, person = Access(), Answers()
        return Agent(
            session=Session.in_memory("/project", "test"),
            model=OfflineModel(),
            tools=[SkillTool(registry, access)],
            hooks=[CatalogPublisher(registry, access), InvocationLoader(registry, access, person)],
            approver=person,
            system_prompt="You help.",
        )

    @staticmethod
    def replies(agent: Agent) -> list[str]:
        events = [event for event in agent.session.events if event.type == ASSISTANT_MESSAGE]
        return [event.data["content"][0]["text"] for event in events]

    async def test_words_route_load_and_outline(self, agent: Agent):
        outcome = await within(agent.run_turn(user_message("please hem my towels")), "the turn")
        assert outcome.reason == "done"
        first, second = self.replies(agent)
        assert "`hem-towels` fits" in first and "1. Fold.\n  2. Sew." in second
        (loaded,) = [event for event in agent.session.events if event.type == TOOL_RESULT]
        assert not loaded.data["is_error"] and loaded.data["details"]["name"] == "hem-towels"

    async def test_an_invocation_needs_no_call(self, agent: Agent):
        outcome = await within(agent.run_turn(user_message("/skill:send-invoices now")), "the turn")
        assert outcome.reason == "done"
        (reply,) = self.replies(agent)
        assert reply.startswith("You invoked `send-invoices`.") and "1. Send." in reply

    async def test_an_unknown_invocation_sends_nothing(self, agent: Agent):
        outcome = await within(agent.run_turn(user_message("/skill:hem-towel now")), "the turn")
        assert outcome.reason == "rejected" and "hem-towels" in outcome.hint
        assert list(agent.session.events) == []

    async def test_a_new_skill_is_routed_to_at_the_next_turn(self, agent: Agent, registry: SkillRegistry):
        await within(agent.run_turn(user_message("fold my map")), "the first turn")
        assert "None of the skills fits" in self.replies(agent)[-1]
        registry.register(skill("fold-maps", "Fold paper maps.", "1. Fold along the creases."))
        await within(agent.run_turn(user_message("fold my map")), "the second turn")
        routed, outlined = self.replies(agent)[-2:]
        assert "new: `fold-maps`" in routed and "1. Fold along the creases." in outlined


def test_import_is_light():
    code = (
        "import sys, skills_core.agent.models.offline as offline\n"
        "heavy = {'numpy', 'textual', 'rich', 'pydantic', 'pydantic_ai', 'yaml', 'watchfiles', 'filelock'}\n"
        "print(sorted(heavy & set(sys.modules)), 'skills_core.agent.models.offline.index' in sys.modules)\n"
        "print(offline.route.__name__, offline.explain.__name__)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.splitlines() == ["[] False", "route explain"]


def test_the_package_has_no_other_attributes():
    import skills_core.agent.models.offline as offline

    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        offline.nothing  # type: ignore[attr-defined]
