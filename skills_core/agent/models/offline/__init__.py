"""The model that needs no key, no network and no download: it routes requests to skills."""

from skills_core.agent.models.offline.index import Route, route

__all__ = ["Route", "route"]
