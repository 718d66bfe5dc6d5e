"""One stat sweep over a root: what the catalog depends on, compared with what was seen before."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable

from skills_core.filesystem.below import folder_signature, is_walkable, look_below, only_found, same_below, scan
from skills_core.filesystem.opening import Trouble, trouble_of
from skills_core.filesystem.signature import TRUST_AFTER, Signature, may_have_changed_since
from skills_core.filesystem.tree import FOLDERS_MAX, SKILL_FILE, Entry, EntryKind, Folder, RootTree

_CASE_IS_IGNORED = sys.platform in ("darwin", "win32")
_COARSE_GRAIN = 2_000_000_000


class Sweep:
    """One pass over one or several roots.

    ``started_ns`` is the file system's clock when the pass began, ``now`` the monotonic time. Afterwards ``moving``
    tells whether something seen may have changed since it began, and ``changed`` whether anything differs from what
    was known before. Entries that must be read are marked stale and put among their root's unsettled ones.
    """

    def __init__(self, depth: int, started_ns: int, now: float) -> None:
        self.depth = depth
        self.started_ns = started_ns
        self.now = now
        self.moving = False
        self.changed = False
        self._suspect_ns = started_ns - _COARSE_GRAIN

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
                self._trouble(tree, entry, trouble_of(error), error.strerror or "")
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
                queue.extend(self._look_into(tree, root_fd, folder, status))
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

    # Files.

    def _file(self, tree: RootTree, entry: Entry, status: os.stat_result) -> None:
        seen = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
        if seen != entry.signature or entry.racy:
            self._file_seen(tree, entry, seen, status)
        self._judge(seen[4])

    def _file_seen(self, tree: RootTree, entry: Entry, seen: Signature, status: os.stat_result) -> None:
        if not stat.S_ISREG(status.st_mode):
            self._trouble(tree, entry, "not-regular", _KINDS.get(stat.S_IFMT(status.st_mode), "a special file"))
            return
        if seen != entry.last_signature:
            self.changed = True
            entry.seen_at = self.now
        entry.signature = entry.last_signature = seen
        entry.stale = True
        tree.unsettled.add(entry)

    def _trouble(self, tree: RootTree, entry: Entry, trouble: Trouble, detail: str) -> None:
        if set_trouble(tree, entry, trouble, detail, self.now):
            self.changed = True

    def _judge(self, ctime_ns: int) -> None:
        if may_have_changed_since(ctime_ns, self.started_ns):
            self.moving = True

    def _racy(self, ctime_ns: int, seen_at: float) -> bool:
        return may_have_changed_since(ctime_ns, self.started_ns) and self.now - seen_at < TRUST_AFTER

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

    def _reread(self, tree: RootTree, entry: Entry) -> None:
        entry.stale = entry.signature is not None
        tree.unsettled.add(entry)
        self.changed = True

    # Folders that are new or have changed.

    def _look_into(self, tree: RootTree, root_fd: int, folder: Folder, status: os.stat_result) -> Iterable[Folder]:
        seen = folder_signature(status)
        if not stat.S_ISDIR(status.st_mode):
            self._leads_to_file(tree, folder, status)
            return ()
        first_look = folder.signature is None or folder.signature[:2] != seen[:2]
        if first_look:
            self.changed = True
            tree.structure += 1
        elif folder.entry is not None and _link_changed(root_fd, folder.entry):
            self._reread(tree, folder.entry)
        if folder.signature != seen:
            folder.signature = seen
            folder.seen_at = self.now
        folder.racy = self._racy(seen[3], folder.seen_at)
        if _is_own_ancestor(tree, folder):
            self._without_file(tree, folder)
            return ()
        if first_look and status.st_nlink == 2 and not folder.children and not _CASE_IS_IGNORED:
            # No folder lies in it, and the exact name is the common case: the stat that follows finds it.
            if folder.entry is None or folder.entry.kind == "flat":
                self._without_file(tree, folder)
                self._attach(tree, folder, f"{folder.rel}/{SKILL_FILE}", "bundle")
            return ()
        return self._list_folder(tree, root_fd, folder)

    def _list_folder(self, tree: RootTree, root_fd: int, folder: Folder) -> list[Folder]:
        subfolders: dict[str, os.DirEntry[str]] = {}
        files: list[str] = []
        try:
            for item in scan(root_fd, folder.rel):
                if item.name.lower() == "skill.md":
                    files.append(item.name)
                elif is_walkable(item.name) and (item.is_symlink() or item.is_dir(follow_symlinks=False)):
                    subfolders[item.name] = item
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
            directories = {name: item for name, item in subfolders.items() if _leads_to_folder(item)}
            return self._match_folders(tree, folder, directories, folder.children)
        self._walk_below(tree, root_fd, folder, any(not item.is_symlink() for item in subfolders.values()))
        return []

    def _unlisted(self, tree: RootTree, folder: Folder, error: OSError) -> list[str]:
        """What to take for a folder's skill files when it may not be listed: the one that may be there."""
        if trouble_of(error) == "gone":
            self.moving = True
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

    def _attach(self, tree: RootTree, folder: Folder, rel: str, kind: EntryKind) -> Entry:
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
                        self.moving = self.moving or trouble == "gone"
        self._trouble(tree, entry, trouble, error.strerror or "")


def set_trouble(tree: RootTree, entry: Entry, trouble: Trouble, detail: str, now: float) -> bool:
    """Notes that an entry's file is in trouble; True when it was not, or in another one."""
    entry.signature = None
    entry.stale = False
    entry.racy = False
    if entry.trouble == trouble:
        return False
    entry.trouble = trouble
    entry.trouble_detail = detail
    entry.trouble_since = now
    entry.unfinished_since = None
    tree.unsettled.add(entry)
    return True


_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def _is_link(root_fd: int, rel: str) -> bool:
    try:
        return stat.S_ISLNK(os.lstat(rel, dir_fd=root_fd).st_mode)
    except OSError:
        return False


def _link_changed(root_fd: int, entry: Entry) -> bool:
    return entry.link or _is_link(root_fd, entry.rel)


def _leads_to_folder(item: os.DirEntry[str]) -> bool:
    try:
        return item.is_dir()
    except OSError:
        return False


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
