"""The stream of the messages format."""

from __future__ import annotations

from typing import Any

from tests.support.model_server.chat import event, pieces
from tests.support.model_server.play import Reply

PATH = "/v1/messages"


def encode(reply: Reply, model: str) -> bytes:
    out = bytearray(_start(model))
    out += event({"type": "ping"}, "ping")
    index = 0
    for kind, text in (("thinking", reply.thinking), ("text", reply.text), ("thinking", reply.interleaved)):
        if text:
            out += _thinking(index, text, reply.piece) if kind == "thinking" else _text(index, text, reply.piece)
            index += 1
    for number, (name, arguments) in enumerate(reply.calls):
        block = {"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": {}}
        out += _block_start(index, block)
        for piece in pieces(arguments, reply.piece):
            out += _delta(index, {"type": "input_json_delta", "partial_json": piece})
        out += _block_stop(index)
        index += 1
    stop = reply.stop or ("tool_use" if reply.calls else "end_turn")
    delta: dict[str, Any] = {"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None}}
    delta["usage"] = {"output_tokens": 30 if reply.usage else 0}
    out += event(delta, "message_delta")
    out += event({"type": "message_stop"}, "message_stop")
    return bytes(out)


def endless(text: str, model: str) -> bytes:
    return _delta(0, {"type": "text_delta", "text": text})


def endless_start(model: str) -> bytes:
    return _start(model) + _block_start(0, {"type": "text", "text": ""})


def error(message: str, code: str | None, kind: str) -> dict[str, Any]:
    return {"type": "error", "error": {"type": kind, "message": message}}


def _start(model: str) -> bytes:
    usage = {
        "input_tokens": 56,
        "output_tokens": 1,
        "cache_read_input_tokens": 64,
        "cache_creation_input_tokens": 0,
    }
    message = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": usage,
    }
    return event({"type": "message_start", "message": message}, "message_start")


def _thinking(index: int, text: str, size: int) -> bytes:
    out = _block_start(index, {"type": "thinking", "thinking": "", "signature": ""})
    for piece in pieces(text, size):
        out += _delta(index, {"type": "thinking_delta", "thinking": piece})
    out += _delta(index, {"type": "signature_delta", "signature": f"sig-{index}"})
    return out + _block_stop(index)


def _text(index: int, text: str, size: int) -> bytes:
    out = _block_start(index, {"type": "text", "text": ""})
    for piece in pieces(text, size):
        out += _delta(index, {"type": "text_delta", "text": piece})
    return out + _block_stop(index)


def _block_start(index: int, block: dict[str, Any]) -> bytes:
    return event({"type": "content_block_start", "index": index, "content_block": block}, "content_block_start")


def _delta(index: int, delta: dict[str, Any]) -> bytes:
    return event({"type": "content_block_delta", "index": index, "delta": delta}, "content_block_delta")


def _block_stop(index: int) -> bytes:
    return event({"type": "content_block_stop", "index": index}, "content_block_stop")
