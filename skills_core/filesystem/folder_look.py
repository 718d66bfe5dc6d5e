"""Looking into the folders of a root that are new, have changed, or cannot be looked at."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable
from typing import Literal, TypeAlias

from skills_core.filesystem.below import folder_signature, is_walkable, look_below, only_found
from skills_core.filesystem.opening import FOLDER_FLAGS, trouble_of
from skills_core.filesystem.signature import may_have_changed_since
from skills_core.filesystem.sweep_notes import SweepNotes
from skills_core.filesystem.tree import FOLDERS_MAX, SKILL_FILE, EntryKind, FileEntry, Folder, FolderSignature, RootTree

_CASE_IS_IGNORED = sys.platform in ("darwin", "win32")

LinkEnd: TypeAlias = Literal["folder", "nowhere", "elsewhere"]
"""What a link leads to; ``elsewhere`` is what can hold no skill."""


class FolderLook(SweepNotes):
    """The part of a sweep that finds out what a folder holds."""

    # Folders that are new or have changed.

    def _look_into(
        self, tree: RootTree, root_fd: int, folder: Folder, seen: FolderSignature, status: os.stat_result
    ) -> Iterable[Folder]:
        if not stat.S_ISDIR(status.st_mode):
            self._leads_to_file(tree, folder, status)
            return ()
        first_look = folder.signature is None or folder.signature[:2] != seen[:2]
        if first_look:
            self.changed = True
            tree.structure += 1
        elif folder.entry is not None and _link_changed(root_fd, folder.entry):
            self._reread(tree, folder.entry)
        if folder.linked and folder.signature != seen:
            self._leads_elsewhere(tree, folder, first_look)
        if folder.signature != seen:
            folder.signature = seen
            folder.seen_at = self.now
        if may_have_changed_since(seen[3], self.started_ns):
            self.moving = True
            folder.racy = self._racy(seen[3], folder.seen_at)
        else:
            folder.racy = False
        if folder.linked and _is_own_ancestor(tree, folder):
            self._without_file(tree, folder)
            return ()
        if first_look and status.st_nlink == 2 and not folder.children and not _CASE_IS_IGNORED:
            # No folder lies in it, and the exact name is the common case: the stat that follows finds it.
            if folder.entry is None or folder.entry.kind == "flat":
                self._without_file(tree, folder)
                self._attach(tree, folder, f"{folder.rel}/{SKILL_FILE}", "bundle")
            return ()
        return self._list_folder(tree, root_fd, folder)

    def _leads_elsewhere(self, tree: RootTree, folder: Folder, first_look: bool) -> None:
        """A link was put in the folder's place, or what it leads to was moved or has changed: the real path may differ.

        What lay elsewhere before bears old times: only a second look tells that it was there all the time.
        """
        self.moving = self.moving or first_look
        tree.structure += 1
        if folder.entry is not None:
            self._reread(tree, folder.entry)

    def _list_folder(self, tree: RootTree, root_fd: int, folder: Folder) -> list[Folder]:
        subfolders: dict[str, os.DirEntry[str]] = {}
        links: dict[str, LinkEnd] = {}
        files: list[str] = []
        try:
            descriptor = os.open(folder.rel, FOLDER_FLAGS, dir_fd=root_fd)
            try:
                with os.scandir(descriptor) as listing:
                    for item in listing:
                        if item.name.lower() == "skill.md":
                            files.append(item.name)
                        elif not is_walkable(item.name):
                            continue
                        elif item.is_symlink():
                            # Followed here: the entry asks the open folder, which is closed below.
                            links[item.name] = _link_end(item) if folder.depth < self.depth else "elsewhere"
                            subfolders[item.name] = item
                        elif item.is_dir(follow_symlinks=False):
                            subfolders[item.name] = item
                if folder_signature(os.fstat(descriptor)) != folder.signature:
                    # Another folder than the one that was looked at, or changed since.
                    self.moving = folder.racy = True
            finally:
                os.close(descriptor)
        except OSError as error:
            files = self._unlisted(tree, folder, error)
        name = SKILL_FILE if SKILL_FILE in files else min(files, default=None)
        if name is None:
            self._without_file(tree, folder)
        elif folder.entry is None or folder.entry.rel != f"{folder.rel}/{name}":
            self._without_file(tree, folder)
            self._attach(tree, folder, f"{folder.rel}/{name}", "bundle")
            self.changed = True
        if folder.depth < self.depth:
            # A link that leads nowhere may be meant for a skill, unless it is one of a skill's own resources.
            kept = ("folder", "nowhere") if name is None else ("folder",)
            matching = {each: item for each, item in subfolders.items() if links.get(each, "folder") in kept}
            return self._match_folders(tree, folder, matching, folder.children)
        self._walk_below(tree, root_fd, folder, len(subfolders) > len(links))
        return []

    def _unlisted(self, tree: RootTree, folder: Folder, error: OSError) -> list[str]:
        """What to take for a folder's skill files when it may not be listed: the one that may be there."""
        if trouble_of(error) == "gone":
            # It may come back with the same signature.
            self.moving = folder.racy = True
            return []
        folder.racy = True
        entry = folder.entry
        if entry is None:
            entry = self._attach(tree, folder, f"{folder.rel}/{SKILL_FILE}", "bundle")
            self._trouble(tree, entry, trouble_of(error), error.strerror or "")
        return [os.path.basename(entry.rel)]

    def _walk_below(self, tree: RootTree, root_fd: int, folder: Folder, has_folders: bool = True) -> None:
        before = folder.below
        if before is not None:
            tree.deeper -= before.walked
        below = None
        if has_folders and tree.identity is not None:
            budget = max(0, FOLDERS_MAX - tree.deeper)
            below = look_below(root_fd, folder.rel, folder.depth, budget, tree.identity, self.started_ns)
            tree.deeper += below.walked
            if folder.entry is not None:
                below = only_found(below)
        folder.below = below
        if before is None or below is None:
            self.changed = self.changed or before is not below
        elif before.found != below.found or before.walked != below.walked:
            self.changed = True

    def _leads_to_file(self, tree: RootTree, folder: Folder, status: os.stat_result) -> None:
        """A link (or a folder just replaced) that leads to a file: a flat entry when it is named so."""
        flat = folder.parent is None and folder.rel.endswith(".md")
        for child in list(folder.children.values()):
            self._drop_folder(tree, child)
        folder.signature = None
        self._forget_below(tree, folder)
        folder.racy = False
        if not flat:
            self._without_file(tree, folder)
        elif folder.entry is None or folder.entry.rel != folder.rel:
            self._without_file(tree, folder)
            self._attach(tree, folder, folder.rel, "flat")
            self.changed = True

    def _attach(self, tree: RootTree, folder: Folder, rel: str, kind: EntryKind) -> FileEntry:
        folder.entry = entry = tree.entry(rel, kind)
        entry.folder = folder
        return entry

    def _without_file(self, tree: RootTree, folder: Folder) -> None:
        if folder.entry is not None:
            entry, folder.entry = folder.entry, None
            entry.folder = None
            self._trouble(tree, entry, "gone", "")

    def _drop_folder(self, tree: RootTree, folder: Folder) -> None:
        for child in list(folder.children.values()):
            self._drop_folder(tree, child)
        if folder.parent is not None:
            folder.parent.children.pop(os.path.basename(folder.rel), None)
            tree.deeper -= 1
        self._forget_below(tree, folder)
        tree.folders.pop(folder.rel, None)
        tree.structure += 1
        folder.dropped = True
        self.changed = True
        self._without_file(tree, folder)

    def _forget_below(self, tree: RootTree, folder: Folder) -> None:
        if folder.below is not None:
            tree.deeper -= folder.below.walked
            folder.below = None
            self.changed = True

    # Which folders there are.

    def _match_folders(
        self,
        tree: RootTree,
        parent: Folder | None,
        items: dict[str, os.DirEntry[str]],
        known: dict[str, Folder],
    ) -> list[Folder]:
        prefix = "" if parent is None else f"{parent.rel}/"
        for folder in [item for item in known.values() if item.parent is parent and item.name not in items]:
            self._drop_folder(tree, folder)
        added: list[Folder] = []
        for name, item in items.items():
            link = item.is_symlink()
            folder = known.get(name)
            if folder is not None and (folder.link != link or (link and folder.link_inode != item.inode())):
                folder.link, folder.link_inode = link, item.inode() if link else 0
                folder.signature = None
                if folder.entry is not None:
                    self._reread(tree, folder.entry)
            if folder is None:
                if parent is not None and tree.truncated:
                    break
                folder = Folder(prefix + name, parent, link, item.inode() if link else 0)
                tree.folders[folder.rel] = folder
                tree.structure += 1
                if parent is not None:
                    parent.children[name] = folder
                    tree.deeper += 1
                self.changed = True
                added.append(folder)
        return added

    def _reread(self, tree: RootTree, entry: FileEntry) -> None:
        entry.stale = entry.signature is not None
        tree.unsettled.add(entry)
        self.changed = True

    # What cannot be looked at.

    def _folder_trouble(self, tree: RootTree, folder: Folder, error: OSError) -> None:
        trouble = trouble_of(error)
        folder.signature = None
        self._forget_below(tree, folder)
        for child in list(folder.children.values()):
            self._drop_folder(tree, child)
        if trouble == "gone":
            if not folder.link:
                # Listed a moment ago and gone now: the listing is older than the sweep.
                self.moving = True
                self._without_file(tree, folder)
                return
            trouble = "dangling-link"
        flat = folder.parent is None and folder.rel.endswith(".md")
        entry = folder.entry
        if entry is None:
            rel = folder.rel if flat else f"{folder.rel}/{SKILL_FILE}"
            entry = self._attach(tree, folder, rel, "flat" if flat else "bundle")
        self._trouble(tree, entry, trouble, error.strerror or "")

    def _skill_file_trouble(self, tree: RootTree, root_fd: int, folder: Folder, error: OSError) -> None:
        entry = folder.entry
        assert entry is not None
        trouble = trouble_of(error)
        if trouble == "gone" and entry.kind == "bundle":
            if _is_link(root_fd, entry.rel):
                trouble = "dangling-link"
            else:
                # Perhaps it is there in another letter case.
                self.moving = bool(self._list_folder(tree, root_fd, folder)) or self.moving
                entry = folder.entry
                if entry is None:
                    if folder.signature is not None:
                        self._judge(folder.signature[3])
                    return
                try:
                    self._file(tree, entry, os.stat(entry.rel, dir_fd=root_fd))
                    return
                except OSError as second:
                    trouble, error = trouble_of(second), second
                    if trouble == "gone":
                        trouble = "dangling-link" if _is_link(root_fd, entry.rel) else "gone"
        # Looked at a moment ago and gone now.
        self.moving = self.moving or trouble == "gone"
        self._trouble(tree, entry, trouble, error.strerror or "")


def _is_link(root_fd: int, rel: str) -> bool:
    try:
        return stat.S_ISLNK(os.lstat(rel, dir_fd=root_fd).st_mode)
    except OSError:
        return False


def _link_changed(root_fd: int, entry: FileEntry) -> bool:
    return entry.link or _is_link(root_fd, entry.rel)


def _link_end(item: os.DirEntry[str]) -> LinkEnd:
    """What a link leads to; whatever cannot be found out is looked at like a folder, which says why."""
    try:
        return "folder" if stat.S_ISDIR(item.stat().st_mode) else "elsewhere"
    except FileNotFoundError:
        return "nowhere"
    except OSError as error:
        return "nowhere" if trouble_of(error) in ("gone", "link-loop") else "folder"


def _is_own_ancestor(tree: RootTree, folder: Folder) -> bool:
    """Whether a folder, by a link, is the root or a folder that it lies in."""
    if folder.signature is None:
        return False
    identity = folder.signature[:2]
    if identity == tree.identity:
        return True
    above = folder.parent
    while above is not None:
        if above.signature is not None and above.signature[:2] == identity:
            return True
        above = above.parent
    return False
