"""Which real folders matter to the catalog, so that a watcher may watch them without what lies below."""

from __future__ import annotations

import os
from collections.abc import Sequence

from skills_core.filesystem.tree import RootTree
from skills_core.resolved_path import resolved_path


def folders_to_watch(trees: Sequence[RootTree], follow_links: bool) -> frozenset[str]:
    """Each root, each folder in it that discovery looks into, the real folders behind links that are followed, and
    the nearest existing ancestor of each root that is not there. With ``follow_links`` off no link's target."""
    found: set[str] = set()
    known: list[frozenset[str]] = []
    for tree in trees:
        if tree.presence == "present":
            known.append(_of_root(tree, follow_links))
        else:
            found.add(_nearest_folder(tree.spec.path))
    return frozenset(found).union(*known) if len(known) != 1 or found else known[0]


def watched_roots(trees: Sequence[RootTree]) -> frozenset[str]:
    """The roots as a watcher may name them: as configured, with the links above them resolved, and by their real paths.

    A link on the way that leads nowhere is watched under its own name: hence the configured spelling.
    """
    found: set[str] = set()
    for tree in trees:
        found.add(tree.spec.path)
        if tree.presence == "present":
            found.add(tree.real)
        if tree.presence != "present" or tree.real != tree.spec.path:
            folder, name = os.path.split(tree.spec.path)
            found.add(os.path.join(resolved_path(folder), name))
    return frozenset(found)


def _of_root(tree: RootTree, follow_links: bool) -> frozenset[str]:
    key = tree.structure
    if tree.watched[0] == key:
        return tree.watched[1]
    found: set[str] = set()
    if os.path.islink(tree.spec.path) and not follow_links:
        found.add(resolved_path(os.path.dirname(tree.spec.path)))
    else:
        found.add(tree.real)
        for folder in tree.folders.values():
            if folder.signature is None:
                continue
            if not folder.linked:
                found.add(f"{tree.real}/{folder.rel}")
            elif follow_links:
                found.add(resolved_path(tree.path_of(folder.rel)))
        if follow_links:
            found.update(os.path.dirname(entry.real_path) for entry in tree.entries.values() if entry.real_path)
    watched = frozenset(found)
    tree.watched = (key, watched)
    return watched


def _nearest_folder(path: str) -> str:
    folder = os.path.dirname(path)
    while not os.path.isdir(folder) and folder != os.path.dirname(folder):
        folder = os.path.dirname(folder)
    return resolved_path(folder)
