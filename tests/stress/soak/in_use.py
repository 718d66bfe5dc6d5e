"""How much memory the program holds, without what the allocators keep for themselves."""

from __future__ import annotations

import ctypes
import gc
import sys
from dataclasses import dataclass

BLOCKS_GROWTH = 20_000
LARGE_GROWTH_MIB = 16.0
"""What may be held more at the end: far less than one block for each event of a day, or one copy of its log."""


_FIELDS = ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost")


class _MallocFacts(ctypes.Structure):
    """The C library's ``struct mallinfo2``."""

    _fields_ = [(name, ctypes.c_size_t) for name in _FIELDS]


@dataclass(frozen=True, slots=True)
class InUse:
    """``blocks``: Python's small blocks that are in use. ``large_mib``: what malloc handed out, large objects among it;
    None where the C library does not tell.

    The resident size is no measure after hundreds of MiB were given back: an arena stays while one block of it lives.
    """

    blocks: int
    large_mib: float | None

    def growth_since(self, before: InUse) -> list[str]:
        found: list[str] = []
        if self.blocks > before.blocks + BLOCKS_GROWTH:
            found.append(f"memory: {before.blocks:,} blocks in use before and {self.blocks:,} after")
        large, was = self.large_mib, before.large_mib
        if large is not None and was is not None and large > was + LARGE_GROWTH_MIB:
            found.append(f"memory: {was:.0f} MiB in use before and {large:.0f} MiB after")
        return found


def in_use() -> InUse:
    """What is in use now, after a collection."""
    gc.collect()
    try:
        tell = ctypes.CDLL(None).mallinfo2
    except (AttributeError, OSError):
        return InUse(sys.getallocatedblocks(), None)
    tell.restype = _MallocFacts
    facts = tell()
    return InUse(sys.getallocatedblocks(), (facts.uordblks + facts.hblkhd) / (1 << 20))
