"""What goes wrong with a request, as an error with one line for a person and one that says what to do."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, cast

from skills_core.agent.bounded import one_line
from skills_core.agent.model import ModelError, ModelErrorKind
from skills_core.agent.models.real.fault_words import AskedServer, chain, fault_words
from skills_core.agent.models.real.redirects import SentElsewhereError
from skills_core.agent.secret_text import plain_address, scrubbed_error, secret_values, without_secrets

_SAID_MAX = 300
_SECRET_MIN = 4
_OVERFLOW = re.compile(
    r"context (?:length|window|size)|maximum context|prompt is too long|input is too long|too many tokens"
    r"|exceed\w* the (?:available )?context|request_too_large|context_length_exceeded|exceed_context_size",
    re.IGNORECASE,
)
_OVERFLOW_STATUS = frozenset({400, 413, 422})
_BROKEN_CALLS = frozenset({"MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"})
_REASON = re.compile(r"[A-Za-z_]{1,40}")


def to_model_error(error: Exception, *, prefix: str, model: str, base_url: str | None, api_key: str) -> ModelError:
    """The error of the agent for one of pydantic-ai or of a client library below it."""
    secrets = secret_values()
    address = without_secrets(plain_address(base_url), secrets) if base_url is not None else None
    server = AskedServer(prefix=prefix, model=model, base_url=address, api_key=api_key)
    elsewhere = next((cause for cause in chain(error) if isinstance(cause, SentElsewhereError)), None)
    if elsewhere is not None:
        return _sent_elsewhere(server.title, elsewhere.address, secrets)
    # In the server's own words also a key that is too short to be looked for elsewhere.
    said = _said(error, (*secrets, api_key) if len(api_key) >= _SECRET_MIN else secrets)
    kind = _kind(error, said)
    status = getattr(error, "status_code", None)
    message, hint = fault_words(kind, error, said, status if isinstance(status, int) else None, server)
    wish = getattr(error, "retry_after", None)
    retry_after = float(wish) if isinstance(wish, int | float) else None
    return ModelError(kind, message, hint, retry_after=retry_after)


def truncated() -> ModelError:
    """A stream that ended in the middle, which client libraries take for a whole reply."""
    return ModelError(
        "connection", "The reply broke off: the server ended the stream before the reply was finished.", "Send again."
    )


def given_up(reason: str) -> ModelError:
    """A reply that the server itself ended as one that went wrong. ``reason`` is its own word for it."""
    if reason in _BROKEN_CALLS:
        return ModelError(
            "bad-response",
            "The model's call of a tool was malformed, so there is nothing to run.",
            "Ask again, in other words if need be.",
        )
    named = f" ({reason})" if _REASON.fullmatch(reason) else ""
    return ModelError("bad-response", f"The server gave the reply up{named}.", "Ask again.")


def _sent_elsewhere(title: str, address: str, secrets: tuple[str, ...]) -> ModelError:
    """Names the other server, unless its name, in which case does not count, says a secret."""
    named = not any(secret.lower() in address.lower() for secret in secrets)
    where = f", {address}" if named else ""
    return ModelError(
        "refused-request",
        one_line(f"{title} sends the request on to another server{where}; neither key nor words were sent there", 300)
        + ".",
        "Set base_url to the address of the server that is meant to answer.",
    )


def _kind(error: Exception, said: str) -> ModelErrorKind:
    from pydantic_ai import exceptions as pe

    status = getattr(error, "status_code", None)
    if isinstance(error, pe.ModelContextWindowExceededError):
        return "context-overflow"
    if status in _OVERFLOW_STATUS and _OVERFLOW.search(said):
        return "context-overflow"
    kinds: tuple[tuple[type[Exception], ModelErrorKind], ...] = (
        (pe.ModelAuthenticationError, "authentication"),
        (pe.ModelNotFoundError, "unknown-model"),
        (pe.ModelRateLimitError, "rate-limit"),
        (pe.ModelQuotaExceededError, "refused-request"),
        (pe.ModelUnavailableError, "overloaded"),
        (pe.ModelServerError, "overloaded"),
        (pe.ModelTimeoutError, "timeout"),
        (pe.ModelRequestTimeout, "timeout"),
        (pe.ModelConnectionError, "connection"),
        (pe.ModelRequestRejectedError, "refused-request"),
        (pe.UnexpectedModelBehavior, "bad-response"),
    )
    for cause in chain(error):
        for type_, kind in kinds:
            if isinstance(cause, type_):
                return kind
    if status == 408:
        return "timeout"
    if isinstance(status, int) and 400 <= status < 500:
        return "refused-request"
    for cause in chain(error):
        name = type(cause).__name__
        if isinstance(cause, TimeoutError) or name.endswith("Timeout"):
            return "timeout"
        if isinstance(cause, OSError) or name in ("ReadError", "WriteError", "ConnectError", "RemoteProtocolError"):
            return "connection"
    if isinstance(error, pe.UserError):
        return "other"
    # The library reads what the server sent without looking at its form first.
    unread = pe.ModelAPIError | ValueError | AttributeError | TypeError | LookupError
    return "bad-response" if isinstance(error, unread) else "other"


def _said(error: Exception, secrets: tuple[str, ...]) -> str:
    """The server's own words on one line, without anything secret; of other failures the first line."""
    body = getattr(error, "body", None)
    status = getattr(error, "status_code", None)
    text = _body_message(body)
    if not text:
        text = "" if status is not None else str(getattr(error, "message", "") or error)
    if body is None and status is None and text.strip().rstrip(".").lower() in ("connection error", ""):
        deepest = list(chain(error))[-1]
        text = str(deepest) or type(deepest).__name__
    return one_line(scrubbed_error(text, secrets), _SAID_MAX)


def _body_message(body: Any) -> str:
    if isinstance(body, bytes):
        body = body.decode("utf-8", "replace")
    if isinstance(body, str):
        try:
            body = json.loads(body)
        except ValueError:
            return _plain(body)
    if not isinstance(body, Mapping):
        return ""
    facts = cast("Mapping[str, Any]", body)
    inner = facts.get("error")
    if isinstance(inner, str):
        return inner
    if isinstance(inner, Mapping):
        facts = cast("Mapping[str, Any]", inner)
    message = facts.get("message") or facts.get("detail")
    return _plain(message) if isinstance(message, str) else ""


def _plain(text: str) -> str:
    """Nothing of a page that a gateway sent instead of an answer."""
    return "" if "<html" in text.lower() or "<!doctype" in text.lower() else text
