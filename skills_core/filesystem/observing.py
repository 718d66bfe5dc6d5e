"""Complete observations: what all roots of a project hold at one moment, or why that cannot be told yet."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from skills_core.filesystem.git_lock import GitLocks
from skills_core.filesystem.merging import merge
from skills_core.filesystem.opening import FOLDER_FLAGS, trouble_of
from skills_core.filesystem.reading import read_stale
from skills_core.filesystem.roots import RootSpec, drop_repeated, find_project_root, root_specs
from skills_core.filesystem.settings import FilesystemSettings
from skills_core.filesystem.settling import Settling
from skills_core.filesystem.signature import Clock
from skills_core.filesystem.sweep import Sweep
from skills_core.filesystem.sweep_notes import set_trouble
from skills_core.filesystem.tree import Presence, RootTree
from skills_core.filesystem.watch_set import folders_to_watch, watched_roots
from skills_core.filesystem.watching.relevance import Relevance
from skills_core.registry.provider import IncompleteReason, ProviderListing
from skills_core.resolved_path import resolved_path

_ATTEMPTS = 5
_TICK = 0.006
_CHANGING_RETRY = 0.05


@dataclass(frozen=True, slots=True)
class Observation:
    """What was seen of a project's roots.

    ``began`` is the monotonic time of its start, ``due`` that of the next observation if one is needed. ``folders``
    are the real folders to watch, ``relevance`` says which changes in them matter; ``presence`` the state of each root.
    """

    project_root: str | None
    listing: ProviderListing
    began: float
    ended: float
    due: float | None
    folders: frozenset[str]
    relevance: Relevance
    presence: tuple[tuple[RootSpec, Presence], ...]


class Observer:
    """Observes the roots of projects and remembers what it saw. Only one thread may use it at a time."""

    def __init__(self, settings: FilesystemSettings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._locks = GitLocks(clock)
        self._trees: dict[RootSpec, RootTree] = {}
        self._last: dict[str | None, tuple[object, ProviderListing]] = {}

    def observe(self, cwd: str | None, removed: frozenset[str] = frozenset()) -> Observation:
        """Looks at the disk now. ``removed`` are paths whose absence the program itself caused."""
        began = self._clock.monotonic()
        project_root = None if cwd is None else find_project_root(cwd)
        trees = [self._tree(spec) for spec in root_specs(self._settings, project_root)]
        active, moving = self._look(trees)
        settling = Settling(
            self._settings.provider_name,
            self._settings.watch_stability_threshold_ms / 1000,
            self._clock.monotonic(),
            self._clock.files_ns(),
            lambda: self._locks.held(project_root),
            active,
            removed,
        )
        if moving:
            message = "the skill folders keep changing"
            settling.reasons.append(IncompleteReason(self._settings.provider_name, "changing", message))
            settling.look_again(settling.now + _CHANGING_RETRY)
        settling.run()
        listing = self._listing(project_root, active, settling.reasons)
        folders = folders_to_watch(active, self._settings.watch_follow_symlinks)
        return Observation(
            project_root,
            listing,
            began,
            self._clock.monotonic(),
            settling.due,
            folders,
            Relevance(watched_roots(active), folders, self._settings.discovery_depth),
            tuple((tree.spec, tree.presence) for tree in trees),
        )

    def release(self, kept: Iterable[str | None]) -> None:
        """Forgets all roots that none of the projects ``kept`` has."""
        projects = list(kept)
        specs = {spec for project in projects for spec in root_specs(self._settings, project)}
        for spec in [spec for spec in self._trees if spec not in specs]:
            del self._trees[spec]
        for project in [project for project in self._last if project not in projects]:
            del self._last[project]

    def trees_of(self, project_root: str | None) -> list[RootTree]:
        """What is known of a project's roots, in order of rank."""
        specs = root_specs(self._settings, project_root)
        return [self._trees[spec] for spec in specs if spec in self._trees]

    def _tree(self, spec: RootSpec) -> RootTree:
        tree = self._trees.get(spec)
        if tree is None:
            tree = self._trees[spec] = RootTree(spec)
        return tree

    def _listing(
        self, project_root: str | None, active: Sequence[RootTree], reasons: Sequence[IncompleteReason]
    ) -> ProviderListing:
        key = (tuple((tree.spec, tree.revision, tree.presence) for tree in active), tuple(reasons))
        last = self._last.get(project_root)
        if last is not None and last[0] == key:
            return last[1]
        merged = merge(active, self._settings.discovery_depth)
        listing = ProviderListing(
            candidates=tuple(merged.candidates),
            complete=not reasons,
            problems=tuple(merged.problems),
            reasons=tuple(reasons),
        )
        self._last[project_root] = (key, listing)
        return listing

    def _look(self, trees: Sequence[RootTree]) -> tuple[list[RootTree], bool]:
        """Sweeps until the sweep shows one moment and everything new is read; True when it never came to that."""
        active: list[RootTree] = []
        for attempt in range(_ATTEMPTS):
            if attempt:
                time.sleep(_TICK * attempt)
            started_ns, now = self._clock.files_ns(), self._clock.monotonic()
            sweep = Sweep(self._settings.discovery_depth, started_ns, now)
            descriptors: dict[RootSpec, int] = {}
            try:
                active = self._open_roots(trees, descriptors, sweep)
                for tree in active:
                    if tree.spec in descriptors:
                        self._sweep_root(sweep, tree, descriptors[tree.spec])
                # Seen twice alike is as good as older than the sweep: nothing changed between the two looks.
                steady = (not sweep.moving or (attempt > 1 and not sweep.changed)) and self._same_roots(trees)
                if not steady and attempt < _ATTEMPTS - 1:
                    continue
                # At the last attempt what can be read is read in any case, so that it can be loaded.
                for tree in active:
                    if tree.unsettled and tree.spec in descriptors:
                        steady = read_stale(tree, descriptors[tree.spec], self._clock, now) and steady
                if steady:
                    return active, False
            finally:
                for descriptor in descriptors.values():
                    os.close(descriptor)
        return active, True

    def _open_roots(self, trees: Sequence[RootTree], descriptors: dict[RootSpec, int], sweep: Sweep) -> list[RootTree]:
        identities: dict[RootSpec, tuple[int, int]] = {}
        for tree in trees:
            try:
                descriptor = os.open(tree.spec.path, FOLDER_FLAGS)
            except OSError as error:
                _root_trouble(tree, error, sweep)
                continue
            descriptors[tree.spec] = descriptor
            status = os.fstat(descriptor)
            identities[tree.spec] = tree.identity = (status.st_dev, status.st_ino)
            real = resolved_path(tree.spec.path)
            if real != tree.real:
                _moved(tree, real)
            tree.refused_since = None
            if tree.presence != "present":
                tree.presence = "present"
                sweep.changed = True
        kept = set(drop_repeated([tree.spec for tree in trees], identities))
        return [tree for tree in trees if tree.spec in kept]

    def _sweep_root(self, sweep: Sweep, tree: RootTree, descriptor: int) -> None:
        try:
            sweep.run(tree, descriptor)
        except OSError as error:
            _root_trouble(tree, error, sweep)

    def _same_roots(self, trees: Sequence[RootTree]) -> bool:
        """Whether each root's path still leads to the folder that was swept."""
        for tree in trees:
            try:
                status = os.stat(tree.spec.path)
            except OSError as error:
                if tree.presence == "present" or (tree.presence == "missing") != _is_missing(tree, error):
                    return False
            else:
                if tree.presence == "missing":
                    return False
                if tree.presence == "present" and tree.identity != (status.st_dev, status.st_ino):
                    return False
        return True


