"""The projects whose roots are followed, the least recently looked up first."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

from skills_core.filesystem.observing import Observation
from skills_core.registry.provider import ProviderListing


@dataclass(slots=True)
class Project:
    """What consumers were told of a project, and the newest observation of it.

    ``known`` is the listing that was handed out, or whose difference was announced; ``told`` one whose difference
    ``revalidate`` has told but that was not listed yet. ``waiting`` says that ``latest`` was not handed out.
    """

    root: str | None
    cwd: str | None
    known: ProviderListing | None = None
    told: ProviderListing | None = None
    latest: Observation | None = None
    waiting: bool = False


class Projects:
    """At most ``limit`` projects; what belongs to no project comes on top."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._projects: OrderedDict[str | None, Project] = OrderedDict()
        self._root_of: dict[str | None, str | None] = {}

    def all(self) -> list[Project]:
        return list(self._projects.values())

    def roots(self) -> list[str | None]:
        return list(self._projects)

    def of_cwd(self, cwd: str | None) -> Project | None:
        """The project of a folder, as far as it was looked up before."""
        return self._projects.get(self._root_of[cwd]) if cwd in self._root_of else None

    def touch(self, root: str | None, cwd: str | None) -> tuple[Project, bool]:
        """Makes a project the most recent one; the flag says that another one had to go for it."""
        project = self._projects.get(root)
        if project is None:
            project = self._projects[root] = Project(root, cwd)
        project.cwd = cwd
        self._root_of[cwd] = root
        self._projects.move_to_end(root)
        evicted = False
        while sum(key is not None for key in self._projects) > self._limit:
            self._forget(next(key for key in self._projects if key is not None))
            evicted = True
        return project, evicted

    def observed(self, cwd: str | None, observation: Observation) -> Project | None:
        """Notes a newer observation of a project that is followed; None when it is not followed (any more)."""
        project = self._projects.get(observation.project_root)
        if project is None:
            return None
        self._root_of[cwd] = project.root
        if project.latest is None or observation.began >= project.latest.began:
            project.latest = observation
            project.waiting = True
        return project

    def concerned(self, paths: frozenset[str]) -> list[Project]:
        """The projects whose catalog a change of any of these paths can change."""
        return [
            project
            for project in self._projects.values()
            if project.latest is None or project.latest.relevance.any_matters(paths)
        ]

    def _forget(self, root: str | None) -> None:
        del self._projects[root]
        for cwd in [cwd for cwd, project in self._root_of.items() if project == root]:
            del self._root_of[cwd]
