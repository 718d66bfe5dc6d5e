"""Fields of the chat format that hold a reply's thinking, kept the same whatever comes after the reply."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic_ai import messages as pm
    from pydantic_ai.models import Model


def with_steady_thinking_fields(model: Model[Any], history: list[pm.ModelMessage]) -> list[pm.ModelMessage]:
    """The same messages, in which every call of a tool that needs an empty thinking field has it for good.

    Some servers refuse a call without the field once the model has thought, so the library sends it empty: but only
    until the next message of the user, after which the same reply would go out in other bytes than before.
    """
    from pydantic_ai import messages as pm
    from pydantic_ai.models.openai import OpenAIChatModel

    if not isinstance(model, OpenAIChatModel):
        return history
    if model.profile.get("openai_chat_send_back_thinking_parts", "auto") != "auto":
        return history
    field: str | None = None
    bare: list[pm.ModelResponse] = []
    """Replies with calls since the user's last message, as long as no reply had the field."""
    for message in history:
        if isinstance(message, pm.ModelRequest):
            if any(isinstance(part, pm.UserPromptPart) for part in message.parts):
                bare = []
            continue
        own = _field_of(model, message)
        field = own or field
        if own is None and any(isinstance(part, pm.ToolCallPart) for part in message.parts):
            bare.append(message)
        if field is not None:
            for reply in bare:
                empty = pm.ThinkingPart("", id=field, provider_name=model.system)
                reply.parts = [empty, *reply.parts]
            bare = []
    return history


def _field_of(model: Model[Any], reply: pm.ModelResponse) -> str | None:
    """The field in which the library sends the thinking of a reply back, if it does."""
    from pydantic_ai import messages as pm

    expected = model.profile.get("openai_chat_thinking_field")
    for part in reply.parts:
        if not isinstance(part, pm.ThinkingPart) or part.provider_name != model.system:
            continue
        if part.id and part.id != "content" and part.id == (expected or part.id):
            return part.id
    return None
