"""`skilldeck run` as a process, with the real client libraries, against servers that speak the real formats."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.app.commands.conftest import Place
from tests.app.commands.real_runs import CANARY, LAST, on_terminal, run, stored, words_of, written
from tests.core.models.support import FORMATS
from tests.support.model_server import Hangs, ModelServer, Refusal, Reply


@pytest.mark.parametrize("dialect", FORMATS)
async def test_a_prompt_from_standard_input_with_a_tool_and_an_answer(place: Place, dialect: Any) -> None:
    calls = (("shell", '{"command": "printenv OPENAI_API_KEY; echo made > made.txt"}'), ("list", "{}"))
    async with ModelServer(dialect, Reply(text="I try.", calls=calls), LAST) as server:
        ended = await run(place, "run", *words_of(server), "--allow-tools", "shell", stdin="two\nlines\n")
    assert (ended.status, ended.out, ended.err) == (0, "Both are fine.\n", "")
    assert (place.project / "made.txt").read_text() == "made\n"
    assert "two\\nlines" in server.requests[0].body.decode()
    assert CANARY not in server.requests[1].body.decode()
    events = stored(place)
    (context,) = [event["data"] for event in events if event["type"] == "request/context"]
    assert context["model"] == f"{server.provider}:test-model"
    usage = [event["data"]["usage"] for event in events if event["type"] == "assistant/message"]
    assert [each["input_tokens"] for each in usage] == [120, 120]
    assert CANARY not in written(place)


async def test_json_prints_what_is_stored(place: Place) -> None:
    async with ModelServer("messages", LAST) as server:
        ended = await run(place, "run", "hello", "--json", *words_of(server))
    assert (ended.status, ended.err) == (0, "")
    printed = [json.loads(line) for line in ended.out.splitlines()]
    assert printed == stored(place)
    (reply,) = [event["data"] for event in printed if event["type"] == "assistant/message"]
    assert [block["type"] for block in reply["content"]] == ["thinking", "text"]
    assert reply["stop_reason"] == "end"


@pytest.mark.parametrize("dialect", FORMATS)
async def test_no_key_is_written_or_shown_whatever_the_server_says_about_it(place: Place, dialect: Any) -> None:
    wish = {"retry-after": "0"}
    kinds = {"gemini": "error"}
    said = {"type": kinds.get(dialect, "x"), "message": f"the key {CANARY} (Bearer {CANARY}) is no good"}
    faults = [Refusal(429, {"error": said}, wish), Refusal(503, {"error": said}, wish), Refusal(401, {"error": said})]
    async with ModelServer(dialect, *faults) as server:
        ended = await run(place, "run", "hello", *words_of(server))
    assert (ended.status, ended.out) == (1, "")
    assert ended.err.startswith("skilldeck: ")
    assert ended.err.count("\n") == 1
    assert "[secret]" in ended.err
    assert len(server.requests) == 3
    assert any(CANARY in value for value in server.requests[0].headers.values())
    assert [event["data"]["kind"] for event in stored(place) if event["type"] == "model/retry"] == [
        "rate-limit",
        "overloaded",
    ]
    assert CANARY not in ended.err + written(place)
    if dialect == "chat":
        session = next(place.state.rglob("*.jsonl")).stem
        for words in (("show", session, "--format", "html"), ("config", "--json"), ("doctor",), ("sessions",)):
            shown = await run(place, *words)
            assert shown.out
            assert CANARY not in shown.out + shown.err


async def test_a_refused_request_is_one_line_and_status_1(place: Place) -> None:
    answer = Refusal(404, {"error": {"message": "No such model", "code": "model_not_found"}})
    async with ModelServer("chat", answer, LAST) as server:
        ended = await run(place, "run", "hello", *words_of(server))
        assert (ended.status, ended.out) == (1, "")
        assert "`test-model`" in ended.err
        assert ended.err.count("\n") == 1
        ended = await run(place, "run", "again", "--continue", *words_of(server))
        assert (ended.status, ended.out) == (0, "Both are fine.\n")


async def test_no_key_is_wrong_usage_and_names_the_variable(place: Place) -> None:
    ended = await run(place, "run", "hello", "--model", "anthropic:x", environment=place.environment)
    assert (ended.status, ended.out) == (2, "")
    assert "ANTHROPIC_API_KEY is not set" in ended.err
    assert ended.err.count("\n") == 1
    assert not list(place.home.rglob("*.jsonl"))


async def test_the_step_limit_of_a_model_that_never_comes_to_an_end(place: Place) -> None:
    async with ModelServer("responses", Reply(calls=(("list", "{}"),))) as server:
        ended = await run(place, "run", "go", "--max-steps", "3", *words_of(server))
    assert (ended.status, ended.out) == (1, "")
    assert "3 steps" in ended.err
    assert len(server.requests) == 3


async def test_a_silent_server_is_given_up(place: Place) -> None:
    async with ModelServer("chat", Hangs(LAST, 0)) as server:
        limits = ("--set", "request_timeout=1", "--set", "reply_timeout=1")
        ended = await run(place, "run", "go", *limits, *words_of(server))
    assert (ended.status, ended.out) == (1, "")
    assert "stopped after 1 seconds" in ended.err or "silent for 1 seconds" in ended.err


async def test_words_come_to_a_terminal_before_the_reply_is_whole_and_once(place: Place) -> None:
    reply = Reply(text="The first words, and the last.", calls=(("list", "{}"),), piece=5)
    async with ModelServer("chat", reply, LAST) as server:
        server.hold_after = server.size(reply) // 2
        async with on_terminal(place, "run", "hello", *words_of(server)) as running:
            await running.until(lambda text: "The first" in text, "the first words")
            assert "the last." not in running.text
            server.release.set()
            ended = await running.end()
    assert (ended.status, ended.out) == (0, "The first words, and the last.\n\nBoth are fine.\n")
    assert ended.err.startswith("List ")


def test_every_file_of_a_run_is_looked_at(place: Place, tmp_path: Path) -> None:
    """The search for the key would find it: in a file below the state folder, at any depth."""
    (place.state / "deep").mkdir(parents=True)
    (place.state / "deep" / "x").write_text(f"a {CANARY} b")
    assert CANARY in written(place)
