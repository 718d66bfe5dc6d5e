"""A reply that says the key back: the commands that show it, everything on the disk, and the screen."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from skills_core.agent.models import open_model
from tests.app.commands.conftest import Place, place
from tests.app.commands.real_runs import CANARY, on_terminal, run, with_keys
from tests.app.support import Deck
from tests.core.models.conftest import one_authority
from tests.security.echo_server import EchoServer, on_disk, says
from tests.security.echo_server import assert_untold as untold
from tests.support.model_server import ModelServer, Reply

__all__ = ["one_authority", "place"]

ECHO = Reply(
    thinking=f"They gave me {CANARY}.",
    text=f"Your key is {CANARY}, is it not?",
    calls=(("shell", json.dumps({"command": f"echo {CANARY} > made.txt; printenv OPENAI_API_KEY; cat made.txt"})),),
    piece=9,
)
LAST = Reply(text=f"All of it: {CANARY}", piece=11)


def words(server: EchoServer) -> list[str]:
    return ["--model", server.name, "--base-url", server.base_url, "--allow-tools", "shell"]


def assert_no_key(what: str) -> None:
    untold(what, CANARY)


async def test_the_commands_that_show_a_session(place: Place) -> None:
    place.environment = with_keys(place)
    answers = (says("chat", ECHO, x_request_id="{key}"), says("chat", LAST), says("chat", ECHO), says("chat", LAST))
    async with EchoServer("chat", *answers) as server:
        async with on_terminal(place, "run", "hello", *words(server)) as terminal:
            streamed = await terminal.end()
        assert streamed.status == 0, streamed.err
        assert "Your key is [secret], is it not?" in streamed.out
        assert "All of it: [secret]" in streamed.out
        printed = await run(place, "run", f"again {CANARY}", "--json", "--continue", *words(server))
        assert printed.status == 0, printed.err
        assert len(server.requests) == 4
        assert_no_key("".join(request.partition("\r\n\r\n")[2] for request in server.requests))
    assert "again [secret]" in printed.out
    told = [streamed, printed]
    (log,) = place.state.rglob("*.jsonl")
    told.append(place.run("show", log.stem, "--format", "html"))
    for each in told:
        assert each.out
        assert_no_key(each.out + each.err)
    assert (place.project / "made.txt").read_text() == "[secret]\n"
    assert_no_key(on_disk(place.home))
    assert "All of it: [secret]" in on_disk(place.state)


async def test_a_reply_on_the_screen_while_it_comes_and_when_it_stands(tmp_path: Path) -> None:
    plain = Reply(thinking=ECHO.thinking, text=ECHO.text, piece=4)
    deck = Deck(tmp_path, trust="yes")
    seen: list[str] = []

    def shows(text: str) -> Any:
        def holds() -> bool:
            seen.append(deck.text())
            return text in seen[-1]

        return holds

    async with ModelServer("messages", plain) as server:
        server.hold_after = server.stream(plain).rindex(b"event: content_block_delta")
        server._answers.append(server.error(401, f"key {CANARY} is spent", kind="authentication_error"))
        deck.runtime.model = open_model("anthropic:test-model", base_url=server.base_url, api_key=CANARY)
        async with deck.app.run_test(size=(100, 40)) as pilot:
            await deck.ready()
            deck.chat.composer.insert("hello")
            await pilot.press("enter")
            await deck.until(shows("Your key is [secret], is it"), "the reply that comes", 30)
            assert deck.chat.session.conversation.busy
            server.release.set()
            await deck.until(lambda: not deck.chat.session.conversation.busy, "the end of the turn")
            await deck.until(shows("Your key is [secret], is it not?"), "the reply that stands")
            deck.chat.composer.insert("again")
            await pilot.press("enter")
            await deck.until(shows("key [secret] is spent"), "the refusal", 30)
        await deck.runtime.model.aclose()
        assert len(server.requests) == 2
    for screen in seen:
        assert_no_key(screen)
    assert_no_key(on_disk(tmp_path))
