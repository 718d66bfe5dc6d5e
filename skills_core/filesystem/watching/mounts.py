"""Which folders lie on a file system that does not report the changes made elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterable

_SILENT_TYPES = frozenset(
    (
        *("9p", "v9fs", "drvfs", "virtiofs", "vboxsf", "vmhgfs", "prl_fs", "fakeowner"),
        *("nfs", "nfs4", "cifs", "smb3", "smbfs", "ncpfs", "afs", "ceph", "glusterfs", "lustre", "gfs2", "ocfs2"),
        *("fuse.sshfs", "fuse.rclone", "fuse.s3fs", "fuse.gcsfuse", "fuse.glusterfs", "fuse.gvfsd-fuse"),
        *("fuse.grpcfuse", "fuse.osxfs", "fuse.vmhgfs-fuse"),
    )
)
_OCTAL = re.compile(r"\\([0-7]{3})")


def read_mounts() -> dict[str, str]:
    """Mount point → file system type of this process, read now; empty where the system has no such list."""
    try:
        with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as file:
            return parse_mounts(file.read())
    except OSError:
        return {}


def parse_mounts(text: str) -> dict[str, str]:
    """Reads the text of a ``mountinfo`` file. The later of two mounts on one point covers the earlier."""
    mounts: dict[str, str] = {}
    for line in text.splitlines():
        before, separator, after = line.partition(" - ")
        fields = before.split(" ")
        if separator and len(fields) > 4 and after:
            point = _OCTAL.sub(lambda match: chr(int(match[1], 8)), fields[4])
            mounts[point] = after.split(" ", 1)[0]
    return mounts


def silent_folders(folders: Iterable[str], mounts: dict[str, str]) -> dict[str, str]:
    """Those of the absolute ``folders`` that lie on a silent file system → its type."""
    silent_points = {point for point, kind in mounts.items() if kind in _SILENT_TYPES}
    if not silent_points:
        return {}
    found: dict[str, str] = {}
    for folder in folders:
        point = _mount_point(folder, mounts)
        if point in silent_points:
            found[folder] = mounts[point]
    return found


def _mount_point(folder: str, mounts: dict[str, str]) -> str | None:
    path = folder
    while path not in mounts:
        parent = path.rpartition("/")[0] or "/"
        if parent == path:
            return None
        path = parent
    return path
