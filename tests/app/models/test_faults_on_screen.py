"""What goes wrong with a model is one line that a person understands; the draft, Esc and the session stay theirs."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.app.models.support import ATTEMPTS, PATIENCE, HeldServer, beside
from tests.core.models.support import KEY
from tests.support.model_server import Answer, Endless, Hangs, Raw, Refusal, Reply, Resets

REPLY = Reply(text="A reply of some length, in pieces.")
TRIED = f"({ATTEMPTS} attempts)"
SILENCE = 0.3
_NO_ONES_WORDS = re.compile(r"Traceback|Errno|Error|Exception|codec|object has no|</?\w+>|\{\"|\ufffd|\x1b")
"""What a library, a page or a server's JSON would say, and no person."""


@dataclass(frozen=True)
class Fault:
    """``line`` is what the person reads at last, ``{url}`` the server's address; ``pause`` the wait before a retry."""

    line: str
    answer: Callable[[HeldServer], Answer] | None = None
    pause: float | None = None
    listens: bool = True


_LOST = "The connection to the server at {url} was lost: the server reset it"
_ADDRESS = "Check that {url} is the address of an OpenAI-compatible server (many end in /v1)."
FAULTS = {
    "wrong key": Fault(
        "The server refused the key: Incorrect API key provided: [secret]. Check OPENAI_API_KEY in the environment.",
        lambda s: s.error(401, f"Incorrect API key provided: {KEY}.", "invalid_api_key"),
    ),
    "unknown model": Fault(
        "The server knows no model `test-model`: No such model. Check the model's name and the address {url}.",
        lambda s: s.error(404, "No such model", "model_not_found"),
    ),
    "rate limit with a hint": Fault(
        f"The server limits the rate of requests: Slow down {TRIED}."
        " The server asks to wait 7 seconds: send again then, or choose another model.",
        lambda s: s.error(429, "Slow down.", retry_after="7"),
        pause=7.0,
    ),
    "rate limit without a hint": Fault(
        f"The server limits the rate of requests: [b]Slow[/red] down {TRIED}. Wait a while, then send again.",
        lambda s: s.error(429, "[b]Slow[/red] down."),
        pause=1.0,
    ),
    "a page with status 502": Fault(
        f"The server cannot answer at the moment: status 502 {TRIED}. Send again later, or choose another model.",
        lambda s: Refusal(502, "<html><body>Bad gateway</body></html>"),
        pause=1.0,
    ),
    "status 503 with controls": Fault(
        f"The server cannot answer at the moment: ]0;owned Overloaded {TRIED}."
        " Send again later, or choose another model.",
        lambda s: s.error(503, "\x1b]0;owned\x07Overloaded"),
        pause=1.0,
    ),
    "connection refused": Fault(
        f"There is no connection to the server at {{url}}: nothing listens there {TRIED}."
        " Check the address, and that the server runs.",
        pause=1.0,
        listens=False,
    ),
    "reset before an answer": Fault(
        f"{_LOST} {TRIED}. Send again; if it happens often, check the network.",
        lambda s: Resets(REPLY, -1),
        pause=1.0,
    ),
    "reset in mid-stream": Fault(
        f"{_LOST} {TRIED}. Send again; if it happens often, check the network.",
        lambda s: Resets(REPLY, 900),
        pause=1.0,
    ),
    "not UTF-8": Fault(
        f"The server sent something that is no reply: it is not UTF-8. {_ADDRESS}",
        lambda s: Raw(b"\xff\xfe\x00\x01" * 100),
    ),
    "not JSON": Fault(
        f"The server sent something that is no reply: it is not JSON. {_ADDRESS}",
        lambda s: Raw(b"data: {not json}\n\n"),
    ),
    "JSON of another form": Fault(
        f"The server sent something that is no reply: it does not have the form of one. {_ADDRESS}",
        lambda s: Raw(b'data: {"choices": "x"}\n\n'),
    ),
    "a page": Fault(
        f"The server sent something that is no reply: there is neither text nor a tool call in it. {_ADDRESS}",
        lambda s: Raw(b"<html><body>Welcome to the hotel</body></html>", "text/html"),
    ),
}
RETRIED = [name for name, fault in FAULTS.items() if fault.pause is not None]


def answers(fault: Fault, server: HeldServer) -> None:
    if fault.answer is not None:
        server.play(fault.answer(server))


