"""Whether a request is one that real servers take: each call of a tool is answered, at once and once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def assert_paired(dialect: str, body: Any) -> None:
    """Raises AssertionError for a call without its result, or a result without its call, in a request's messages."""
    owed: list[str] = []
    for kind, name in _PARTS[dialect](body):
        match kind:
            case "call":
                owed.append(name)
            case "result":
                assert name in owed, f"a result without its call: {name}"
                owed.remove(name)
            case _:
                assert not owed, f"{kind} before the results of {owed}"
    assert not owed, f"calls without a result: {owed}"


def _chat(body: Any) -> Iterator[tuple[str, str]]:
    for message in body["messages"]:
        if message["role"] == "tool":
            yield "result", message["tool_call_id"]
            continue
        yield message["role"], ""
        for call in message.get("tool_calls") or ():
            yield "call", call["id"]


def _responses(body: Any) -> Iterator[tuple[str, str]]:
    for item in body["input"]:
        match item.get("type"):
            case "function_call":
                yield "call", item["call_id"]
            case "function_call_output":
                yield "result", item["call_id"]
            case "reasoning":
                pass
            case _:
                yield item.get("role", "an item"), ""


def _messages(body: Any) -> Iterator[tuple[str, str]]:
    for message in body["messages"]:
        content = message["content"]
        if message["role"] == "assistant":
            yield "a reply", ""
        for block in content if isinstance(content, list) else ({"type": "text"},):
            match block["type"]:
                case "tool_use":
                    yield "call", block["id"]
                case "tool_result":
                    yield "result", block["tool_use_id"]
                case kind if message["role"] == "user":
                    yield kind, ""


def _gemini(body: Any) -> Iterator[tuple[str, str]]:
    for content in body["contents"]:
        if content["role"] == "model":
            yield "a reply", ""
        for part in content["parts"]:
            if call := part.get("functionCall"):
                yield "call", call.get("id") or call["name"]
            elif result := part.get("functionResponse"):
                yield "result", result.get("id") or result["name"]
            elif content["role"] == "user":
                yield "a text", ""


_PARTS = {"chat": _chat, "responses": _responses, "messages": _messages, "gemini": _gemini}
