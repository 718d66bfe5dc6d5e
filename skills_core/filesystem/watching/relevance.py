"""Pure rules: which changed paths can matter to the catalog. Everything else needs no look."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from skills_core.filesystem.watching.watch_plan import with_ancestors

_NEVER_ENTERED = "node_modules"


@dataclass(frozen=True)
class Relevance:
    """The rules for what a set of roots and the watched folders behind them report.

    ``roots``: the roots, absolute and real as far as they exist. ``folders``: all watched folders, real; those that
    lie neither in a root nor above one are where links lead to. ``depth``: how many folders deep a SKILL.md may lie.

    Whether a path is a file or a folder is not asked: it may be gone. The catalog is compared anyway.
    """

    roots: frozenset[str]
    folders: frozenset[str]
    depth: int = 1

    @cached_property
    def _above(self) -> frozenset[str]:
        return with_ancestors(self.roots)

    def any_matters(self, paths: Iterable[str]) -> bool:
        return any(self.matters(path) for path in paths)

    def matters(self, path: str) -> bool:
        """Whether a change of ``path`` (absolute, real up to its last part) can change the catalog."""
        if path in self._above or path in self.folders:
            return True
        parent, _, name = path.rpartition("/")
        if self._in_a_root(path):
            return True
        if parent in self.folders and parent not in self._above and not self._below_a_root(parent):
            # A link leads here: to a bundle, to a folder that holds some, or to a flat file in it.
            return name.lower().endswith(".md") or (self.depth > 1 and _may_be_entered(name))
        return False

    def _in_a_root(self, path: str) -> bool:
        parent, _, name = path.rpartition("/")
        parts = [name]
        while parent and len(parts) <= self.depth + 1:
            if parent in self.roots:
                return _matters_below(parts, self.depth)
            parent, _, name = parent.rpartition("/")
            parts.insert(0, name)
        return False

    def _below_a_root(self, folder: str) -> bool:
        for _ in range(self.depth):
            folder = folder.rpartition("/")[0]
            if folder in self.roots:
                return True
        return False


def _may_be_entered(name: str) -> bool:
    # Dot folders are never entries, ``.system`` in the user's root among them.
    return not name.startswith(".") and name != _NEVER_ENTERED


def _matters_below(parts: list[str], depth: int) -> bool:
    """``parts``: the path relative to a root."""
    if not all(_may_be_entered(part) for part in parts):
        return False
    return len(parts) <= depth or parts[-1].lower() == "skill.md"