@pytest.mark.parametrize("name", FAULTS)
async def test_one_line_says_it_the_draft_stays_and_the_next_turn_works(tmp_path: Path, name: str) -> None:
    fault = FAULTS[name]
    async with beside(tmp_path, listens=fault.listens) as at:
        answers(fault, at.server)
        await at.send("first words")
        if fault.listens:
            await at.deck.until(lambda: at.server.arrived == 1, "the request", PATIENCE)
            await at.write("dra")
            assert at.deck.chat.session.busy
            at.server.go.set()
        else:
            await at.write("dra")
        if fault.pause is not None:
            await at.see(f"Trying again in {fault.pause:.0f} s")
            assert "Attempt 1 failed: " in at.shown()
            assert at.pauses.seconds == [fault.pause]
            await at.write("ft")
            at.pauses.over.set()
        await at.idle()
        line = fault.line.format(url=at.server.base_url)
        assert at.told() == line
        await at.see(line)
        assert KEY not in at.deck.text()
        assert not _NO_ONES_WORDS.search(at.deck.text())
        assert at.draft == ("draft" if fault.pause is not None else "dra")
        if not fault.listens:
            await at.server.listen()
        await at.goes_on()


async def test_silence_before_the_first_byte_is_one_line(tmp_path: Path) -> None:
    async with beside(tmp_path, silence=SILENCE) as at:
        await at.send("first words")
        await at.write("draft")
        await at.see("Attempt 1 failed: The model was silent for 0.3 seconds. Trying again.")
        at.pauses.over.set()
        await at.idle()
        line = f"The model was silent for 0.3 seconds {TRIED}. Send again, or choose another model."
        assert at.told() == line
        await at.see(line)
        assert at.draft == "draft"
        await at.goes_on()


@pytest.mark.parametrize("name", RETRIED)
async def test_esc_ends_the_wait_for_another_attempt(tmp_path: Path, name: str) -> None:
    fault = FAULTS[name]
    async with beside(tmp_path, listens=fault.listens) as at:
        answers(fault, at.server)
        at.server.go.set()
        await at.send("first words")
        await at.see("Trying again in")
        await at.write("draft")
        await at.strike("escape")
        await at.idle()
        await at.see("Stopped.")
        assert at.draft == "draft"
        if not fault.listens:
            await at.server.listen()
        await at.goes_on()
        assert len(at.pauses.seconds) == 1


async def test_the_wait_is_counted_down_and_does_not_outlast_itself(tmp_path: Path) -> None:
    async with beside(tmp_path) as at:
        at.server.play(at.server.error(429, "Slow down.", retry_after="2"))
        at.server.go.set()
        await at.send("first words")
        await at.see("Trying again in 2 s")
        await at.see("Trying again in 1 s")
        await at.deck.until(lambda: "Trying again in" not in at.shown(), "the end of the wait", PATIENCE)
        assert " Trying again · " in at.shown()
        at.pauses.over.set()
        await at.idle()
        assert " Trying again · " not in at.shown()


async def test_the_countdown_ends_with_the_turn(tmp_path: Path) -> None:
    async with beside(tmp_path) as at:
        at.server.play(at.server.error(429, "Slow down.", retry_after="1"))
        at.server.go.set()
        await at.send("first words")
        await at.see("Trying again in 1 s")
        await at.strike("escape")
        await at.idle()
        ended = at.deck.chat.session.conversation._countdown
        assert ended._timer is None
        assert "Trying again in" not in at.shown()


STREAMS = {
    "no byte": (None, ""),
    "headers only": (Hangs(REPLY, 0), ""),
    "half a reply": (Hangs(REPLY, 900), "A reply"),
    "a stream that never ends": (Endless("more and "), "more and more and"),
}


@pytest.mark.parametrize("name", STREAMS)
async def test_esc_ends_a_reply_that_does_not_come_to_an_end(tmp_path: Path, name: str) -> None:
    answer, seen = STREAMS[name]
    async with beside(tmp_path, *([answer] if answer else [])) as at:
        await at.send("first words")
        await at.deck.until(lambda: at.server.arrived == 1, "the request", PATIENCE)
        if answer is not None:
            at.server.go.set()
            await at.deck.until(lambda: at.server.requests, "the answer to begin", PATIENCE)
        await at.see(seen)
        await at.write("draft")
        assert at.deck.chat.session.busy
        await at.strike("escape")
        await at.idle()
        await at.see("Stopped.")
        assert seen in at.shown()
        assert at.draft == "draft"
        await at.goes_on()
