"""Looking for SKILL.md files deeper than discovery offers, in bounds."""

from __future__ import annotations

import os
from collections.abc import Iterator

from skills_core.filesystem.opening import FOLDER_FLAGS
from skills_core.filesystem.settings import DISCOVERY_DEPTH_MAX
from skills_core.filesystem.signature import may_have_changed_since
from skills_core.filesystem.tree import SKILL_FILE, Below, FolderSignature

_NEVER = frozenset({"node_modules", "__pycache__"})


def is_walkable(name: str) -> bool:
    """Whether a folder of this name is looked into at all."""
    return not name.startswith(".") and name not in _NEVER


def folder_signature(status: os.stat_result) -> FolderSignature:
    """The signature of a folder in a stat result."""
    return (status.st_dev, status.st_ino, status.st_mtime_ns, status.st_ctime_ns)


def look_below(root_fd: int, rel: str, depth: int, budget: int, root: tuple[int, int], moment_ns: int) -> Below:
    """Walks the folders below ``rel``, which lies ``depth`` folders deep, without following links.

    Finds SKILL.md files down to the greatest depth that a setting can offer. ``budget`` bounds the folders; ``walked``
    above it means that there are more. What cannot be read is left out. ``moment_ns`` is the file clock's time before
    the walk: ``unsure`` says that a listing may be outdated already.
    """
    found: list[str] = []
    folders: list[tuple[str, FolderSignature]] = []
    walked = 0
    unsure = False
    queue = list(_subfolders(root_fd, rel, depth))
    while queue:
        path, level = queue.pop(0)
        if walked >= budget:
            walked += 1
            break
        try:
            signature = folder_signature(os.stat(path, dir_fd=root_fd, follow_symlinks=False))
        except OSError:
            continue
        if signature[:2] == root:
            continue
        walked += 1
        folders.append((path, signature))
        unsure = unsure or may_have_changed_since(signature[3], moment_ns)
        if _holds_skill_file(root_fd, path):
            found.append(f"{path}/{SKILL_FILE}")
        queue.extend(_subfolders(root_fd, path, level))
    return Below(tuple(found), tuple(folders), walked, unsure)


def only_found(below: Below) -> Below:
    """Keeps only the folders on the way to what was found: what else a bundle holds is its own affair."""
    on_the_way = {path[:end] for path in below.found for end in range(len(path)) if path[end] == "/"}
    folders = tuple(folder for folder in below.folders if folder[0] in on_the_way)
    return Below(below.found, folders, below.walked, below.unsure)


def same_below(root_fd: int, below: Below) -> bool:
    """Whether the folders that were looked at are as they were."""
    try:
        for path, signature in below.folders:
            if folder_signature(os.stat(path, dir_fd=root_fd, follow_symlinks=False)) != signature:
                return False
    except OSError:
        return False
    return not below.unsure


def scan(root_fd: int, rel: str) -> Iterator[os.DirEntry[str]]:
    """The entries of a folder given relative to an open root. Raises OSError."""
    descriptor = os.open(rel, FOLDER_FLAGS, dir_fd=root_fd)
    try:
        with os.scandir(descriptor) as listing:
            yield from listing
    finally:
        os.close(descriptor)


def _subfolders(root_fd: int, rel: str, depth: int) -> list[tuple[str, int]]:
    if depth >= DISCOVERY_DEPTH_MAX:
        return []
    try:
        return sorted(
            (f"{rel}/{item.name}", depth + 1)
            for item in scan(root_fd, rel)
            if is_walkable(item.name) and item.is_dir(follow_symlinks=False)
        )
    except OSError:
        return []


def _holds_skill_file(root_fd: int, rel: str) -> bool:
    try:
        os.stat(f"{rel}/{SKILL_FILE}", dir_fd=root_fd, follow_symlinks=False)
    except OSError:
        return False
    return True
