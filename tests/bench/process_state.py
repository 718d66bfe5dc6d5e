"""What Linux tells of a process: time on a processor by thread, memory, and what it holds open."""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

KNOWN = sys.platform == "linux"
"""Whether this system tells; elsewhere nothing here may be called."""

_WATCHED = re.compile(r"^inotify wd:\S+ ino:([0-9a-f]+)", re.MULTILINE)
_SIZE = re.compile(r"^(Rss|Pss): +(\d+) kB", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ThreadTime:
    """``seconds`` on a processor since the thread began, in the program and in the kernel."""

    name: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Memory:
    """In MiB. ``resident`` counts all pages, ``proportional`` counts one that n processes share as an nth."""

    resident: float
    proportional: float


@dataclass(frozen=True, slots=True)
class Handles:
    """What a process holds open. ``watched``: the inode of each watched file or folder → the number of watches."""

    files: int
    threads: int
    inotify: int
    watched: Mapping[int, int]

    @property
    def watches(self) -> int:
        return sum(self.watched.values())


def thread_times(pid: int) -> dict[int, ThreadTime]:
    """By the thread's number; the process's own number is its first thread's."""
    found: dict[int, ThreadTime] = {}
    for task in Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            number = int(task.name)
            name = "main" if number == pid else (task / "comm").read_text().strip()
            found[number] = ThreadTime(name, int((task / "schedstat").read_text().split()[0]) / 1e9)
    return found


def memory(pid: int) -> Memory:
    sizes = {name: int(size) / 1024 for name, size in _SIZE.findall(Path(f"/proc/{pid}/smaps_rollup").read_text())}
    return Memory(sizes["Rss"], sizes["Pss"])


def handles(pid: int) -> Handles:
    files = inotify = 0
    watched: Counter[int] = Counter()
    for name in os.listdir(f"/proc/{pid}/fd"):
        # The descriptor that lists the folder is gone by now.
        with contextlib.suppress(FileNotFoundError):
            target = os.readlink(f"/proc/{pid}/fd/{name}")
            files += 1
            if target == "anon_inode:inotify":
                inotify += 1
                lines = Path(f"/proc/{pid}/fdinfo/{name}").read_text()
                watched.update(int(inode, 16) for inode in _WATCHED.findall(lines))
    return Handles(files, len(os.listdir(f"/proc/{pid}/task")), inotify, watched)
