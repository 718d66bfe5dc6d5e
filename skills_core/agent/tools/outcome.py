"""The shape of a tool's failure."""

from __future__ import annotations

from skills_core.agent.tool import ToolOutcome


def failed(message: str) -> ToolOutcome:
    """An error result: one sentence that begins with ``Error:``."""
    end = "" if message.endswith((".", "?", "!", ")")) else "."
    return ToolOutcome(text=f"Error: {message}{end}", is_error=True)
