"""Garbage collection while much is read: what a discovery makes stays, so that looking through it is lost time."""

from __future__ import annotations

import gc
import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

_SELDOM: Final = 25_000
"""New objects before the collector looks again. It is never off: a read from a dead file system may not come back."""

_lock = threading.Lock()
_users = 0
_before = gc.get_threshold()


@contextmanager
def collected_seldom() -> Generator[None]:
    """While inside, in any thread, the collector runs seldom; afterwards as before, unless somebody else has set it."""
    global _users, _before
    with _lock:
        _users += 1
        if _users == 1:
            _before = gc.get_threshold()
            if 0 < _before[0] < _SELDOM:
                gc.set_threshold(_SELDOM, *_before[1:])
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if _users == 0 and gc.get_threshold() == (_SELDOM, *_before[1:]):
                gc.set_threshold(*_before)
