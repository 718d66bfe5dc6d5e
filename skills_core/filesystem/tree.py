"""What is known of one root: its folders, its entries, and what was found in them. Only the disk thread touches it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from skills_core.document import DocumentReading
from skills_core.filesystem.opening import Trouble
from skills_core.filesystem.roots import RootSpec
from skills_core.filesystem.signature import Signature
from skills_core.problem import SkillProblem
from skills_core.resolved_path import resolved_path
from skills_core.skill import SkillCandidate

FolderSignature: TypeAlias = tuple[int, int, int, int]
"""Device, inode, mtime and ctime in nanoseconds."""

EntryKind: TypeAlias = Literal["bundle", "flat"]
Presence: TypeAlias = Literal["present", "missing", "not-a-folder", "unreadable", "failed"]

SKILL_FILE = "SKILL.md"

FOLDERS_MAX = 2000
"""Folders looked into below the direct children of a root."""


class Outcome(NamedTuple):
    """What an entry comes to: a candidate or none, and problems. ``derived``: its name is not the written one."""

    candidate: SkillCandidate | None = None
    problems: tuple[SkillProblem, ...] = ()
    derived: bool = False


class FileEntry:
    """One skill file of a root, by its relative path, with what was last seen and what is shown of it.

    ``signature`` is what the last sweep saw, None while the file is in trouble; ``last_signature`` outlives that.
    ``shown`` is the settled outcome; it stays while a newer state is in flight.
    """

    __slots__ = (
        "folder",
        "folder_signature",
        "kind",
        "last_signature",
        "link",
        "racy",
        "reading",
        "real_path",
        "rel",
        "seen_at",
        "shown",
        "signature",
        "stale",
        "stem",
        "trouble",
        "trouble_detail",
        "trouble_since",
        "unfinished_since",
    )

    def __init__(self, rel: str, kind: EntryKind) -> None:
        self.rel = rel
        self.kind: EntryKind = kind
        self.stem = rel.rsplit("/", 2)[-2] if kind == "bundle" else rel[:-3]
        self.folder: Folder | None = None
        self.signature: Signature | None = None
        self.last_signature: Signature | None = None
        self.folder_signature: FolderSignature | None = None
        self.seen_at = 0.0
        self.stale = False
        self.racy = False
        self.link = False
        self.real_path: str | None = None
        self.trouble: Trouble | None = None
        self.trouble_detail = ""
        self.trouble_since = 0.0
        self.unfinished_since: float | None = None
        self.reading: DocumentReading | None = None
        self.shown: Outcome | None = None

    @property
    def key(self) -> tuple[str, ...]:
        """The order of entries in a root: by the parts of the path, in code points."""
        return tuple(self.rel.split("/"))

    @property
    def identity(self) -> tuple[int, int] | None:
        """Device and inode of the file, None while it is not there."""
        return None if self.signature is None else self.signature[:2]


@dataclass(slots=True)
class Below:
    """What lies below a folder, deeper than discovery looks: SKILL.md files, and the folders to look at again."""

    found: tuple[str, ...] = ()
    folders: tuple[tuple[str, FolderSignature], ...] = ()
    walked: int = 0
    unsure: bool = False


class Folder:
    """A folder in a root, or a link in it that may lead to a folder or to a flat file."""

    __slots__ = (
        "below",
        "children",
        "depth",
        "dropped",
        "entry",
        "link",
        "link_inode",
        "parent",
        "racy",
        "rel",
        "seen_at",
        "signature",
    )

    def __init__(self, rel: str, parent: Folder | None, link: bool, link_inode: int) -> None:
        self.rel = rel
        self.parent = parent
        self.depth: int = 1 if parent is None else parent.depth + 1
        self.link = link
        self.link_inode = link_inode
        self.signature: FolderSignature | None = None
        self.racy = False
        self.seen_at = 0.0
        self.dropped = False
        self.entry: FileEntry | None = None
        self.children: dict[str, Folder] = {}
        self.below: Below | None = None

    @property
    def name(self) -> str:
        return os.path.basename(self.rel)

    @property
    def linked(self) -> bool:
        """Whether a link is followed on the way from the root to here."""
        return self.link or (self.parent is not None and self.parent.linked)


class RootTree:
    """All that is known of one root."""

    def __init__(self, spec: RootSpec) -> None:
        self.spec = spec
        self._prefix = spec.path.rstrip("/") + "/"
        self.presence: Presence = "missing"
        self.detail = ""
        self.refused_since: float | None = None
        self.identity: tuple[int, int] | None = None
        self.signature: FolderSignature | None = None
        self.seen_at = 0.0
        self.racy = False
        self.real = spec.path
        self.folders: dict[str, Folder] = {}
        self.flats: dict[str, FileEntry] = {}
        self.entries: dict[str, FileEntry] = {}
        self.unsettled: set[FileEntry] = set()
        self.deeper = 0
        self.last_change = 0.0
        self.revision = 0
        self.structure = 0
        self._order: tuple[int, list[FileEntry]] = (-1, [])
        self.watched: tuple[int, frozenset[str]] = (-1, frozenset())

    @property
    def confined(self) -> bool:
        """Whether links of single files may not leave their skill's folder."""
        return self.spec.project_root is not None

    @property
    def truncated(self) -> bool:
        """Whether the bound on deeper folders is reached, so that more may lie there."""
        return self.deeper >= FOLDERS_MAX

    def entry(self, rel: str, kind: EntryKind) -> FileEntry:
        """The entry at a relative path, made when it is new."""
        found = self.entries.get(rel)
        if found is None:
            found = self.entries[rel] = FileEntry(rel, kind)
            self.structure += 1
        return found

    def forget_listing(self) -> None:
        """Forgets what the root and its folders looked like, so that the next sweep looks at everything anew."""
        self.signature = None
        self.identity = None
        self.racy = False
        self.folders.clear()
        self.flats.clear()
        self.deeper = 0
        self.structure += 1

    def drop(self, entry: FileEntry) -> None:
        """Forgets an entry. Where it still belongs to a listing, that is made anew, so that a file that comes back is
        a new entry."""
        if self.entries.get(entry.rel) is entry:
            del self.entries[entry.rel]
            self.structure += 1
        if self.flats.get(entry.rel) is entry:
            del self.flats[entry.rel]
            self.racy = True
        folder, entry.folder = entry.folder, None
        if folder is not None and folder.entry is entry:
            folder.entry = None
            folder.racy = True
        self.unsettled.discard(entry)
        self.revision += 1

    def in_order(self) -> list[FileEntry]:
        """The entries in the order in which a root is read."""
        if self._order[0] != self.structure:
            self._order = (self.structure, sorted(self.entries.values(), key=lambda entry: entry.key))
        return self._order[1]

    def path_of(self, rel: str) -> str:
        """The absolute path, in the spelling of the configured root."""
        return f"{self._prefix}{rel}"

    def real_path_of(self, entry: FileEntry) -> str:
        """The absolute path with links resolved."""
        if entry.real_path is not None:
            return entry.real_path
        if entry.folder is not None and entry.folder.linked:
            return resolved_path(self.path_of(entry.rel))
        return f"{self.real}/{entry.rel}" if self.real != "/" else f"/{entry.rel}"
