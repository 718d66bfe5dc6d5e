"""The stream of the format of Google's models."""

from __future__ import annotations

import json
from typing import Any

from tests.support.model_server.chat import event, pieces
from tests.support.model_server.play import Reply

PATH = "/v1beta/models"
KEEP_ALIVE = b"\n"
"""The client library of this format takes comments for data that is broken."""


def encode(reply: Reply, model: str) -> bytes:
    parts: list[dict[str, Any]] = [{"text": piece, "thought": True} for piece in pieces(reply.thinking, reply.piece)]
    parts += [{"text": piece} for piece in pieces(reply.text, reply.piece)]
    parts += [{"text": piece, "thought": True} for piece in pieces(reply.interleaved, reply.piece)]
    for number, (name, arguments) in enumerate(reply.calls):
        # This format sends the arguments of a call whole.
        call: dict[str, Any] = {"functionCall": {"name": name, "args": json.loads(arguments)}}
        if reply.ids:
            call["functionCall"]["id"] = f"call_{number}"
        call["thoughtSignature"] = "c2lnbmVk"
        parts.append(call)
    out = b"".join(event(_chunk(model, part)) for part in parts)
    last = _chunk(model, {"text": ""})
    last["candidates"][0]["finishReason"] = reply.stop or "STOP"
    if reply.usage:
        last["usageMetadata"] = {
            "promptTokenCount": 120,
            "candidatesTokenCount": 30,
            "cachedContentTokenCount": 64,
            "totalTokenCount": 150,
        }
    return out + event(last)


def endless(text: str, model: str) -> bytes:
    return event(_chunk(model, {"text": text}))


def error(message: str, code: str | None, kind: str) -> dict[str, Any]:
    statuses = {
        "authentication_error": "UNAUTHENTICATED",
        "not_found_error": "NOT_FOUND",
        "rate_limit_error": "RESOURCE_EXHAUSTED",
        "invalid_request_error": "INVALID_ARGUMENT",
    }
    return {"error": {"code": 0, "message": message, "status": statuses.get(kind, "INTERNAL")}}


def _chunk(model: str, part: dict[str, Any]) -> dict[str, Any]:
    return {
        "candidates": [{"index": 0, "content": {"role": "model", "parts": [part]}}],
        "modelVersion": model,
        "responseId": "resp-1",
    }
