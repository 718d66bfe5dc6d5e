"""The tool by which a model runs a command."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Collection, Mapping
from typing import Any

from skills_core.agent.approval import ToolQuestion
from skills_core.agent.bounded import one_line
from skills_core.agent.model import ToolSchema
from skills_core.agent.models.real.providers import key_variables
from skills_core.agent.tool import ToolContext, ToolOutcome, failed
from skills_core.agent.tools.arguments import ArgumentError, number_argument, text_argument
from skills_core.agent.tools.output_text import OutputKeeper
from skills_core.agent.tools.process_group import group_exists, kill_group
from skills_core.agent.uninterrupted import waited

DEFAULT_SECONDS = 120
MAX_SECONDS = 600
MAX_OUTPUT_BYTES = 20 * 1024 * 1024
_CHUNK = 65536
_AFTER_EXIT = 0.3

_SCHEMA = ToolSchema(
    "shell",
    "Run a command with the system's shell in the working folder. Output and errors come together; there is no input. "
    "The command and all that it started end when it finishes or when its time is over.",
    {
        "type": "object",
        "properties": {
            "command": {"type": "string", "description": "The command line."},
            "timeout_seconds": {
                "type": "integer",
                "description": f"Its time limit; {DEFAULT_SECONDS} if left out, at most {MAX_SECONDS}.",
                "minimum": 1,
                "maximum": MAX_SECONDS,
            },
        },
        "required": ["command"],
        "additionalProperties": False,
    },
)


class ShellTool:
    """Asks, then runs the command in a process group of its own that ends with the call.

    The command gets the program's environment without ``hidden_variables``: keys are for requests, not for commands.
    When it is None, those are the variables that hold keys of model providers.
    """

    def __init__(self, shell: str | None = None, *, hidden_variables: Collection[str] | None = None) -> None:
        self._hidden = frozenset(key_variables() if hidden_variables is None else hidden_variables)
        self._shell = shell or ("/bin/bash" if os.path.exists("/bin/bash") else "/bin/sh")

    @property
    def schema(self) -> ToolSchema:
        return _SCHEMA

    def title(self, arguments: Mapping[str, Any]) -> str:
        return one_line(f"$ {arguments.get('command', '')}")

    def question(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolQuestion | None:
        command = arguments.get("command")
        if not isinstance(command, str) or not command.strip():
            return None
        summary = one_line(f"Run {command}", 300)
        return ToolQuestion(tool="shell", summary=summary, detail=command, arguments=arguments)

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolOutcome:
        try:
            command = text_argument(arguments, "command")
            seconds = number_argument(arguments, "timeout_seconds", DEFAULT_SECONDS, least=1, most=MAX_SECONDS)
        except ArgumentError as error:
            return failed(error.message)
        if not command.strip() or "\0" in command:
            return failed("the command is empty" if not command.strip() else "the command holds a NUL character")
        environment = {name: value for name, value in os.environ.items() if name not in self._hidden}
        return await _run(self._shell, command, context, seconds, environment)


async def _run(
    shell: str, command: str, context: ToolContext, seconds: int, environment: Mapping[str, str]
) -> ToolOutcome:
    # A pipe of our own: the process has ended when it exits, whoever else still holds the other end.
    reading, writing = os.pipe2(os.O_CLOEXEC) if hasattr(os, "pipe2") else os.pipe()
    try:
        process = await asyncio.create_subprocess_exec(
            shell,
            "-c",
            command,
            cwd=context.cwd,
            env=environment,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=writing,
            stderr=writing,
            start_new_session=True,
        )
    except OSError as error:
        os.close(reading)
        return failed(f"the command could not be started: {(error.strerror or str(error)).lower()}")
    except BaseException:
        os.close(reading)
        raise
    finally:
        os.close(writing)
    return await _watch(process, reading, OutputKeeper(context.report), seconds)


async def _watch(process: asyncio.subprocess.Process, reading: int, keeper: OutputKeeper, seconds: int) -> ToolOutcome:
    reader = asyncio.ensure_future(_read(reading, keeper))
    ended = asyncio.ensure_future(process.wait())
    full = asyncio.ensure_future(keeper.full.wait())
    stop = ""
    left_behind = False
    try:
        await asyncio.wait({ended, full}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        if ended.done():
            await asyncio.wait({reader, full}, timeout=_AFTER_EXIT, return_when=asyncio.FIRST_COMPLETED)
            left_behind = group_exists(process.pid)
        elif full.done():
            stop = f"Stopped after {MAX_OUTPUT_BYTES:,} bytes of output."
        else:
            stop = f"Stopped: it did not finish within {seconds} seconds."
    finally:
        full.cancel()
        await waited(asyncio.ensure_future(_end(process, reader, ended)))
    keeper.finish()
    return _outcome(keeper, process.returncode, stop, left_behind)


async def _end(process: asyncio.subprocess.Process, reader: asyncio.Task[None], ended: asyncio.Task[int]) -> None:
    """Leaves no process of the group, no task and no handle behind."""
    await kill_group(process.pid, ended)
    await asyncio.wait({ended})
    await asyncio.wait({reader}, timeout=_AFTER_EXIT)
    reader.cancel()
    await asyncio.wait({reader})


async def _read(handle: int, keeper: OutputKeeper) -> None:
    loop = asyncio.get_running_loop()
    stream = asyncio.StreamReader(limit=_CHUNK)
    transport, _ = await loop.connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(stream), os.fdopen(handle, "rb", buffering=0)
    )
    try:
        while chunk := await stream.read(_CHUNK):
            keeper.add(chunk)
            if keeper.size > MAX_OUTPUT_BYTES:
                keeper.full.set()
                return
    finally:
        transport.close()


def _outcome(keeper: OutputKeeper, status: int | None, stop: str, left_behind: bool) -> ToolOutcome:
    notes: list[str] = []
    if stop:
        notes.append(stop)
    elif status is not None and status < 0:
        notes.append(f"Ended by signal {-status}.")
    elif status:
        notes.append(f"Exit status {status}.")
    if left_behind:
        notes.append("Processes that were still running in the background were stopped.")
    output = keeper.text.rstrip("\n")
    if not output and not notes:
        notes.append("No output.")
    text = "\n".join(part for part in (output, f"[{' '.join(notes)}]" if notes else "") if part)
    details = {"exit_status": status, "bytes": keeper.size, "stopped": bool(stop)}
    return ToolOutcome(text=text, is_error=bool(stop) or bool(status), details=details)
