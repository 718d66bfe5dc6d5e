"""What was sent once is sent again byte for byte, and only added to: so servers can keep what they read before."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from skills_core.access import OPEN_ACCESS
from skills_core.agent import Agent
from skills_core.agent.hooks import Batch, Reject, StepContext
from skills_core.agent.model import Model
from skills_core.agent.models import open_model
from skills_core.agent.tool import ToolContext, ToolOutcome
from skills_core.agent.tools.skill import SkillTool
from skills_core.catalog import CatalogPublisher
from skills_core.registry import SkillRegistry
from skills_core.session import Session
from skills_core.session.event import user_message
from tests.core.agent.support import Bench, ProbeTool, assert_valid, within
from tests.core.catalog.support import skill
from tests.core.models.support import FIRST, FORMATS, KEY, LAST, SECOND, agent_for, model_of, reads
from tests.support.model_server import ModelServer, RecordedRequest
from tests.support.model_server.pairing import assert_paired


class Catalogs:
    """Adds a new catalog at some steps, as the publisher does when skills changed."""

    def __init__(self, *steps: int) -> None:
        self._steps = steps

    async def before_step(self, context: StepContext, batch: Batch) -> Batch | Reject:
        if context.step not in self._steps:
            return batch
        return (*batch, user_message(f"catalog of step {context.step}", {"kind": "test"}))


def wire(dialect: str, body: bytes) -> tuple[str, str, str]:
    """The bytes of a request before its messages, those of the messages up to their last word, and those behind."""
    key = {"responses": "input", "gemini": "contents"}.get(dialect, "messages")
    text = body.decode()
    start = text.index("[", text.index(f'"{key}"'))
    _, end = json.JSONDecoder().raw_decode(text, start)
    # What follows the last word closes it; a later message may stand in the same list or the same message.
    return text[:start], text[start:end].rstrip('"}] '), text[end:]


def only_added_to(dialect: str, requests: Sequence[RecordedRequest]) -> str:
    """The messages of the last request. Raises AssertionError unless each request begins as the one before it."""
    before, previous, behind = wire(dialect, requests[0].body)
    for request in requests[1:]:
        head, messages, tail = wire(dialect, request.body)
        assert (head, tail) == (before, behind)
        at = next((at for at, (old, new) in enumerate(zip(previous, messages, strict=False)) if old != new), None)
        assert at is None, f"{previous[max(0, at - 60) :][:160]!r} became {messages[max(0, at - 60) :][:160]!r}"
        assert len(messages) > len(previous)
        previous = messages
    return previous


@pytest.mark.parametrize("dialect", FORMATS)
async def test_the_prefix_of_a_request_never_changes_and_a_replacement_catalog_only_appends(
    bench: Bench, dialect: Any
) -> None:
    second = FIRST if dialect == "gemini" else SECOND
    async with ModelServer(dialect, FIRST, second, FIRST, LAST, LAST) as server:
        model = open_model(f"{server.provider}:test-model", base_url=server.base_url, api_key=KEY)
        agent = await bench.agent(model=model, tools=[ProbeTool("read", reads)], hooks=[Catalogs(1, 3)])
        await within(agent.run_turn(user_message("Read a and b")), "the turn")
        await bench.session.aclose()
        # Reading the log again must give the same bytes.
        again = await bench.store.open(bench.session.id)
        agent = await bench.agent(
            model=open_model(f"{server.provider}:test-model", base_url=server.base_url, api_key=KEY),
            session=again,
            tools=[ProbeTool("read", reads)],
        )
        await within(agent.run_turn(user_message("Once more")), "the resumed turn")
    assert len(server.requests) == 5
    assert only_added_to(dialect, server.requests).count("catalog of step") == 2


class Skills:
    """Skills of which there is one more after each file that is read."""

    def __init__(self) -> None:
        self.registry = SkillRegistry()
        self.names: list[str] = []
        self.add()

    def add(self) -> None:
        self.names.append(f"skill-number-{len(self.names)}")
        self.registry.register(skill(self.names[-1], f"About {self.names[-1]}."))

    async def read(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolOutcome:
        self.add()
        return await reads(arguments, context)

    async def agent(self, bench: Bench, model: Model, session: Session | None = None) -> Agent:
        tools = [ProbeTool("read", self.read), SkillTool(self.registry, OPEN_ACCESS)]
        hooks = [CatalogPublisher(self.registry, OPEN_ACCESS)]
        return await bench.agent(model=model, session=session, tools=tools, hooks=hooks)


@pytest.mark.parametrize("dialect", FORMATS)
@pytest.mark.parametrize("alike", [True, False], ids=["to a model alike", "to another format"])
async def test_a_model_that_is_switched_back_to_finds_what_it_was_sent_before(
    bench: Bench, dialect: Any, alike: bool
) -> None:
    """With catalogs replaced before, meanwhile and after; also when the session is opened again."""
    broken = FIRST if dialect == "gemini" else SECOND
    other = dialect if alike else "chat" if dialect == "messages" else "messages"
    skills = Skills()
    async with (
        ModelServer(dialect, FIRST, broken, LAST, FIRST, LAST) as server,
        ModelServer(other, FIRST, broken if alike else SECOND, LAST) as between,
    ):
        agent = await skills.agent(bench, model_of(server))
        await within(agent.run_turn(user_message("The first turn")), "the first turn")
        await agent.set_model(open_model(f"{between.provider}:other", base_url=between.base_url, api_key=KEY))
        await within(agent.run_turn(user_message("The turn between")), "the turn between")
        await agent.set_model(model_of(server))
        outcome = await within(agent.run_turn(user_message("The third turn")), "the third turn")
        assert outcome.reason == "done", outcome
        await bench.session.aclose()
        agent = await skills.agent(bench, model_of(server), await bench.store.open(bench.session.id))
        outcome = await within(agent.run_turn(user_message("The last turn")), "the resumed turn")
        assert outcome.reason == "done", outcome
    assert_valid(bench.session)
    assert (len(server.requests), len(between.requests)) == (6, 3)
    for asked in (server, between):
        for request in asked.requests:
            assert_paired(asked.dialect, request.json)
    only_added_to(other, between.requests)
    sent = only_added_to(dialect, server.requests)
    told = [sent.index(text) for text in ("The first turn", "The turn between", "The third turn", "The last turn")]
    assert told == sorted(told)
    injected = [event.data for event in bench.session.events if event.type == "user/message"]
    catalogs = [data for data in injected if data["source"]["kind"] == "skill-catalog"]
    updates = [bool(data["source"].get("update")) for data in catalogs]
    assert updates == [False, *[True] * (len(updates) - 1)]
    assert len(updates) >= 4
    told = [sent.index(json.dumps(data["content"][0]["text"])[1:-1].rstrip("\\n")) for data in catalogs]
    assert told == sorted(told)


async def test_the_field_of_thinking_is_on_every_call_once_the_model_has_thought_and_on_none_before(
    bench: Bench,
) -> None:
    """Servers whose models think refuse a call without it, and others refuse a field that they do not know."""
    async with ModelServer("chat", SECOND, LAST, FIRST, SECOND, LAST, SECOND, LAST) as server:
        agent = await agent_for(bench, server)
        for text in ("One", "Two", "Three"):
            outcome = await within(agent.run_turn(user_message(text)), "a turn")
            assert outcome.reason == "done", outcome
    only_added_to("chat", server.requests)
    fields = [
        message.get("reasoning_content")
        for message in server.requests[-1].json["messages"]
        if message["role"] == "assistant" and message.get("tool_calls")
    ]
    assert [None if field is None else bool(field) for field in fields] == [None, True, False, False]


async def test_thinking_of_another_provider_brings_no_field(bench: Bench) -> None:
    async with ModelServer("messages", FIRST, LAST) as before, ModelServer("chat", SECOND, LAST) as server:
        agent = await agent_for(bench, before)
        await within(agent.run_turn(user_message("One")), "the first turn")
        await agent.set_model(model_of(server))
        await within(agent.run_turn(user_message("Two")), "the second turn")
    only_added_to("chat", server.requests)
    assert not any("reasoning" in request.body.decode() for request in server.requests)


async def test_what_a_server_may_keep_is_marked_for_it(bench: Bench) -> None:
    """The messages format caches only what it is asked to: the tools, the instructions, and the conversation."""
    async with ModelServer("messages", FIRST, LAST) as server:
        agent = await agent_for(bench, server)
        await within(agent.run_turn(user_message("Read a and b")), "the turn")
    mark = {"type": "ephemeral", "ttl": "5m"}
    for request in server.requests:
        sent = request.json
        assert sent["cache_control"] == mark
        assert sent["system"][-1]["cache_control"] == mark
        assert sent["tools"][-1]["cache_control"] == mark
