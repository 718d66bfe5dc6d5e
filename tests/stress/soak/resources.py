"""What this process holds open now, and whether it held the same after a number of rounds."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import sys
import threading
from dataclasses import dataclass, fields
from pathlib import Path

MEMORY_GROWTH_MIB = 16.0
MEMORY_GROWTH_A_ROUND_MIB = 1 / 64
"""How much larger the process may be at the end: the allocator's own play, far less than what one round opens."""

POOL = "asyncio_"
"""Names of the loop's own pool threads: they come with use, up to a fixed number, and stay."""


@dataclass(frozen=True, slots=True)
class Held:
    """Counts of one moment. ``objects`` are those of the kinds that were asked for; ``memory`` is the resident size in
    MiB, None on a system that does not tell."""

    threads: int
    files: int
    inotify: int
    tasks: int
    children: int
    objects: int
    memory: float | None

    def leaks_since(self, before: Held, rounds: int) -> list[str]:
        """One sentence for each thing of which there is more than ``before``."""
        found: list[str] = []
        for each in fields(self):
            if each.name == "memory":
                continue
            old, new = getattr(before, each.name), getattr(self, each.name)
            if new > old:
                found.append(f"{each.name}: {old} before and {new} after {rounds} rounds")
        if before.memory is not None and self.memory is not None:
            allowed = MEMORY_GROWTH_MIB + rounds * MEMORY_GROWTH_A_ROUND_MIB
            if self.memory > before.memory + allowed:
                found.append(f"memory: {before.memory:.0f} MiB before and {self.memory:.0f} MiB after {rounds} rounds")
        return found


def held_now(*kinds: type) -> Held:
    """Call it on the loop, when everything that was opened has been closed. ``kinds``: whose objects are counted."""
    gc.collect()
    current = asyncio.current_task()
    return Held(
        threads=sum(not thread.name.startswith(POOL) for thread in threading.enumerate()),
        files=len(_links("/proc/self/fd")),
        inotify=sum("inotify" in link for link in _links("/proc/self/fd")),
        tasks=sum(task is not current for task in asyncio.all_tasks()),
        children=_children(),
        objects=sum(type(each) in kinds for each in gc.get_objects()),
        memory=resident_mib(),
    )


def resident_mib() -> float | None:
    """The resident size of this process now."""
    if sys.platform != "linux":
        return None
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / (1 << 20)


def _links(folder: str) -> list[str]:
    found: list[str] = []
    if os.path.isdir(folder):
        for name in os.listdir(folder):
            with contextlib.suppress(OSError):
                found.append(os.readlink(f"{folder}/{name}"))
    return found


def _children() -> int:
    with contextlib.suppress(OSError):
        return sum(
            len((task / "children").read_text(encoding="ascii").split()) for task in Path("/proc/self/task").iterdir()
        )
    return 0
