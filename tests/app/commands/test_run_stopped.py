"""`skilldeck run` stopped by Ctrl+C or SIGTERM: it ends soon, with one line, and leaves a session that goes on."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
from pathlib import Path
from typing import Any

import pytest

from skills_core.session import SessionStore
from tests.app.commands.conftest import DEADLINE, Ended, Place
from tests.app.commands.real_runs import LAST, on_terminal, printing, run, stored, words_of
from tests.core.agent.support import assert_valid, until
from tests.core.models.support import GOOGLE
from tests.support.model_server import Hangs, ModelServer, Refusal, Reply
from tests.support.model_server.pairing import assert_paired

SOON = 2.0
"""Seconds from the signal to the end."""
TOLD = re.compile(
    r"skilldeck: the turn was stopped; "
    r'to go on with the session, write: skilldeck run --resume (?P<id>[\w-]+) "\.\.\."\n'
)
STUBBORN = (
    "trap '' INT TERM HUP; sleep 301 & echo $! > pids; setsid sleep 302 & echo $! >> pids; "
    "echo the first words; echo $$ >> pids; wait"
)
GEMINI = pytest.param("gemini", marks=GOOGLE)


async def assert_goes_on(place: Place, server: ModelServer, ended: Ended, status: int = 130) -> None:
    """The process ended as it should, and its session opens, is whole, is shown and takes the next prompt."""
    assert ended.status == status
    told = TOLD.fullmatch(ended.err)
    assert told, ended.err
    session = await SessionStore(place.state / "sessions", "0").read(told["id"])
    assert_valid(session)
    assert not session.damage
    assert session.events[-1].data["reason"] == "cancelled"
    shown = await run(place, "show", told["id"])
    assert (shown.status, shown.err) == (0, "")
    assert "hello" in shown.out
    asked = len(server.requests)
    server._answers = [LAST]
    ended = await run(place, "run", "Go on", "--resume", told["id"], *words_of(server))
    assert (ended.status, ended.out, ended.err) == (0, "Both are fine.\n", "")
    assert len(server.requests) == asked + 1
    assert_paired(server.dialect, server.requests[-1].json)
    assert "hello" in server.requests[-1].body.decode()


def is_alive(number: int) -> bool:
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        pass
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    return not Path("/proc/self").exists()


@pytest.mark.parametrize("dialect", ["messages", GEMINI])
async def test_a_command_of_the_shell_dies_with_all_that_it_started(place: Place, dialect: Any) -> None:
    calls = (("shell", json.dumps({"command": STUBBORN})), ("list", "{}"))
    pids = place.project / "pids"
    async with ModelServer(dialect, Reply(text="I try.", calls=calls)) as server:
        async with printing(place, "hello", "--allow-tools", "shell", *words_of(server)) as running:
            await running.until("tool/call")
            await until(lambda: pids.exists() and len(pids.read_text().split()) == 3, "the processes", DEADLINE)
            ended, took = await running.stop(signal.SIGINT)
        assert took < SOON
        numbers = [int(number) for number in pids.read_text().split()]
        await until(lambda: not any(map(is_alive, numbers)), "the end of the processes")
        await assert_goes_on(place, server, ended)
    sent = server.requests[-1].body.decode()
    assert "Interrupted: the call was stopped before it had finished." in sent
    assert "the first words" in sent
    assert "Interrupted: the turn was stopped before this call began." in sent


@pytest.mark.parametrize("dialect", ["responses", GEMINI])
async def test_a_server_that_has_not_said_a_byte(place: Place, dialect: Any) -> None:
    async with ModelServer(dialect, Hangs(LAST, 0)) as server:
        async with printing(place, "hello", *words_of(server)) as running:
            await until(lambda: bool(server.requests), "the request", DEADLINE)
            ended, took = await running.stop(signal.SIGINT)
        assert took < SOON
        await assert_goes_on(place, server, ended)
    assert [event["type"] for event in stored(place)].count("assistant/message") == 1


async def test_waiting_for_the_end_of_a_rate_limit(place: Place) -> None:
    refusal = Refusal(429, {"error": {"message": "Slow down", "type": "rate_limit_error"}}, {"retry-after": "60"})
    async with ModelServer("chat", refusal) as server:
        async with printing(place, "hello", *words_of(server)) as running:
            assert (await running.until("model/retry"))["delay"] == 60
            ended, took = await running.stop(signal.SIGINT)
        assert took < SOON
        assert len(server.requests) == 1
        await assert_goes_on(place, server, ended)


@pytest.mark.parametrize(
    ("dialect", "number", "status"),
    [
        ("chat", signal.SIGINT, 130),
        ("responses", signal.SIGTERM, 143),
        ("messages", signal.SIGINT, 130),
        pytest.param("gemini", signal.SIGINT, 130, marks=GOOGLE),
    ],
)
async def test_a_reply_that_is_under_way(place: Place, dialect: Any, number: int, status: int) -> None:
    reply = Reply(thinking="Hm.", text="The first words, and the last.", calls=(("read", '{"path": "a"}'),))
    loop = asyncio.get_running_loop()
    async with ModelServer(dialect, Hangs(reply, -120)) as server:
        async with on_terminal(place, "run", "hello", *words_of(server)) as running:
            await running.until(lambda text: "The first words" in text, "the first words")
            start = loop.time()
            if number == signal.SIGINT:
                running.press(b"\x03")
            else:
                running.process.send_signal(number)
            ended = await running.end()
        assert loop.time() - start < SOON
        assert ended.out.endswith("\n")
        events = stored(place)
        (cut,) = [event["data"] for event in events if event["type"] == "assistant/message"]
        assert cut["stop_reason"] == "cut"
        assert "The first words" in json.dumps(cut["content"])
        await assert_goes_on(place, server, ended, status)
    assert "The first words" in server.requests[-1].body.decode()


async def test_a_thread_that_cannot_be_told_holds_nothing_up(place: Place) -> None:
    """The command that prints the key is waited for in a thread, as is the lookup of a server's name."""
    begun = place.project / "begun"
    command = f"sh -c 'echo > {begun}; exec sleep 30'"
    async with ModelServer("chat", LAST) as server:
        words = ("--set", f"api_key_command={command}", *words_of(server))
        async with printing(place, "hello", *words, environment=place.environment) as running:
            await until(begun.exists, "the command that prints the key", DEADLINE)
            ended, took = await running.stop(signal.SIGINT)
    assert took < SOON
    assert (ended.status, ended.out) == (130, "")
    assert ended.err == "skilldeck: the turn was stopped\n"
