"""What goes wrong with a request, as an error with one line for a person and one that says what to do."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, cast

from skills_core.agent.bounded import one_line
from skills_core.agent.model import ModelError, ModelErrorKind
from skills_core.agent.models.real.providers import PROVIDERS
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


def to_model_error(error: Exception, *, prefix: str, model: str, base_url: str | None, api_key: str) -> ModelError:
    """The error of the agent for one of pydantic-ai or of a client library below it."""
    title = PROVIDERS[prefix].title if base_url is None or prefix != "openai" else "The server"
    secrets = tuple(secret for secret in (*secret_values(), api_key) if len(secret) >= _SECRET_MIN)
    elsewhere = next((cause for cause in _chain(error) if isinstance(cause, SentElsewhereError)), None)
    if elsewhere is not None:
        return _sent_elsewhere(title, elsewhere.address, secrets)
    said = _said(error, secrets)
    if base_url is not None:
        base_url = without_secrets(plain_address(base_url), secrets)
    kind = _kind(error, said)
    message, hint = _words(kind, title, prefix, model, base_url, said)
    wish = getattr(error, "retry_after", None)
    retry_after = float(wish) if isinstance(wish, int | float) else None
    return ModelError(kind, message, hint, retry_after=retry_after)


def truncated() -> ModelError:
    """A stream that ended in the middle, which client libraries take for a whole reply."""
    return ModelError(
        "connection", "The reply broke off: the server ended the stream before the reply was finished.", "Ask again."
    )


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
    for cause in _chain(error):
        for type_, kind in kinds:
            if isinstance(cause, type_):
                return kind
    if status == 408:
        return "timeout"
    if isinstance(status, int) and 400 <= status < 500:
        return "refused-request"
    for cause in _chain(error):
        name = type(cause).__name__
        if isinstance(cause, TimeoutError) or name.endswith("Timeout"):
            return "timeout"
        if isinstance(cause, OSError) or name in ("ReadError", "WriteError", "ConnectError", "RemoteProtocolError"):
            return "connection"
    if isinstance(error, pe.UserError):
        return "other"
    return "bad-response" if isinstance(error, pe.ModelAPIError | ValueError) else "other"


def _words(
    kind: ModelErrorKind, title: str, prefix: str, model: str, base_url: str | None, said: str
) -> tuple[str, str]:
    keys = PROVIDERS[prefix].keys
    where = f" at {base_url}" if base_url is not None else ""
    told = f": {said}" if said else "."
    match kind:
        case "authentication":
            return f"{title} refused the key{told}", f"Check {keys[0]} in the environment."
        case "unknown-model":
            hint = "Check the model's name" + (f" and the address {base_url}." if base_url is not None else ".")
            return f"{title} knows no model `{model}`{told}", hint
        case "rate-limit":
            return f"{title} limits the rate of requests{told}", "Wait a while, then send again."
        case "overloaded":
            return f"{title} cannot answer at the moment{told}", "Send again later, or choose another model."
        case "connection":
            return f"There is no connection to {title}{where}{told}", "Check the network and the address of the server."
        case "timeout":
            return f"{title} did not answer in time{told}", "Send again, or choose another model."
        case "context-overflow":
            hint = "Compact the conversation with /compact, or start a new session."
            return f"The conversation is too long for `{model}`{told}", hint
        case "bad-response":
            return f"{title} sent something that is no reply{told}", "Check that the address is that of such a server."
        case "refused-request":
            return f"{title} refused the request{told}", "Check the account, the model and its settings."
        case _:
            return f"The request to {title} failed{told}", ""


def _said(error: Exception, secrets: tuple[str, ...]) -> str:
    """The server's own words on one line, without anything secret; of other failures the first line."""
    body = getattr(error, "body", None)
    status = getattr(error, "status_code", None)
    text = _body_message(body)
    if not text:
        text = f"status {status}" if status is not None else str(getattr(error, "message", "") or error)
    if body is None and text.strip().rstrip(".").lower() in ("connection error", ""):
        deepest = list(_chain(error))[-1]
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


def _chain(error: BaseException) -> list[BaseException]:
    found: list[BaseException] = []
    current: BaseException | None = error
    while current is not None and current not in found:
        found.append(current)
        current = current.__cause__ or current.__context__
    return found
