"""Numbers in sentences."""

from __future__ import annotations


def counted(count: int, noun: str, plural: str = "") -> str:
    """``1 skill``, ``1,234 skills``; ``plural`` for a noun that does not take an s."""
    return f"1 {noun}" if count == 1 else f"{count:,} {plural or noun + 's'}"
