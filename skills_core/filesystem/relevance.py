"""Which paths matter to the catalog: the pure rule, and the search through the roots that are known."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from skills_core.filesystem.below import is_walkable
from skills_core.filesystem.homes import canonical_with_missing_tail
from skills_core.filesystem.tree import RootTree
from skills_core.resolved_path import resolved_path


def is_relevant(parts: Sequence[str], depth: int) -> bool:
    """Whether a file at these parts below a root may be an entry: ``name.md``, or a SKILL.md up to ``depth`` down."""
    if not parts or not all(is_walkable(part) for part in parts):
        return False
    if len(parts) == 1:
        return parts[0].endswith(".md")
    return len(parts) <= depth + 1 and parts[-1].lower() == "skill.md"


def entries_at(path: str, trees: Iterable[RootTree], depth: int) -> frozenset[str] | None:
    """The entries, by their paths as configured, that a change of ``path`` concerns; None when it concerns none.

    ``path`` may be any alias: it is compared as written and by its real path, also with the targets of links.
    """
    written = os.path.abspath(path)
    real = _real(written)
    found: set[str] = set()
    for tree in trees:
        found.update(_in_root(tree, written, real, depth))
    return frozenset(found) or None


def _in_root(tree: RootTree, written: str, real: str, depth: int) -> Iterable[str]:
    for below in {_parts_below(written, tree.spec.path), _parts_below(real, _real(tree.spec.path, whole=True))}:
        if not below:
            continue
        rel = "/".join(below)
        if is_relevant(below, depth):
            yield tree.path_of(rel)
        elif rel in tree.folders:
            yield tree.path_of(rel)
            yield from (tree.path_of(entry) for entry in tree.entries if entry.startswith(f"{rel}/"))
    for folder in tree.folders.values():
        if folder.link:
            target = resolved_path(tree.path_of(folder.rel))
            below = _parts_below(real, target)
            if below and is_relevant((folder.rel, *below), depth):
                yield tree.path_of("/".join((folder.rel, *below)))
    for entry in tree.entries.values():
        if entry.real_path == real:
            yield tree.path_of(entry.rel)


def _real(path: str, *, whole: bool = False) -> str:
    """The real path of the folder that ``path`` lies in, with its last part as written (``whole``: of all of it)."""
    head, tail = (path, "") if whole else os.path.split(path)
    try:
        real = canonical_with_missing_tail(head)
    except OSError:
        return path
    return os.path.join(real, tail) if tail else real


def _parts_below(path: str, folder: str) -> tuple[str, ...]:
    prefix = folder.rstrip("/") + "/"
    return tuple(path[len(prefix) :].split("/")) if path.startswith(prefix) else ()
