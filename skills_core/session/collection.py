"""Keeps the garbage collector out of the way while a log is loaded."""

from __future__ import annotations

import gc
import threading
from collections.abc import Generator
from contextlib import contextmanager

_lock = threading.Lock()
_loading = 0
_was_enabled = False


@contextmanager
def collection_paused() -> Generator[None]:
    """For the making of very many objects that all stay.

    A log of 100,000 events is about a million objects, and looking through them again and again for garbage, of which
    there is none, takes a third of the time. Ends with the last of those who asked for it; a collector that was off
    stays off.
    """
    global _loading, _was_enabled
    with _lock:
        if _loading == 0:
            _was_enabled = gc.isenabled()
            gc.disable()
        _loading += 1
    try:
        yield
    finally:
        with _lock:
            _loading -= 1
            if _loading == 0 and _was_enabled:
                gc.enable()
