"""Requests go to the server that the person chose, and to no other because that one says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skills_core.agent.secret_text import plain_address

if TYPE_CHECKING:
    import httpx2


class SentElsewhereError(Exception):
    """A server answered that the request should be sent to another one; ``address`` is that, without a path."""

    def __init__(self, address: str) -> None:
        super().__init__("the server sends requests on to another one")
        self.address = address


async def stay_with_server(response: httpx2.Response) -> None:
    """A response hook of a client. Raises SentElsewhereError for a redirect that leaves the server.

    A client that follows one sends the conversation there, and the key too unless it stands in the one header that
    clients leave out. The same host may ask for encryption.
    """
    if not response.has_redirect_location:
        return
    import httpx2

    here = response.request.url
    try:
        there = here.join(response.headers["location"])
    except httpx2.InvalidURL:
        # The client says by itself that this is no address.
        return
    upgrade = (here.scheme, there.scheme, here.port, there.port) == ("http", "https", None, None)
    if there.host != here.host or not (upgrade or there.origin == here.origin):
        raise SentElsewhereError(plain_address(f"{there.scheme}://{there.netloc.decode('ascii', 'replace')}"))
