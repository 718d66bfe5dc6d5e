"""One stat sweep over a root: what the catalog depends on, compared with what was seen before."""

from __future__ import annotations

import os

from skills_core.filesystem.below import folder_signature, is_walkable, same_below
from skills_core.filesystem.folder_look import FolderLook
from skills_core.filesystem.opening import trouble_of
from skills_core.filesystem.signature import COARSE_GRAIN
from skills_core.filesystem.tree import RootTree


class Sweep(FolderLook):
    """One pass over one or several roots, made to cost little more than the stats when nothing has changed."""

    def __init__(self, depth: int, started_ns: int, now: float) -> None:
        super().__init__(depth, started_ns, now)
        self._suspect_ns = started_ns - COARSE_GRAIN

    def run(self, tree: RootTree, root_fd: int) -> None:
        """Sweeps one root, open as ``root_fd``. Raises OSError when the root itself cannot be listed."""
        changed_before, self.changed = self.changed, False
        if tree.signature is None or tree.racy or folder_signature(os.fstat(root_fd)) != tree.signature:
            self._list_root(tree, root_fd)
        elif tree.signature[3] >= self._suspect_ns:
            self._judge(tree.signature[3])
        self._flat_files(tree, root_fd)
        self._folders(tree, root_fd)
        if self.changed:
            tree.last_change = self.now
            tree.revision += 1
        self.changed = self.changed or changed_before

    # The hot loops: a quiet sweep spends all its time here.

    def _flat_files(self, tree: RootTree, root_fd: int) -> None:
        for entry in tree.flats.values():
            try:
                status = os.stat(entry.rel, dir_fd=root_fd)
            except OSError as error:
                trouble = trouble_of(error)
                # It is in the listing, which is not older than the sweep.
                self.moving = self.moving or trouble == "gone"
                self._trouble(tree, entry, trouble, error.strerror or "")
            else:
                self._file(tree, entry, status)

    def _folders(self, tree: RootTree, root_fd: int) -> None:
        suspect = self._suspect_ns
        look = os.stat
        queue = list(tree.folders.values())
        for folder in queue:
            if folder.dropped:
                continue
            try:
                status = look(folder.rel, dir_fd=root_fd)
            except OSError as error:
                self._folder_trouble(tree, folder, error)
                continue
            signature = (status.st_dev, status.st_ino, status.st_mtime_ns, status.st_ctime_ns)
            if signature != folder.signature or folder.racy:
                queue.extend(self._look_into(tree, root_fd, folder, signature, status))
            elif folder.below is not None and folder.below.folders and not same_below(root_fd, folder.below):
                self._walk_below(tree, root_fd, folder)
            entry = folder.entry
            if entry is None:
                if signature[3] >= suspect:
                    self._judge(signature[3])
                continue
            entry.folder_signature = signature
            try:
                status = look(entry.rel, dir_fd=root_fd)
            except OSError as error:
                self._skill_file_trouble(tree, root_fd, folder, error)
                continue
            seen = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
            if seen != entry.signature or entry.racy:
                self._file_seen(tree, entry, seen, status)
            if seen[4] >= suspect:
                self._judge(seen[4])

    # The root's own listing.

    def _list_root(self, tree: RootTree, root_fd: int) -> None:
        folders: dict[str, os.DirEntry[str]] = {}
        flats: set[str] = set()
        with os.scandir(root_fd) as listing:
            for item in listing:
                name = item.name
                if name[0] == ".":
                    continue
                if item.is_symlink() or item.is_dir(follow_symlinks=False):
                    if is_walkable(name):
                        folders[name] = item
                elif name.endswith(".md"):
                    flats.add(name)
        seen = folder_signature(os.fstat(root_fd))
        if seen != tree.signature:
            tree.signature = seen
            tree.seen_at = self.now
        self._judge(seen[3])
        tree.racy = self._racy(seen[3], tree.seen_at)
        self._match_flats(tree, flats)
        self._match_folders(tree, None, folders, tree.folders)

    def _match_flats(self, tree: RootTree, names: set[str]) -> None:
        for name in [name for name in tree.flats if name not in names]:
            self._trouble(tree, tree.flats.pop(name), "gone", "")
        for name in names:
            if name not in tree.flats:
                tree.flats[name] = tree.entry(name, "flat")
                self.changed = True
