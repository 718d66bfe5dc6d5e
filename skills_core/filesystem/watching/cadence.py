"""Pure rules: how often everything is looked at, and how soon native watching is tried again. Seconds throughout."""

from __future__ import annotations

SAFETY_INTERVAL = 1.0
"""Native events get lost in ways that nobody reports: the most that such a loss delays a small catalog."""

EXTENSION_DELAY = 0.1
"""From a change of the wanted folders to the opening of their watcher, while another one is open."""

_SAFETY_LONGEST = 10.0
_SAFETY_COSTS = 250
_POLLING_COSTS = 20
_RETRY_FIRST = 1.0
_RETRY_LONGEST = 60.0
_REBUILD_PAUSE = 0.25
_REBUILD_COSTS = 10


def safety_interval(sweep_cost: float) -> float:
    """From one look at everything to the next while native watching works: at most 0.4 % of a core."""
    return min(_SAFETY_LONGEST, max(SAFETY_INTERVAL, _SAFETY_COSTS * sweep_cost))


def polling_interval(sweep_cost: float, poll_interval_ms: int) -> float:
    """The same where looking is all there is: at most 5 % of a core."""
    return max(poll_interval_ms / 1_000, _POLLING_COSTS * sweep_cost)


def retry_delay(failures: int) -> float:
    """Before native watching is tried again after so many failures in a row (at least one)."""
    return min(_RETRY_LONGEST, _RETRY_FIRST * 2.0 ** min(failures - 1, 10))


def rebuild_pause(build_seconds: float) -> float:
    """Between the end of one rebuild and the next: a rebuild holds up the whole process."""
    return max(_REBUILD_PAUSE, _REBUILD_COSTS * build_seconds)


STEADY_AFTER = 60.0
"""Native watching that has worked so long is healthy: its next failure is a first one."""
