"""The bounds that keep a turn finite whatever a model or a tool does."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentLimits:
    """Times are in seconds, sizes in characters.

    ``reply_idle`` is the longest silence of a model, before its first word and between two pieces; ``reply_time`` and
    ``reply_size`` bound one whole reply. ``tool_time`` bounds one tool call beside the tool's own limit, without the
    time that a person takes to answer a question; ``tool_grace`` is how long a stopped tool may take to clean up.
    ``result_size`` bounds what the model gets of one call. ``compact_at`` is the share of the context window from
    which on the older part is summarised before a step.
    """

    reply_idle: float = 300.0
    reply_time: float = 1800.0
    reply_size: int = 2_000_000
    tool_time: float = 900.0
    tool_grace: float = 5.0
    result_size: int = 60_000
    compact_at: float = 0.85
