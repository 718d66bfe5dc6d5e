"""Which of the things seen are facts yet: the rules for half-written files, deletions and refused permissions."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from skills_core.filesystem.outcome import reading_outcome, trouble_outcome
from skills_core.filesystem.problems import printable
from skills_core.filesystem.tree import FileEntry, Outcome, RootTree
from skills_core.registry.provider import IncompleteKind, IncompleteReason

IN_FLIGHT_MAX = 5.0
"""Seconds after which a deletion or a half-written file is a fact, however busy its root is."""

REFUSED_AFTER = 5.0
"""Seconds on end after which a refused permission is a fact."""

RETRY_AFTER = 1.0
"""Seconds after which what failed for another reason is tried again."""


@dataclass(slots=True)
class Settling:
    """One judgement over all roots of an observation.

    ``wait`` is the stability threshold in seconds, ``now`` the monotonic time, ``files_ns`` the file system's clock.
    ``locked`` tells whether the project's git holds its index lock. ``removed`` are paths that the program itself
    removed. Afterwards ``reasons`` says why the observation is incomplete and ``due`` when to look again.
    """

    provider: str
    wait: float
    now: float
    files_ns: int
    locked: Callable[[], bool]
    trees: Sequence[RootTree]
    removed: frozenset[str] = frozenset()
    reasons: list[IncompleteReason] = field(default_factory=list[IncompleteReason])
    due: float | None = None
    _is_locked: bool | None = None
    _arrivals: dict[tuple[int, int], list[tuple[RootTree, FileEntry]]] | None = None

    def run(self) -> None:
        for tree in self.trees:
            self._settle_root(tree)

    def look_again(self, at: float) -> None:
        """Notes that a new observation is due at the monotonic time ``at``, or earlier."""
        self.due = at if self.due is None else min(self.due, at)

    def _settle_root(self, tree: RootTree) -> None:
        if tree.presence in ("unreadable", "failed") and not self._root_is_fact(tree):
            return
        gone: list[FileEntry] = []
        unfinished: list[FileEntry] = []
        for entry in list(tree.unsettled):
            if entry.stale:
                continue
            if entry.trouble is None:
                if self._half_written(entry):
                    unfinished.append(entry)
                else:
                    self._show(tree, entry, reading_outcome(tree, entry, self.provider))
            elif entry.trouble == "gone" or (entry.trouble == "dangling-link" and _offered(entry)):
                if self._still_vanishing(tree, entry):
                    gone.append(entry)
                elif entry.trouble == "gone":
                    tree.drop(entry)
                else:
                    self._show(tree, entry, trouble_outcome(tree, entry))
            elif entry.trouble == "refused":
                self._refused(tree, entry)
            elif entry.trouble == "failed":
                self._incomplete("failed", f"{_where(tree, entry)} cannot be read: {entry.trouble_detail}")
                self.look_again(self.now + RETRY_AFTER)
            else:
                self._show(tree, entry, trouble_outcome(tree, entry))
        self._in_flight(tree, unfinished, "is half written", "are half written")
        self._in_flight(tree, gone, "has just gone", "have just gone")

    # Half-written files.

    def _half_written(self, entry: FileEntry) -> bool:
        if entry.reading is None or not entry.reading.looks_unfinished or entry.last_signature is None:
            return False
        if entry.unfinished_since is not None and self.now - entry.unfinished_since >= IN_FLIGHT_MAX:
            return False
        # A file that has lain so for long is a fact at the first look. A time in the future proves nothing: then the
        # time since this process saw it decides.
        if self.files_ns - entry.last_signature[4] >= self.wait * 1e9:
            return False
        until = entry.seen_at + self.wait
        if self.now >= until:
            return False
        self.look_again(until)
        return True

    # Deletions.

    def _still_vanishing(self, tree: RootTree, entry: FileEntry) -> bool:
        if entry.shown is None or (entry.shown.candidate is None and not entry.shown.problems):
            return False
        if tree.path_of(entry.rel) in self.removed or self._ancestor_is_gone(tree) or self._renamed(tree, entry):
            return False
        bound = entry.trouble_since + IN_FLIGHT_MAX
        if self.now >= bound:
            return False
        quiet_at = max(tree.last_change, entry.trouble_since) + self.wait
        if self.now >= quiet_at:
            if self._is_locked is None:
                self._is_locked = self.locked()
            if not self._is_locked:
                return False
            quiet_at = self.now + self.wait
        self.look_again(min(quiet_at, bound))
        return True

    def _ancestor_is_gone(self, tree: RootTree) -> bool:
        return tree.presence == "missing" and not os.path.lexists(os.path.dirname(tree.spec.path))

    def _renamed(self, tree: RootTree, entry: FileEntry) -> bool:
        """Whether the entry's folder is now an entry under another name.

        A file system may give the inode of a removed folder to a new one, so that either the folder's listing or its
        skill file must be unchanged as well.
        """
        before = entry.folder_signature
        if entry.kind != "bundle" or before is None:
            return False
        for other_tree, other in self._arrived().get(before[:2], ()):
            if other.rel == entry.rel and other_tree is tree:
                continue
            now = other.folder_signature
            same_file = (
                other.last_signature is not None and other.last_signature[:4] == (entry.last_signature or ())[:4]
            )
            if same_file or (now is not None and now[2] == before[2]):
                return True
        return False

    def _arrived(self) -> dict[tuple[int, int], list[tuple[RootTree, FileEntry]]]:
        if self._arrivals is None:
            self._arrivals = {}
            for tree in self.trees:
                for entry in tree.entries.values():
                    if entry.folder_signature is not None and entry.trouble is None and entry.signature is not None:
                        self._arrivals.setdefault(entry.folder_signature[:2], []).append((tree, entry))
        return self._arrivals

    # Refused permissions.

    def _refused(self, tree: RootTree, entry: FileEntry) -> None:
        until = entry.trouble_since + REFUSED_AFTER
        if self.now >= until:
            self._show(tree, entry, trouble_outcome(tree, entry), settled=False)
            self.look_again(self.now + RETRY_AFTER)
            return
        self._incomplete("failed", f"permission to read {_where(tree, entry)} is refused")
        self.look_again(until)

    def _root_is_fact(self, tree: RootTree) -> bool:
        root = printable(tree.spec.path)
        if tree.presence == "failed":
            self._incomplete("failed", f"{root} cannot be read: {tree.detail}")
            self.look_again(self.now + RETRY_AFTER)
            return False
        assert tree.refused_since is not None
        until = tree.refused_since + REFUSED_AFTER
        if self.now < until:
            self._incomplete("failed", f"permission to read {root} is refused")
            self.look_again(until)
            return False
        for entry in list(tree.entries.values()):
            tree.drop(entry)
        tree.forget_listing()
        self.look_again(self.now + RETRY_AFTER)
        return True

    # Results.

    def _show(self, tree: RootTree, entry: FileEntry, outcome: Outcome, *, settled: bool = True) -> None:
        if entry.shown != outcome:
            entry.shown = outcome
            tree.revision += 1
        if settled:
            tree.unsettled.discard(entry)

    def _incomplete(self, kind: IncompleteKind, message: str) -> None:
        self.reasons.append(IncompleteReason(self.provider, kind, message))

    def _in_flight(self, tree: RootTree, entries: list[FileEntry], one: str, many: str) -> None:
        if entries:
            first = _where(tree, min(entries, key=lambda entry: entry.key))
            rest = len(entries) - 1
            self._incomplete("in-flight", f"{first} {one}" if rest == 0 else f"{first} and {rest} more {many}")


def _where(tree: RootTree, entry: FileEntry) -> str:
    return printable(tree.path_of(entry.rel))


def _offered(entry: FileEntry) -> bool:
    return entry.shown is not None and entry.shown.candidate is not None
