"""Real client libraries against servers that speak the real wire formats: replies, histories, and what is sent."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from skills_core.agent.model import ModelError, TextDelta, ThinkingDelta, ToolCallDelta
from skills_core.agent.models import open_model
from skills_core.session.event import text_block
from skills_core.session.message import AssistantMessage, ModelMessage, ToolResultMessage, UserMessage
from tests.core.models.support import DIALECTS, FORMATS, KEY, collect, model_of, request
from tests.support.model_server import Hangs, ModelServer, Reply

REPLY = Reply(
    thinking="Let me think about it.",
    text="I look at two files.",
    interleaved="Both at once.",
    calls=(("read", '{"path": "a.txt", "offset": 2}'), ("read", '{"path": "ü.txt"}')),
)


@pytest.mark.parametrize("dialect", FORMATS)
async def test_text_thinking_and_two_calls_in_one_message(dialect: Any) -> None:
    async with ModelServer(dialect, REPLY) as server:
        model = model_of(server)
        items, reply = await collect(model)
        await model.aclose()
    assert "".join(item.text for item in items if isinstance(item, TextDelta)) == REPLY.text
    thinking = "".join(item.text for item in items if isinstance(item, ThinkingDelta))
    assert thinking == REPLY.thinking + REPLY.interleaved
    assert len([item for item in items if isinstance(item, TextDelta)]) > 1
    calls: dict[int, list[str]] = {}
    names: dict[int, str] = {}
    for item in items:
        if isinstance(item, ToolCallDelta):
            calls.setdefault(item.index, []).append(item.arguments)
            if item.name:
                names[item.index] = item.name
    assert list(names.values()) == ["read", "read"]
    sent = [json.loads(arguments) for _, arguments in REPLY.calls]
    assert [json.loads("".join(pieces)) for pieces in calls.values()] == sent
    kinds = [block["type"] for block in reply.content]
    assert kinds == ["thinking", "text", "thinking", "tool_call", "tool_call"]
    assert [block["text"] for block in reply.content[:3]] == [REPLY.thinking, REPLY.text, REPLY.interleaved]
    assert reply.content[3]["arguments"] == {"path": "a.txt", "offset": 2}
    assert reply.content[4]["arguments"] == {"path": "ü.txt"}
    assert reply.content[3]["id"] != reply.content[4]["id"]
    assert reply.stop_reason == "tool_calls"
    assert (reply.usage.input_tokens, reply.usage.output_tokens, reply.usage.cache_read_tokens) == (120, 30, 64)
    assert reply.model == "test-model"
    json.dumps(reply.content)


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_what_is_sent(dialect: Any) -> None:
    history: tuple[ModelMessage, ...] = (
        UserMessage((text_block("Read it."),)),
        UserMessage((text_block("context"),)),
        AssistantMessage(
            (
                {"type": "thinking", "text": "unsigned"},
                text_block("I read."),
                {"type": "tool_call", "id": "c1", "name": "read", "arguments": {"path": "a"}},
                {"type": "tool_call", "id": "c2", "name": "read", "arguments": {}, "invalid_arguments": '{"pa'},
                {"type": "from-the-future", "x": 1},
            )
        ),
        ToolResultMessage("c1", "read", "the text"),
        ToolResultMessage("c2", "read", "Error: not JSON", True),
        UserMessage((text_block("Go on."),)),
    )
    async with ModelServer(dialect, Reply(text="Done.")) as server:
        await collect(model_of(server), request(*history))
    sent = server.requests[0]
    assert sent.headers["authorization"] == f"Bearer {KEY}"
    assert sent.json["stream"] is True
    wire = sent.body.decode()
    assert "unsigned" not in wire
    assert "from-the-future" not in wire
    places = [wire.index(json.dumps(text)[1:-1]) for text in ("Read it.", "context", "I read.", "the text", "Go on.")]
    assert places == sorted(places)
    assert wire.count("Error: not JSON") == 1
    if dialect == "messages":
        assert sent.json["system"][0]["text"] == "You are helpful."
        results = [block for block in sent.json["messages"][2]["content"] if block["type"] == "tool_result"]
        assert [(block["tool_use_id"], block["is_error"]) for block in results] == [("c1", False), ("c2", True)]
        assert sent.json["tools"][0]["input_schema"]["required"] == ["path"]
    elif dialect == "chat":
        roles = [message["role"] for message in sent.json["messages"]]
        assert roles == ["system", "user", "assistant", "tool", "tool", "user"]
        assert sent.json["messages"][1]["content"] == "Read it.\n\ncontext"
    else:
        assert sent.json["store"] is False
        assert [item.get("type") for item in sent.json["input"] if "call_id" in item] == [
            "function_call",
            "function_call",
            "function_call_output",
            "function_call_output",
        ]


async def test_messages_of_the_user_stay_apart_where_servers_take_them() -> None:
    from skills_core.agent.models.real.history import to_history

    asked = request(UserMessage((text_block("one"),)), UserMessage((text_block("two"),)))
    assert [len(message.parts) for message in to_history(asked, alternates=False)] == [3]
    assert [len(message.parts) for message in to_history(asked, alternates=True)] == [2]


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_thinking_goes_back_as_its_provider_needs_it(dialect: Any) -> None:
    async with ModelServer(dialect, REPLY, Reply(text="Done.")) as server:
        # What may go back depends on the model.
        name = {"chat": "test-model", "responses": "gpt-5", "messages": "claude-sonnet-4-5"}[dialect]
        model = open_model(f"{server.provider}:{name}", base_url=server.base_url, api_key=KEY)
        _, reply = await collect(model)
        stored = json.loads(json.dumps(reply.content))
        results = [ToolResultMessage(b["id"], b["name"], "ok") for b in stored if b["type"] == "tool_call"]
        user = UserMessage((text_block("Hello"),))
        await collect(model, request(user, AssistantMessage(tuple(stored)), *results))
    wire = server.requests[1].body.decode()
    if dialect == "messages":
        blocks = server.requests[1].json["messages"][1]["content"]
        assert [block["type"] for block in blocks] == ["thinking", "text", "thinking", "tool_use", "tool_use"]
        assert [block["signature"] for block in blocks if block["type"] == "thinking"] == ["sig-0", "sig-2"]
    elif dialect == "responses":
        assert "sealed-0" in wire
        assert "sealed-2" in wire
    else:
        assert server.requests[1].json["messages"][2]["tool_calls"][0]["id"] == "call_0"


# The format of messages always counts.
@pytest.mark.parametrize("dialect", [each for each in FORMATS if each != "messages"])
async def test_counts_that_are_not_given_are_unknown(dialect: Any) -> None:
    async with ModelServer(dialect, Reply(text="Hi.", usage=False)) as server:
        _, reply = await collect(model_of(server))
    assert reply.usage.input_tokens is None
    assert reply.usage.output_tokens is None
    assert reply.usage.cost is None


async def test_a_price_is_told_where_it_is_known() -> None:
    async with ModelServer("messages", Reply(text="Hi.")) as server:
        model = open_model("anthropic:claude-sonnet-4-5", base_url=server.base_url, api_key=KEY)
        _, reply = await collect(model)
        assert reply.usage.cost is not None
        assert 0 < reply.usage.cost < 0.1
        assert model.context_window is not None
        assert model.context_window >= 200_000


@pytest.mark.parametrize(
    ("dialect", "stop", "expected"),
    [
        ("chat", "length", "length"),
        ("chat", "content_filter", "refused"),
        ("responses", "max_output_tokens", "length"),
        ("responses", "content_filter", "refused"),
        ("messages", "max_tokens", "length"),
        ("messages", "refusal", "refused"),
    ],
)
async def test_reasons_to_stop(dialect: Any, stop: str, expected: str) -> None:
    async with ModelServer(dialect, Reply(text="Some text", stop=stop)) as server:
        _, reply = await collect(model_of(server))
    assert reply.stop_reason == expected
    assert reply.content[0]["text"] == "Some text"


async def test_two_fused_calls_arrive_as_one_with_a_joined_name() -> None:
    calls = (("read", '{"path": "a"}'), ("list", "{}"))
    async with ModelServer("chat", Reply(calls=calls, fused=True)) as server:
        _, reply = await collect(model_of(server))
    assert [block["name"] for block in reply.content] == ["readlist"]
    assert "invalid_arguments" in reply.content[0]


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_arguments_that_are_no_json_are_kept_as_they_came(dialect: Any) -> None:
    async with ModelServer(dialect, Reply(calls=(("read", '{"path": '),))) as server:
        _, reply = await collect(model_of(server))
    assert reply.content[0]["invalid_arguments"] == '{"path": '
    assert reply.content[0]["arguments"] == {}


async def test_a_missing_identifier_is_filled_in() -> None:
    async with ModelServer("chat", Reply(calls=(("read", '{"path": "a"}'),), ids=False)) as server:
        _, reply = await collect(model_of(server))
    assert reply.content[0]["id"]


@pytest.mark.parametrize("dialect", FORMATS)
async def test_a_cancelled_stream_closes_the_connection_at_once(dialect: Any) -> None:
    async with ModelServer(dialect, Hangs(REPLY, -200)) as server:
        model = model_of(server)
        started = asyncio.Event()

        async def read() -> None:
            async for _ in model.stream(request()):
                started.set()

        reading = asyncio.create_task(read())
        await asyncio.wait_for(started.wait(), 20)
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(reading, 2)
        await asyncio.wait_for(server.gone.wait(), 2)
        server._answers = [Reply(text="Back.")]
        _, reply = await asyncio.wait_for(collect(model), 20)
        assert reply.content[0]["text"] == "Back."


@pytest.mark.parametrize("dialect", FORMATS)
async def test_the_server_says_what_it_offers(dialect: Any) -> None:
    async with ModelServer(dialect, REPLY, models=("b-model", "a-model")) as server:
        model = model_of(server)
        assert await asyncio.wait_for(model.offered(), 20) == ("a-model", "b-model")


@pytest.mark.parametrize(
    ("prefix", "path"),
    [("ollama", "/v1/chat/completions"), ("openrouter", "/v1/chat/completions"), ("deepseek", "/v1/chat/completions")],
)
async def test_other_providers_of_the_chat_format(prefix: str, path: str) -> None:
    async with ModelServer("chat", Reply(text="Hello.", thinking="Hm.")) as server:
        model = open_model(f"{prefix}:maker/test-model", base_url=server.base_url, api_key=KEY)
        _, reply = await collect(model)
    assert [block["text"] for block in reply.content] == ["Hm.", "Hello."]
    assert server.requests[0].path == path


async def test_any_compatible_server_by_its_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    async with ModelServer("chat", Reply(text="Hello.")) as server:
        model = open_model("qwen3:8b", base_url=server.base_url)
        _, reply = await collect(model)
    assert model.name == "qwen3:8b"
    assert server.requests[0].json["model"] == "qwen3:8b"
    assert reply.content[0]["text"] == "Hello."


def test_what_is_missing_is_one_line_that_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.delenv(name, raising=False)

    def refused(name: str, **options: Any) -> ModelError:
        with pytest.raises(ModelError) as caught:
            open_model(name, **options)
        assert "\n" not in caught.value.message + caught.value.hint
        return caught.value

    assert refused("openai:gpt-5").kind == "authentication"
    assert "OPENAI_API_KEY" in refused("openai:gpt-5").hint
    assert "ANTHROPIC_API_KEY" in refused("anthropic:claude").message
    assert refused("nonsense").kind == "unknown-model"
    assert "Known are: offline, script:FILE, openai:MODEL" in refused("nobody:x").hint
    assert refused("openai:").hint == "Write openai:MODEL."
    assert "no address" in refused("openai:x", base_url="localhost:80", api_key=KEY).message
    assert "no address" in refused("openai:x", base_url="http://[", api_key=KEY).message
    monkeypatch.setitem(sys.modules, "anthropic", None)
    from skills_core.agent.models.real import extras

    monkeypatch.setattr(extras, "find_spec", lambda name: None if name == "google.genai" else object())
    missing = refused("google:gemini", api_key=KEY)
    assert "not installed" in missing.message
    assert missing.hint == f"Install it: {extras.install_command('google')}"


def test_the_command_that_installs_an_extra_is_right_where_the_program_runs(tmp_path: Path) -> None:
    from skills_core.agent.models.real.extras import install_command

    installed = tmp_path / "lib"
    installed.mkdir()
    command = install_command("openai", installed, "/opt/env/bin/python", tmp_path)
    assert command == '/opt/env/bin/python -m pip install "skilldeck[openai]"'
    clone = tmp_path / "clone"
    (clone / ".venv" / "bin").mkdir(parents=True)
    (clone / "pyproject.toml").write_text("")
    (clone / ".venv" / "bin" / "pip").write_text("")
    own = str(clone / ".venv" / "bin" / "python")
    assert install_command("openai", clone, own, clone) == '.venv/bin/pip install -e ".[openai]"'
    assert install_command("openai", clone, own, tmp_path) == f'{clone}/.venv/bin/pip install -e "{clone}[openai]"'
    command = install_command("openai", clone, "/opt/env/bin/python", tmp_path)
    assert command == f'/opt/env/bin/python -m pip install -e "{clone}[openai]"'


def test_nothing_heavy_is_imported_before_a_request() -> None:
    import subprocess

    code = (
        "import sys\n"
        "from skills_core.agent.models import open_model\n"
        "open_model('openai:gpt-5', api_key='sk-test-abcdefghijkl')\n"
        "heavy = [n for n in ('pydantic_ai', 'openai', 'anthropic', 'httpx2', 'pydantic') if n in sys.modules]\n"
        "assert not heavy, heavy\n"
    )
    root = Path(__file__).parents[3]
    subprocess.run([sys.executable, "-c", code], check=True, cwd=root, timeout=60)


def test_the_key_is_in_no_representation() -> None:
    model = open_model("openai:gpt-5", api_key=KEY)
    assert KEY not in repr(model)
    assert KEY not in str(model)


@pytest.mark.parametrize(
    ("dialect", "name", "plain", "expected"),
    [
        ("chat", "gpt-5", "gpt-4o", '"reasoning_effort":"high"'),
        ("responses", "gpt-5", "gpt-4o", '"effort":"high"'),
        ("messages", "claude-sonnet-4-5", None, '"thinking":{"'),
    ],
)
async def test_how_much_to_think_is_asked_of_models_that_can(
    dialect: Any, name: str, plain: str | None, expected: str
) -> None:
    async with ModelServer(dialect, Reply(text="Done.")) as server:
        for level in ("high", None):
            model = open_model(f"{server.provider}:{name}", base_url=server.base_url, api_key=KEY, thinking=level)  # type: ignore[arg-type]
            await collect(model)
            await model.aclose()  # type: ignore[attr-defined]
        if plain is not None:
            other = open_model(f"{server.provider}:{plain}", base_url=server.base_url, api_key=KEY, thinking="high")
            await collect(other)
            await other.aclose()  # type: ignore[attr-defined]
    asked = ["".join(sent.body.decode().split()) for sent in server.requests]
    assert [expected in body for body in asked] == [True, False, False][: len(asked)]
