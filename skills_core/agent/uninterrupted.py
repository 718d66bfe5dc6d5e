"""Waits that a cancellation must not tear in two."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


async def uninterrupted(work: Coroutine[Any, Any, T]) -> T:
    """Runs short work to its end even when the caller is cancelled meanwhile.

    So a write to the log is either not begun or known to be done. A cancellation that came in between is asked for
    again, and so comes out where the caller waits next: what it does right after the write still happens.
    """
    task = asyncio.ensure_future(work)
    if await waited(task):
        _cancel_again()
    return task.result()


def is_cancelled_from_outside() -> bool:
    """Whether a CancelledError that was just caught is this task's own cancellation, and not something's it awaited."""
    current = asyncio.current_task()
    return current is None or current.cancelling() > 0


async def waited(task: asyncio.Task[Any], on_cancel: Callable[[], object] | None = None) -> bool:
    """Waits until a task has ended, also through cancellations of the caller; tells whether there were any.

    ``on_cancel`` is called for each of them.
    """
    cancelled = False
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError:
            cancelled = True
            if on_cancel is not None:
                on_cancel()
    return cancelled


async def stopped(task: asyncio.Task[Any], grace: float) -> bool:
    """Cancels a task and waits up to ``grace`` seconds for it to end; returns False when it did not end in time.

    A cancellation of the caller that comes in between is asked for again, as in ``uninterrupted``.
    """
    task.cancel()
    loop = asyncio.get_running_loop()
    deadline = loop.time() + grace
    cancelled = False
    while not task.done() and (left := deadline - loop.time()) > 0:
        try:
            await asyncio.wait({task}, timeout=left)
        except asyncio.CancelledError:
            cancelled = True
    if cancelled:
        _cancel_again()
    return task.done()


def _cancel_again() -> None:
    """Renews a cancellation that was held back. It is the same one: whoever counts cancellations must see no second."""
    current = asyncio.current_task()
    if current is not None:
        current.uncancel()
        current.cancel()
