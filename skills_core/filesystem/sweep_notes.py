"""What one sweep notes while it looks: files seen, files in trouble, and whether anything moves."""

from __future__ import annotations

import os
import stat

from skills_core.filesystem.opening import Trouble, kind_of
from skills_core.filesystem.signature import TRUST_AFTER, Signature, may_have_changed_since
from skills_core.filesystem.tree import FileEntry, RootTree


class SweepNotes:
    """The moment of a sweep, and what it found out.

    ``started_ns`` is the file system's clock when the sweep began, ``now`` the monotonic time. ``moving`` tells
    whether something seen may have changed since it began, ``changed`` whether anything differs from what was known
    before. Entries that must be read are marked stale and put among their root's unsettled ones.
    """

    def __init__(self, depth: int, started_ns: int, now: float) -> None:
        self.depth = depth
        self.started_ns = started_ns
        self.now = now
        self.moving = False
        self.changed = False

    def _file(self, tree: RootTree, entry: FileEntry, status: os.stat_result) -> None:
        seen = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
        if seen != entry.signature or entry.racy:
            self._file_seen(tree, entry, seen, status)
        self._judge(seen[4])

    def _file_seen(self, tree: RootTree, entry: FileEntry, seen: Signature, status: os.stat_result) -> None:
        if not stat.S_ISREG(status.st_mode):
            self._trouble(tree, entry, "not-regular", kind_of(status.st_mode))
            return
        if seen != entry.last_signature:
            self.changed = True
            entry.seen_at = self.now
        entry.signature = entry.last_signature = seen
        entry.stale = True
        tree.unsettled.add(entry)

    def _trouble(self, tree: RootTree, entry: FileEntry, trouble: Trouble, detail: str) -> None:
        if set_trouble(tree, entry, trouble, detail, self.now):
            self.changed = True

    def _judge(self, ctime_ns: int) -> None:
        if may_have_changed_since(ctime_ns, self.started_ns):
            self.moving = True

    def _racy(self, ctime_ns: int, seen_at: float) -> bool:
        return may_have_changed_since(ctime_ns, self.started_ns) and self.now - seen_at < TRUST_AFTER


def set_trouble(tree: RootTree, entry: FileEntry, trouble: Trouble, detail: str, now: float) -> bool:
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
