"""Pure rules: which changed paths can matter to the catalog. Everything else invalidates nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

_NEVER_ENTERED = "node_modules"


@dataclass(frozen=True, slots=True)
class RelevantRoot:
    """A skills root in one spelling, absolute. ``depth`` is how many folders deep a SKILL.md may lie (1 to 6)."""

    path: str
    depth: int = 1


@dataclass(frozen=True)
class Relevance:
    """The rules over all roots and everything that links in them lead to.

    ``linked_folders``: real folders of bundles behind links, or of folders that hold such. ``linked_files``: real
    files behind links. A root that is known in several spellings is listed in each.
    """

    roots: Iterable[RelevantRoot] = ()
    linked_folders: frozenset[str] = frozenset()
    linked_files: frozenset[str] = frozenset()
    _depths: dict[str, int] = field(init=False, repr=False)
    _on_path: frozenset[str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        depths: dict[str, int] = {}
        on_path: set[str] = set()
        for root in self.roots:
            depths[root.path] = max(root.depth, depths.get(root.path, 0))
            path = root.path
            while path and path not in on_path:
                on_path.add(path)
                path = path.rpartition("/")[0]
        object.__setattr__(self, "_depths", depths)
        object.__setattr__(self, "_on_path", frozenset(on_path))

    def matters(self, path: str, is_file: Callable[[str], bool]) -> bool:
        """Whether a change of ``path`` (absolute) can change the catalog.

        ``is_file`` is asked only where it decides: whether the path is something other than a folder now. A path that
        is gone may have been a folder, so it is no file.
        """
        if path in self._on_path or path in self.linked_folders or path in self.linked_files:
            return True
        parent, _, name = path.rpartition("/")
        if parent in self.linked_folders and is_skill_file(name):
            return True
        segments = [name]
        while parent:
            depth = self._depths.get(parent)
            if depth is not None and _matters_below(segments, depth, lambda: is_file(path)):
                return True
            if len(segments) > _DEEPEST:
                return False
            parent, _, name = parent.rpartition("/")
            segments.insert(0, name)
        return False

    def any_matters(self, paths: Iterable[str], is_file: Callable[[str], bool]) -> bool:
        return any(self.matters(path, is_file) for path in paths)


_DEEPEST = 6


def is_skill_file(name: str) -> bool:
    """SKILL.md in any letter case."""
    return name.lower() == "skill.md"


def _matters_below(segments: list[str], depth: int, is_file: Callable[[], bool]) -> bool:
    """``segments``: the path relative to a root that is read ``depth`` folders deep."""
    *folders, name = segments
    # Dot folders are never entries, ``.system`` in the user's root among them.
    if any(folder.startswith(".") or folder == _NEVER_ENTERED for folder in folders) or name.startswith("."):
        return False
    if len(segments) <= depth + 1 and folders and is_skill_file(name):
        return True
    if len(segments) == 1 and name.lower().endswith(".md"):
        return True
    if name == _NEVER_ENTERED or len(segments) > depth:
        return False
    return not is_file()
