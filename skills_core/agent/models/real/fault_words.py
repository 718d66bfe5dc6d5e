"""A failed request in words: one sentence that says what happened, and one that says what to do."""

from __future__ import annotations

import errno
import json
import os
import socket
import ssl
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from skills_core.agent.model import ModelErrorKind
from skills_core.agent.models.real.providers import NO_KEY, PROVIDERS

_RESET = (True, "the server reset it")
_CONNECTION: Mapping[int, tuple[bool, str]] = {
    errno.ECONNREFUSED: (False, "nothing listens there"),
    errno.EHOSTUNREACH: (False, "the host cannot be reached"),
    errno.ENETUNREACH: (False, "the network cannot be reached"),
    errno.ECONNRESET: _RESET,
    errno.ECONNABORTED: _RESET,
    errno.EPIPE: _RESET,
}
_AGAIN = "Send again, or choose another model."


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedServer:
    """Which model was asked, where. ``base_url`` holds no login; the key is only looked for, never told."""

    prefix: str
    model: str
    base_url: str | None
    api_key: str

    @property
    def title(self) -> str:
        """The server at the beginning of a sentence."""
        return "The server" if self._is_own else PROVIDERS[self.prefix].title

    @property
    def name(self) -> str:
        """The server inside a sentence."""
        return "the server" if self._is_own else self.title

    @property
    def where(self) -> str:
        return f" at {self.base_url}" if self.base_url is not None else ""

    @property
    def _is_own(self) -> bool:
        return self.base_url is not None and self.prefix == "openai"


def fault_words(
    kind: ModelErrorKind, error: Exception, said: str, status: int | None, server: AskedServer
) -> tuple[str, str]:
    """What happened and what to do. ``said`` are the server's own words, which may be empty, without secrets."""
    told = f": {ended(said)}" if said else f": status {status}." if status is not None else "."
    match kind:
        case "authentication" if status == 403:
            return (
                f"{server.title} refused access{told}",
                f"See that the account may use this model. {_key_hint(server)}",
            )
        case "authentication":
            done = "wants a key" if server.api_key == NO_KEY else "refused the key"
            return f"{server.title} {done}{told}", _key_hint(server)
        case "unknown-model":
            hint = "Check the model's name" + (f" and the address {server.base_url}." if server.where else ".")
            return f"{server.title} knows no model `{server.model}`{told}", hint
        case "rate-limit":
            return f"{server.title} limits the rate of requests{told}", "Wait a while, then send again."
        case "overloaded":
            return f"{server.title} cannot answer at the moment{told}", "Send again later, or choose another model."
        case "connection":
            return _connection_words(error, said, server)
        case "timeout":
            return f"{server.title}{server.where} did not answer in time.", _AGAIN
        case "context-overflow":
            hint = "Compact the conversation with /compact, or start a new session."
            return f"The conversation is too long for `{server.model}`{told}", hint
        case "bad-response":
            reason = _form_reason(error) or ended(said or "nothing in it can be read")
            hint = (
                f"Check that {server.base_url} is the address of {_kind_of_server(server)}." if server.where else _AGAIN
            )
            return f"{server.title} sent something that is no reply: {reason}", hint
        case "refused-request":
            return f"{server.title} refused the request{told}", "Check the account, the model and its settings."
        case _:
            return f"The request to {server.name} failed{told}", _AGAIN


def ended(text: str) -> str:
    """The text as a sentence that ends."""
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."


def chain(error: BaseException) -> Iterator[BaseException]:
    """The error and those that it came from."""
    found: list[BaseException] = []
    current: BaseException | None = error
    while current is not None and current not in found:
        found.append(current)
        yield current
        current = current.__cause__ or current.__context__


def _connection_words(error: Exception, said: str, server: AskedServer) -> tuple[str, str]:
    lost, reason = _connection_reason(error)
    reason = ended(reason or said or "the reason is not known")
    if lost:
        hint = "Send again; if it happens often, check the network."
        return f"The connection to {server.name}{server.where} was lost: {reason}", hint
    hint = "Check the address, and that the server runs." if server.where else "Check the network."
    return f"There is no connection to {server.name}{server.where}: {reason}", hint


def _connection_reason(error: Exception) -> tuple[bool, str]:
    """Whether a connection was there and broke, and why; the library's own words say it in numbers."""
    for cause in reversed(list(chain(error))):
        if isinstance(cause, ssl.SSLCertVerificationError):
            return False, f"its certificate is not accepted ({cause.verify_message})"
        if isinstance(cause, ssl.SSLError):
            return False, "no encrypted connection could be made"
        if isinstance(cause, socket.gaierror):
            return False, "its name cannot be looked up"
        if isinstance(cause, OSError) and (known := _CONNECTION.get(cause.errno or 0)) is not None:
            return known
        if type(cause).__name__ == "RemoteProtocolError":
            return True, "the server closed it"
    return False, ""


def _form_reason(error: Exception) -> str:
    """What is wrong with the form of an answer; empty when the library's own words say it better."""
    for cause in chain(error):
        if isinstance(cause, UnicodeDecodeError):
            return "it is not UTF-8."
        if isinstance(cause, json.JSONDecodeError):
            return "it is not JSON."
        if isinstance(cause, AttributeError | TypeError | LookupError | ValueError):
            return "it does not have the form of one."
        if "without content or tool calls" in str(cause):
            return "there is neither text nor a tool call in it."
    return ""


def _kind_of_server(server: AskedServer) -> str:
    if server.prefix in ("openai", "openai-responses"):
        return "an OpenAI-compatible server (many end in /v1)"
    return f"a server that speaks {PROVIDERS[server.prefix].title}'s format"


def _key_hint(server: AskedServer) -> str:
    """Where the key comes from, by name."""
    keys = PROVIDERS[server.prefix].keys
    if server.api_key == NO_KEY:
        return f"Set {keys[0]} in the environment."
    holders = [name for name in (*keys, *os.environ) if os.environ.get(name, "").strip() == server.api_key]
    return f"Check {holders[0]} in the environment." if holders else "Check the key that the settings give for it."
