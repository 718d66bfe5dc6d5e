"""The model that needs no key, no network and no download: it routes requests to skills."""

from skills_core.agent.models.offline.decision import Decision, Explanation, explain, render_explanation
from skills_core.agent.models.offline.index import Route, route
from skills_core.agent.models.offline.model import OfflineModel

__all__ = ["Decision", "Explanation", "OfflineModel", "Route", "explain", "render_explanation", "route"]
