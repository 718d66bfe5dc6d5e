"""`skilldeck run` as a process beside a server that speaks a real format."""

from __future__ import annotations

import asyncio
import errno
import fcntl
import json
import os
import pty
import termios
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from tests.app.commands.conftest import DEADLINE, Ended, Place, heed_signals
from tests.support.model_server import ModelServer, Reply

CANARY = "canary-key-9f8e7d6c5b4a"
KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY", "SKILLDECK_API_KEY")
LAST = Reply(text="Both are fine.", thinking="Hm.")


def words_of(server: ModelServer) -> list[str]:
    return ["--model", f"{server.provider}:test-model", "--base-url", server.base_url]


def with_keys(place: Place) -> dict[str, str]:
    return {**place.environment, **dict.fromkeys(KEYS, CANARY)}


async def run(place: Place, *words: str, stdin: str = "", environment: dict[str, str] | None = None) -> Ended:
    process = await asyncio.create_subprocess_exec(
        *place.command(*words),
        cwd=place.project,
        env=environment or with_keys(place),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await asyncio.wait_for(process.communicate(stdin.encode()), DEADLINE)
    assert process.returncode is not None
    return Ended(process.returncode, out.decode(), err.decode())


def _own_terminal() -> None:
    """Runs in the child: the terminal on its standard output becomes the one whose keys signal it."""
    heed_signals()
    os.setsid()
    fcntl.ioctl(1, termios.TIOCSCTTY, 0)


class OnTerminal:
    """A process whose standard output is a terminal."""

    def __init__(self, process: asyncio.subprocess.Process, handle: int) -> None:
        self.process = process
        self._handle = handle
        self.text = ""

    async def until(self, holds: Callable[[str], bool], what: str) -> None:
        loop = asyncio.get_running_loop()
        end = loop.time() + DEADLINE
        while not holds(self.text):
            assert loop.time() < end, f"waited {DEADLINE} s for {what}: {self.text!r}"
            if not await asyncio.to_thread(self._read):
                assert holds(self.text), f"ended before {what}: {self.text!r}"

    def press(self, keys: bytes) -> None:
        os.write(self._handle, keys)

    async def end(self) -> Ended:
        while await asyncio.to_thread(self._read):
            pass
        assert self.process.stderr is not None
        err = await asyncio.wait_for(self.process.stderr.read(), DEADLINE)
        status = await asyncio.wait_for(self.process.wait(), DEADLINE)
        return Ended(status, self.text, err.decode())

    def _read(self) -> bool:
        try:
            data = os.read(self._handle, 65536)
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            return False
        self.text += data.decode().replace("\r\n", "\n")
        return bool(data)


@asynccontextmanager
async def on_terminal(place: Place, *words: str) -> AsyncIterator[OnTerminal]:
    ours, theirs = pty.openpty()
    process = await asyncio.create_subprocess_exec(
        *place.command(*words),
        cwd=place.project,
        env=with_keys(place),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=theirs,
        stderr=asyncio.subprocess.PIPE,
        preexec_fn=_own_terminal,
    )
    os.close(theirs)
    try:
        yield OnTerminal(process, ours)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
        os.close(ours)


def stored(place: Place) -> list[dict[str, Any]]:
    """The events of the one session."""
    (log,) = place.state.rglob("*.jsonl")
    return [json.loads(line) for line in log.read_text("utf-8").splitlines()[1:]]


def written(place: Place) -> str:
    """Everything that is on the disk after a run."""
    return "".join(path.read_text("utf-8", "replace") for path in sorted(place.home.rglob("*")) if path.is_file())


class Printing:
    """A process that prints the events of its turn."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    async def until(self, kind: str) -> dict[str, Any]:
        """The data of the next event of this type."""
        assert self.process.stdout is not None
        while line := await asyncio.wait_for(self.process.stdout.readline(), DEADLINE):
            event = json.loads(line)
            if event["type"] == kind:
                return dict(event["data"])
        raise AssertionError(f"ended before {kind} came")

    async def stop(self, number: int) -> tuple[Ended, float]:
        """Sends a signal; how the process ended, and after how many seconds."""
        loop = asyncio.get_running_loop()
        start = loop.time()
        self.process.send_signal(number)
        out, err = await asyncio.wait_for(self.process.communicate(), DEADLINE)
        assert self.process.returncode is not None
        return Ended(self.process.returncode, out.decode(), err.decode()), loop.time() - start


@asynccontextmanager
async def printing(place: Place, *words: str, environment: dict[str, str] | None = None) -> AsyncIterator[Printing]:
    """Runs `run --json` with these words."""
    process = await asyncio.create_subprocess_exec(
        *place.command("run", "--json", *words),
        cwd=place.project,
        env=environment or with_keys(place),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        preexec_fn=heed_signals,
    )
    try:
        yield Printing(process)
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()