def _root_trouble(tree: RootTree, error: OSError, sweep: Sweep) -> None:
    """Notes that a root is missing, is no folder, or cannot be read."""
    before = tree.presence
    if trouble_of(error) == "refused":
        tree.presence = "unreadable"
        if tree.refused_since is None:
            tree.refused_since = sweep.now
    elif error.errno == errno.ENOTDIR and _is_file(tree.spec.path):
        tree.presence = "not-a-folder"
    elif _is_missing(tree, error):
        tree.presence = "missing"
    else:
        tree.presence = "failed"
        tree.detail = error.strerror or ""
    if tree.presence != "unreadable":
        tree.refused_since = None
    if tree.presence in ("missing", "not-a-folder") and (tree.signature is not None or tree.entries):
        tree.forget_listing()
        for entry in list(tree.entries.values()):
            if set_trouble(tree, entry, "gone", "", sweep.now):
                tree.last_change = sweep.now
                tree.revision += 1
    if tree.presence != before:
        tree.last_change = sweep.now
        tree.revision += 1
        sweep.changed = True


def _is_missing(tree: RootTree, error: OSError) -> bool:
    """Whether nothing can be there. A name that the system does not take is an error of the person's own settings, and
    says so; one that a project brings must hold up nothing."""
    if error.errno == errno.ENAMETOOLONG:
        return tree.spec.project_root is not None
    return trouble_of(error) in ("gone", "link-loop")


def _is_file(path: str) -> bool:
    return os.path.exists(path) and not os.path.isdir(path)


def _moved(tree: RootTree, real: str) -> None:
    """Takes note of the root's new real path: every candidate shows it."""
    tree.real = real
    tree.structure += 1
    for entry in tree.entries.values():
        if entry.reading is not None and entry.trouble is None:
            entry.stale = entry.signature is not None
            tree.unsettled.add(entry)
