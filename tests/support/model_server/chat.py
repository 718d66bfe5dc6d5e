"""The stream of the chat completions format."""

from __future__ import annotations

import json
from typing import Any

from tests.support.model_server.play import Reply

PATH = "/chat/completions"
_BASE = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1700000000}


def pieces(text: str, size: int) -> list[str]:
    return [text[start : start + size] for start in range(0, len(text), size)]


def encode(reply: Reply, model: str) -> bytes:
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    deltas += [{"reasoning_content": piece} for piece in pieces(reply.thinking, reply.piece)]
    deltas += [{"content": piece} for piece in pieces(reply.text, reply.piece)]
    deltas += [{"reasoning_content": piece} for piece in pieces(reply.interleaved, reply.piece)]
    for number, (name, arguments) in enumerate(reply.calls):
        index = 0 if reply.fused else number
        first: dict[str, Any] = {"index": index, "type": "function", "function": {"name": name, "arguments": ""}}
        if reply.ids:
            first["id"] = f"call_{number}"
        deltas.append({"tool_calls": [first]})
        for piece in pieces(arguments, reply.piece):
            deltas.append({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    chunks = [_chunk(model, delta, None) for delta in deltas]
    chunks.append(_chunk(model, {}, reply.stop or ("tool_calls" if reply.calls else "stop")))
    if reply.usage:
        usage = {
            "prompt_tokens": 120,
            "completion_tokens": 30,
            "total_tokens": 150,
            "prompt_tokens_details": {"cached_tokens": 64},
        }
        chunks.append({**_BASE, "model": model, "choices": [], "usage": usage})
    return b"".join(event(chunk) for chunk in chunks) + b"data: [DONE]\n\n"


def endless(text: str, model: str) -> bytes:
    return event(_chunk(model, {"content": text}, None))


def error(message: str, code: str | None, kind: str) -> dict[str, Any]:
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def event(data: dict[str, Any], name: str | None = None) -> bytes:
    line = f"event: {name}\n" if name else ""
    return f"{line}data: {json.dumps(data)}\n\n".encode()


def _chunk(model: str, delta: dict[str, Any], finish: str | None) -> dict[str, Any]:
    return {**_BASE, "model": model, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}
