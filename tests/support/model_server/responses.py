"""The stream of the responses format."""

from __future__ import annotations

from typing import Any

from tests.support.model_server.chat import event, pieces
from tests.support.model_server.play import Reply

PATH = "/responses"


class _Stream:
    """Numbers the events of one response."""

    def __init__(self, model: str) -> None:
        self.model = model
        self.out = bytearray()
        self.output: list[dict[str, Any]] = []
        self._number = 0
        self.send("response.created", response=self.response("in_progress", None))

    def send(self, kind: str, **fields: Any) -> None:
        self.out += event({"type": kind, "sequence_number": self._number, **fields}, kind)
        self._number += 1

    def response(self, status: str, usage: dict[str, Any] | None, **more: Any) -> dict[str, Any]:
        return {
            "id": "resp_1",
            "object": "response",
            "created_at": 1700000000,
            "status": status,
            "model": self.model,
            "output": list(self.output),
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": [],
            "error": None,
            "incomplete_details": None,
            "instructions": None,
            "metadata": {},
            "usage": usage,
            **more,
        }

    def reasoning(self, text: str, size: int) -> None:
        index = len(self.output)
        item: dict[str, Any] = {"type": "reasoning", "id": f"rs_{index}", "summary": [], "encrypted_content": None}
        self.send("response.output_item.added", output_index=index, item=item)
        place = {"item_id": item["id"], "output_index": index, "summary_index": 0}
        self.send("response.reasoning_summary_part.added", part={"type": "summary_text", "text": ""}, **place)
        for piece in pieces(text, size):
            self.send("response.reasoning_summary_text.delta", delta=piece, **place)
        self.send("response.reasoning_summary_text.done", text=text, **place)
        part = {"type": "summary_text", "text": text}
        self.send("response.reasoning_summary_part.done", part=part, **place)
        done = {**item, "summary": [part], "encrypted_content": f"sealed-{index}"}
        self._done(index, done)

    def message(self, text: str, size: int) -> None:
        index = len(self.output)
        item: dict[str, Any] = {
            "type": "message",
            "id": f"msg_{index}",
            "role": "assistant",
            "status": "in_progress",
            "content": [],
        }
        self.send("response.output_item.added", output_index=index, item=item)
        place = {"item_id": item["id"], "output_index": index, "content_index": 0}
        part = {"type": "output_text", "text": "", "annotations": []}
        self.send("response.content_part.added", part=part, **place)
        for piece in pieces(text, size):
            self.send("response.output_text.delta", delta=piece, logprobs=[], **place)
        self.send("response.output_text.done", text=text, logprobs=[], **place)
        whole = {**part, "text": text}
        self.send("response.content_part.done", part=whole, **place)
        self._done(index, {**item, "status": "completed", "content": [whole]})

    def call(self, number: int, name: str, arguments: str, size: int) -> None:
        index = len(self.output)
        item = {
            "type": "function_call",
            "id": f"fc_{index}",
            "call_id": f"call_{number}",
            "name": name,
            "arguments": "",
            "status": "in_progress",
        }
        self.send("response.output_item.added", output_index=index, item=item)
        place = {"item_id": item["id"], "output_index": index}
        for piece in pieces(arguments, size):
            self.send("response.function_call_arguments.delta", delta=piece, **place)
        self.send("response.function_call_arguments.done", arguments=arguments, name=name, **place)
        self._done(index, {**item, "status": "completed", "arguments": arguments})

    def _done(self, index: int, item: dict[str, Any]) -> None:
        self.output.append(item)
        self.send("response.output_item.done", output_index=index, item=item)


def encode(reply: Reply, model: str) -> bytes:
    stream = _Stream(model)
    if reply.thinking:
        stream.reasoning(reply.thinking, reply.piece)
    if reply.text:
        stream.message(reply.text, reply.piece)
    if reply.interleaved:
        stream.reasoning(reply.interleaved, reply.piece)
    for number, (name, arguments) in enumerate(reply.calls):
        stream.call(number, name, arguments, reply.piece)
    usage: dict[str, Any] | None = None
    if reply.usage:
        usage = {
            "input_tokens": 120,
            "input_tokens_details": {"cached_tokens": 64},
            "output_tokens": 30,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": 150,
        }
    if reply.stop:
        details = {"reason": reply.stop}
        response = stream.response("incomplete", usage, incomplete_details=details)
        stream.send("response.incomplete", response=response)
    else:
        stream.send("response.completed", response=stream.response("completed", usage))
    return bytes(stream.out)


def endless_start(model: str) -> bytes:
    stream = _Stream(model)
    item = {"type": "message", "id": "msg_0", "role": "assistant", "status": "in_progress", "content": []}
    stream.send("response.output_item.added", output_index=0, item=item)
    part = {"type": "output_text", "text": "", "annotations": []}
    stream.send("response.content_part.added", part=part, item_id="msg_0", output_index=0, content_index=0)
    return bytes(stream.out)


def endless(text: str, model: str) -> bytes:
    data = {
        "type": "response.output_text.delta",
        "sequence_number": 9,
        "item_id": "msg_0",
        "output_index": 0,
        "content_index": 0,
        "delta": text,
        "logprobs": [],
    }
    return event(data, "response.output_text.delta")


def error(message: str, code: str | None, kind: str) -> dict[str, Any]:
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}
