"""File signatures, and what may be concluded from the times in them."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

Signature: TypeAlias = tuple[int, int, int, int, int]
"""Device, inode, size, mtime and ctime in nanoseconds: equal signatures mean an unchanged file."""

TRUST_AFTER = 2.0
"""Seconds after which a signature is trusted whatever its times say: clocks of file servers may run ahead."""

COARSE_GRAIN = 2_000_000_000
"""The coarsest steps in which a file system stamps, in nanoseconds."""
_SECOND = 1_000_000_000


def _file_clock() -> Callable[[], int]:
    # Linux stamps files with its coarse clock. A change after this clock was read never has an earlier ctime, while
    # the fine clock is up to ten milliseconds ahead of the stamps.
    coarse = getattr(time, "CLOCK_REALTIME_COARSE", 5 if os.uname().sysname == "Linux" else None)
    if coarse is None:
        return time.time_ns
    try:
        time.clock_gettime_ns(coarse)
    except OSError:
        return time.time_ns
    return lambda: time.clock_gettime_ns(coarse)


@dataclass(frozen=True, slots=True)
class Clock:
    """The clocks that discovery reads: seconds for waits, and nanoseconds as the file system stamps them."""

    monotonic: Callable[[], float]
    files_ns: Callable[[], int]


SYSTEM_CLOCK = Clock(time.monotonic, _file_clock() if hasattr(os, "uname") else time.time_ns)


def signature_of(status: os.stat_result) -> Signature:
    """The signature in a stat result."""
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def may_have_changed_since(ctime_ns: int, moment_ns: int) -> bool:
    """Whether something with this ctime may have changed at or after the moment (both by the file system's clock).

    A ctime on a whole second comes from a file system that keeps only seconds, or two of them.
    """
    if ctime_ns >= moment_ns:
        return True
    return ctime_ns % _SECOND == 0 and ctime_ns + COARSE_GRAIN > moment_ns
