"""What the size of the window means for the chat."""

from __future__ import annotations

LEAST_WIDTH, LEAST_HEIGHT = 40, 12
NARROW, WIDE, LOW = 90, 150, 20


def size_classes(width: int, height: int) -> dict[str, bool]:
    """The classes of the style sheet that depend on the size in cells, and whether each holds."""
    return {
        "too-small": width < LEAST_WIDTH or height < LEAST_HEIGHT,
        "narrow": width < NARROW,
        "wide": width >= WIDE,
        "low": height < LOW,
    }


def too_small_words(width: int, height: int) -> str:
    """What stands in the place of a chat that does not fit."""
    return f"Make the window larger:\nat least {LEAST_WIDTH} × {LEAST_HEIGHT} (now {width} × {height})"
