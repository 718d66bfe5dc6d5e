"""Taking the privilege to pass over the modes of files away from a test that root runs, as in a container."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

_PASSING_OVER_MODES = (1 << 1) | (1 << 2)
"""CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH, as bits."""

_VERSION = 0x20080522
_DROP_FROM_BOUNDING_SET = 24


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _Set(ctypes.Structure):
    _fields_ = (("effective", ctypes.c_uint32), ("permitted", ctypes.c_uint32), ("inheritable", ctypes.c_uint32))


@contextmanager
def modes_hold() -> Iterator[None]:
    """Within it the modes of files hold, for this thread and those that it starts; on other systems root is skipped."""
    if os.geteuid() != 0:
        yield
        return
    libc = ctypes.CDLL(None, use_errno=True)
    header, sets = _Header(_VERSION, 0), (_Set * 2)()
    if not hasattr(libc, "capset") or libc.capget(ctypes.byref(header), sets) != 0:
        pytest.skip("root reads everything, and the system has no way to give that up")
    before = sets[0].effective
    sets[0].effective &= ~_PASSING_OVER_MODES
    assert libc.capset(ctypes.byref(header), sets) == 0, os.strerror(ctypes.get_errno())
    try:
        yield
    finally:
        sets[0].effective = before
        assert libc.capset(ctypes.byref(header), sets) == 0, os.strerror(ctypes.get_errno())


def let_modes_hold() -> None:
    """The same for a program that is about to be started: for ``preexec_fn``."""
    if os.geteuid() == 0:
        libc = ctypes.CDLL(None, use_errno=True)
        for number in range(_PASSING_OVER_MODES.bit_length()):
            if _PASSING_OVER_MODES >> number & 1:
                libc.prctl(_DROP_FROM_BOUNDING_SET, number, 0, 0, 0)
