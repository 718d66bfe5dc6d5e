"""Ends a process with everything that it started."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal

_GRACE = 0.5
_POLL = 0.02
_PARENT = 1
_BEGAN = 19
"""Where a process's facts hold its parent, and when it began in ticks of the system's clock."""


def descendants(root: int) -> dict[int, str]:
    """The processes below ``root``, also those that left its process group, with when each of them began.

    Empty where ``/proc`` does not exist.
    """
    children: dict[int, list[tuple[int, str]]] = {}
    try:
        numbers = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return {}
    for number in numbers:
        if facts := _facts(number):
            children.setdefault(int(facts[_PARENT]), []).append((number, facts[_BEGAN]))
    found: dict[int, str] = {}
    pending = [root]
    while pending:
        below = children.get(pending.pop(), [])
        found.update(below)
        pending.extend(number for number, _ in below)
    return found


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
    to another group, before or meanwhile, are ended too, as far as the system tells about them.
    """
    known = descendants(leader)
    strangers = _outside(known, leader)
    if ended.done() and not strangers and not group_exists(leader):
        return
    _signal(leader, strangers, signal.SIGTERM)
    for _ in range(round(_GRACE / _POLL)):
        if not group_exists(leader) and not _outside(known, leader):
            break
        # The system has no event for the end of a whole group.
        await asyncio.sleep(_POLL)
    known.update(descendants(leader))
    _signal(leader, _outside(known, leader), signal.SIGKILL)


def _signal(leader: int, strangers: list[int], number: signal.Signals) -> None:
    with contextlib.suppress(OSError):
        os.killpg(leader, number)
    for stranger in strangers:
        with contextlib.suppress(OSError):
            os.kill(stranger, number)


def _outside(known: dict[int, str], leader: int) -> list[int]:
    """Those of the processes that still run, in a group other than the leader's."""
    return [number for number, began in known.items() if _group_of(number) not in (leader, None) and _is(number, began)]


def _group_of(number: int) -> int | None:
    try:
        return os.getpgid(number)
    except OSError:
        return None


def _is(number: int, began: str) -> bool:
    """Whether the number still stands for the same process, and that one has not ended."""
    facts = _facts(number)
    return bool(facts) and facts[_BEGAN] == began and facts[0] not in "ZX"


def _facts(number: int) -> list[str]:
    """What the system tells about a process, from its state on; empty when there is none."""
    try:
        with open(f"/proc/{number}/stat", "rb") as status:
            return status.read().rpartition(b")")[2].decode("ascii", "replace").split()
    except OSError:
        return []
