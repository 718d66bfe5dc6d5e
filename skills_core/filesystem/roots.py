"""The ranked roots in which skills are looked for, and the project that a folder belongs to."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from skills_core.filesystem.homes import absolute, agents_home, dsh_home
from skills_core.filesystem.settings import FilesystemSettings
from skills_core.resolved_path import resolved_path
from skills_core.skill import BUNDLED_RANK

BUNDLED_VARIABLE = "DSH_BUNDLED_SKILL_DIR"

RootSource: TypeAlias = Literal["project-dsh", "project-agents", "custom", "user-dsh", "user-agents", "bundled"]
RootState: TypeAlias = Literal["watched", "present", "missing", "unreadable", "not-a-folder", "polled"]


@dataclass(frozen=True, slots=True)
class RootSpec:
    """One root of a lookup. ``project_root`` is set when its skills count as that project's."""

    path: str
    source: RootSource
    rank: int
    project_root: str | None = None


@dataclass(frozen=True, slots=True)
class RootStatus:
    """A root as a person sees it: where, of which source and rank, and whether it is there and watched."""

    path: str
    source: RootSource
    rank: int
    state: RootState


def find_project_root(cwd: str) -> str:
    """The nearest ancestor of ``cwd`` (itself included) that holds ``.git``, a folder or a file; else ``cwd`` itself.

    ``cwd`` need not exist. What cannot be looked at counts as not there.
    """
    start = os.path.abspath(cwd)
    folder = start
    while True:
        if os.path.lexists(os.path.join(folder, ".git")):
            return folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return start
        folder = parent


def root_specs(settings: FilesystemSettings, project_root: str | None) -> tuple[RootSpec, ...]:
    """All roots of a project (None: of no project) in order of rank, each path once."""
    found: list[RootSpec] = []
    if settings.include_default_roots and project_root is not None:
        found.append(RootSpec(os.path.join(project_root, ".dsh", "skills"), "project-dsh", 100, project_root))
        found.append(RootSpec(os.path.join(project_root, ".agents", "skills"), "project-agents", 200, project_root))
    for path in settings.custom_skill_dirs:
        where = absolute(path)
        inside = project_root if project_root is not None and lies_inside(where, project_root) else None
        found.append(RootSpec(where, "custom", 300, inside))
    for path in settings.project_skill_dirs:
        where = absolute(path)
        found.append(RootSpec(where, "custom", 300, project_root or find_project_root(where)))
    if settings.include_default_roots:
        found.append(RootSpec(dsh_home(settings.dsh_home, "skills"), "user-dsh", 400))
        found.append(RootSpec(agents_home(settings.agents_home, "skills"), "user-agents", 500))
    bundled = settings.bundled_skill_dir
    if bundled is None and settings.include_default_roots:
        bundled = os.environ.get(BUNDLED_VARIABLE, "").strip() or None
    if bundled is not None:
        found.append(RootSpec(absolute(bundled), "bundled", BUNDLED_RANK))
    return _each_path_once(found)


def lies_inside(path: str, folder: str) -> bool:
    """Whether ``path`` is ``folder`` or lies below it, as written or by real paths."""
    return _below(path, folder) or _below(resolved_path(path), resolved_path(folder))


def drop_repeated(specs: Iterable[RootSpec], identities: dict[RootSpec, tuple[int, int]]) -> tuple[RootSpec, ...]:
    """Leaves out roots that are the same folder (device and inode) as another one.

    The first one stays, except that a user's root stays in place of a project's: what the person put there is the
    person's. Roots without an identity, for they are not there, all stay.
    """
    keep: dict[object, RootSpec] = {}
    for spec in specs:
        key: object = identities.get(spec, spec.path)
        first = keep.get(key)
        if first is None or _counts_as_user_instead(spec, first):
            keep[key] = spec
    kept = set(keep.values())
    return tuple(spec for spec in specs if spec in kept)


def _each_path_once(specs: list[RootSpec]) -> tuple[RootSpec, ...]:
    return drop_repeated([replace(spec, path=os.path.normpath(spec.path)) for spec in specs], {})


def _counts_as_user_instead(spec: RootSpec, first: RootSpec) -> bool:
    return first.project_root is not None and spec.source in ("user-dsh", "user-agents")


def _below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)
