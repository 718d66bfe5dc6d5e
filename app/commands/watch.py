"""``skilldeck watch``: a line for each complete change of the catalog, until interrupted."""

from __future__ import annotations

import asyncio
import contextlib
import os
import stat
import sys
from collections.abc import Coroutine
from datetime import datetime
from typing import TYPE_CHECKING, Any

from app.context import CommandContext
from app.process import DONE, run_async
from skills_core.words import counted

if TYPE_CHECKING:
    from app.runtime import Runtime

INCOMPLETE_SECONDS = 1.0
"""How long the catalog is incomplete before that is said."""

RETRY_SECONDS = 0.25
"""How often an incomplete catalog is looked at again when nothing reports a change."""


def run(context: CommandContext) -> int:
    settings = context.settings()

    async def main() -> int:
        async with context.runtime(settings, watch=True) as runtime:
            await _until_closed(_follow(runtime, context))
        return DONE

    return run_async(main, stopped=DONE)


async def _follow(runtime: Runtime, context: CommandContext) -> None:
    from app.controllers.catalog_changes import CatalogChanges
    from skills_core.access.refresh import AccessRefresh
    from skills_core.registry import Lookup
    from skills_core.session.clock import timestamp, utc_now

    loop = asyncio.get_running_loop()
    changes = CatalogChanges(runtime.access, runtime.settings.catalog_description_max_length)
    changed = asyncio.Event()
    endings = [runtime.registry.subscribe(changed.set), runtime.access.subscribe(changed.set)]
    refreshing = asyncio.create_task(AccessRefresh(runtime.access).follow(), name="follow the access answers")
    incomplete_since: float | None = None
    lookup = runtime.lookup
    try:
        while True:
            changed.clear()
            snapshot = await runtime.registry.snapshot(lookup)
            if snapshot.complete:
                incomplete_since, lookup = None, runtime.lookup
                _say(context, changes.complete(snapshot, timestamp(utc_now())))
                await changed.wait()
                continue
            lookup = Lookup(cwd=runtime.cwd, fresh=True)
            incomplete_since = incomplete_since if incomplete_since is not None else loop.time()
            if loop.time() - incomplete_since >= INCOMPLETE_SECONDS:
                _say(context, changes.still_incomplete(snapshot))
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(RETRY_SECONDS):
                    await changed.wait()
    finally:
        refreshing.cancel()
        for end in endings:
            end()
        with contextlib.suppress(asyncio.CancelledError):
            await refreshing


def _say(context: CommandContext, events: list[dict[str, Any]]) -> None:
    for event in events:
        if context.arguments.format == "json":
            context.output.json_line(event)
        else:
            _print(context, event)
    context.output.flush()


def _print(context: CommandContext, event: dict[str, Any]) -> None:
    output = context.output
    now = datetime.now().astimezone().strftime("%H:%M:%S")
    match event["event"]:
        case "catalog":
            names = [f"+{name}" for name in event["added"]]
            names += [f"−{name}" for name in event["removed"]]
            names += [f"~{name}" for name in event["changed"]]
            count = counted(event["count"], "skill")
            output.line((f"{now}  ", "dim"), (count, "bold"), "  ", " ".join(names))
        case "incomplete":
            output.line((f"{now}  ", "dim"), ("not complete: ", "yellow"), event["reason"])
        case "complete":
            output.line((f"{now}  ", "dim"), ("complete again, nothing differs", "green"))
        case _:
            _print_problems(context, now, event["problems"])


def _print_problems(context: CommandContext, now: str, problems: list[dict[str, Any]]) -> None:
    from app.commands.skills import count_line

    errors = sum(problem["severity"] == "error" for problem in problems)
    context.output.line((f"{now}  ", "dim"), count_line(errors, len(problems) - errors))
    for problem in problems:
        place = ":".join(
            str(part) for part in (problem["path"], problem["line"], problem["column"]) if part is not None
        )
        colour = "red" if problem["severity"] == "error" else "yellow"
        context.output.line("          ", (place, "bold"), ": ", (problem["message"], colour))


async def _until_closed(work: Coroutine[Any, Any, None]) -> None:
    """Awaits the work; ends it when whoever reads standard output has gone, which no write would tell for a while."""
    loop = asyncio.get_running_loop()
    gone: asyncio.Future[None] = loop.create_future()
    number = _output_pipe()
    if number is not None:
        # A pipe's writing end never becomes readable: what is reported for it is that the reading end was closed.
        loop.add_reader(number, lambda: gone.done() or gone.set_result(None))
    task = asyncio.create_task(work, name="follow the catalog")
    try:
        await asyncio.wait((task, gone), return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            task.result()
    finally:
        if number is not None:
            loop.remove_reader(number)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def _output_pipe() -> int | None:
    """The descriptor of standard output when that is a pipe."""
    try:
        number = sys.stdout.fileno()
        return number if stat.S_ISFIFO(os.fstat(number).st_mode) else None
    except (OSError, ValueError):
        return None
