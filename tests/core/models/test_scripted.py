"""The scripted model: every key of a line, its end, and its faults."""

from __future__ import annotations

from pathlib import Path

import pytest

from skills_core.agent.model import ModelError, ModelReply, ModelRequest, StreamItem, TextDelta, ThinkingDelta
from skills_core.agent.models import open_model
from skills_core.agent.models.scripted import ScriptedModel

REQUEST = ModelRequest("", (), ())


async def play(model: ScriptedModel) -> list[StreamItem]:
    return [item async for item in model.stream(REQUEST)]


async def test_plays_one_line_a_request(tmp_path: Path) -> None:
    path = tmp_path / "script.jsonl"
    path.write_text(
        '\ufeff{"thinking": "Hm.", "text": "Hello, this is a text of more than one piece.", '
        '"tool_calls": [{"name": "read", "arguments": {"path": "é"}}, {"name": "list"}, '
        '{"name": "read", "arguments": "{broken"}]}\n\n{}\r\n'
    )
    model = ScriptedModel(path)
    items = await play(model)
    assert "".join(item.text for item in items if isinstance(item, TextDelta)).startswith("Hello")
    assert sum(isinstance(item, TextDelta) for item in items) > 1
    assert items[0] == ThinkingDelta("Hm.")
    reply = items[-1]
    assert isinstance(reply, ModelReply)
    assert reply.stop_reason == "tool_calls"
    assert [block["type"] for block in reply.content] == ["thinking", "text", "tool_call", "tool_call", "tool_call"]
    assert reply.content[2]["arguments"] == {"path": "é"}
    assert reply.content[3]["arguments"] == {}
    assert reply.content[4]["invalid_arguments"] == "{broken"
    assert reply.usage.input_tokens is None
    assert await play(model) == [ModelReply((), "end", reply.usage, model.name)]
    assert model.requests == [REQUEST, REQUEST]


async def test_past_the_end_it_says_so(tmp_path: Path) -> None:
    (tmp_path / "s").write_text('{"text": "only"}\n')
    model = ScriptedModel(tmp_path / "s")
    await play(model)
    for _ in range(2):
        with pytest.raises(ModelError) as caught:
            await play(model)
        assert caught.value.kind == "script-ended"
        assert "has 1 reply" in caught.value.message
        assert not caught.value.retryable


async def test_waits_and_fails_as_written(tmp_path: Path) -> None:
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    (tmp_path / "s").write_text(
        '{"text": "late", "delay_ms": 1500}\n{"error": "rate-limit"}\n{"error": "Out of order."}\n'
        '{"text": "half", "error": {"kind": "connection", "message": "Lost.", "hint": "Wait.", "retry_after": 2}}\n'
    )
    model = ScriptedModel(tmp_path / "s", sleep=sleep)
    await play(model)
    assert waits == [1.5]
    for kind, message in (("rate-limit", "The script plays a failure (rate-limit)."), ("other", "Out of order.")):
        with pytest.raises(ModelError) as caught:
            await play(model)
        assert (caught.value.kind, caught.value.message) == (kind, message)
    stream = model.stream(REQUEST)
    assert await anext(stream) == TextDelta("half")
    with pytest.raises(ModelError) as caught:
        await anext(stream)
    assert (caught.value.message, caught.value.hint, caught.value.retry_after) == ("Lost.", "Wait.", 2)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b"not json", "it is not JSON (Expecting value, column 1)"),
        (b"[1]", "it is not a JSON object"),
        (b'{"txt": "x"}', "it has an unknown key `txt`; known are delay_ms, error, text, thinking, tool_calls"),
        (b'{"text": 7}', "`text` is not a text"),
        (b'{"tool_calls": {}}', "`tool_calls` is not a list"),
        (b'{"tool_calls": [{}]}', "a tool call has no `name`"),
        (b'{"delay_ms": -1}', "`delay_ms` is not a number of milliseconds"),
        (b'{"error": 7}', "`error` is neither a text nor an object"),
        (b'{"error": {"kind": "bad luck"}}', "`error.kind` is none of"),
        (b'{"error": {"retry_after": "soon"}}', "`error.retry_after` is not a number"),
        (b'{"text": "\xff"}', "it is not UTF-8 text"),
        (b"[" * 100_000, "it is not JSON"),
    ],
)
def test_a_faulty_line_is_named(tmp_path: Path, line: bytes, words: str) -> None:
    (tmp_path / "s").write_bytes(b'{"text": "fine"}\n\n' + line + b"\n")
    with pytest.raises(ModelError) as caught:
        ScriptedModel(tmp_path / "s")
    assert "faulty in line 3: " in caught.value.message
    assert words in caught.value.message


def test_a_missing_file_and_a_missing_name_say_what_to_write(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no such file") as caught:
        open_model(f"script:{tmp_path / 'none'}")
    assert caught.value.hint == "Name a file: script:FILE."
    with pytest.raises(ModelError, match="names no file"):
        open_model("script:")


def test_models_open_by_name(tmp_path: Path) -> None:
    (tmp_path / "s").write_text("{}\n")
    assert open_model("offline").name == "offline"
    assert open_model(f"script:{tmp_path / 's'}").name == f"script:{tmp_path / 's'}"
