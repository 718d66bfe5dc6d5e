"""Ends a process with everything that it started."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal

_GRACE = 0.5
_POLL = 0.02


def descendants(root: int) -> tuple[int, ...]:
    """The processes below ``root``, also those that left its process group; empty where ``/proc`` does not exist."""
    children: dict[int, list[int]] = {}
    try:
        numbers = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return ()
    for number in numbers:
        with contextlib.suppress(OSError, ValueError, IndexError):
            with open(f"/proc/{number}/stat", "rb") as status:
                parent = int(status.read().rpartition(b")")[2].split()[1])
            children.setdefault(parent, []).append(number)
    found: list[int] = []
    pending = [root]
    while pending:
        below = children.get(pending.pop(), [])
        found.extend(below)
        pending.extend(below)
    return tuple(found)


def group_exists(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


async def kill_group(leader: int, ended: asyncio.Future[int]) -> None:
    """Asks the process group to end, then makes it; returns when it was told so.

    ``leader`` began its own session, and ``ended`` is done once it has been waited for. Processes below it that moved
    to another group are ended too, as far as the system tells about them.
    """
    strangers = [number for number in descendants(leader) if _group_of(number) not in (leader, None)]
    if ended.done() and not strangers and not group_exists(leader):
        return
    _signal(leader, strangers, signal.SIGTERM)
    for _ in range(round(_GRACE / _POLL)):
        if not group_exists(leader) and not any(map(_alive, strangers)):
            break
        # The system has no event for the end of a whole group.
        await asyncio.sleep(_POLL)
    _signal(leader, strangers, signal.SIGKILL)


def _signal(leader: int, strangers: list[int], number: signal.Signals) -> None:
    with contextlib.suppress(OSError):
        os.killpg(leader, number)
    for stranger in strangers:
        with contextlib.suppress(OSError):
            os.kill(stranger, number)


def _group_of(number: int) -> int | None:
    try:
        return os.getpgid(number)
    except OSError:
        return None


def _alive(number: int) -> bool:
    try:
        os.kill(number, 0)
    except OSError:
        return False
    return True
