"""The model that needs no key, no network and no download: it routes requests to skills.

The model itself is imported at once, the routing when it is first asked for, so that starting a program stays quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from skills_core.agent.models.offline.model import OfflineModel

if TYPE_CHECKING:
    from skills_core.agent.models.offline.decision import (
        Decision,
        Explanation,
        explain,
        explain_words,
        render_explanation,
    )
    from skills_core.agent.models.offline.index import Route, route

_HOMES = {
    "Decision": "decision",
    "Explanation": "decision",
    "explain": "decision",
    "explain_words": "decision",
    "render_explanation": "decision",
    "Route": "index",
    "route": "index",
}

__all__ = [
    "Decision",
    "Explanation",
    "OfflineModel",
    "Route",
    "explain",
    "explain_words",
    "render_explanation",
    "route",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{home}"), name)
