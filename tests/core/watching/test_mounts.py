from __future__ import annotations

from skills_core.filesystem.watching.mounts import parse_mounts, read_mounts, silent_folders

MOUNTINFO = """\
21 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
30 21 0:30 / /mnt/c rw,noatime - 9p C:\\134 rw,dirsync
31 21 0:31 / /home/u/with\\040space rw - fuse.sshfs u@host: rw
32 31 254:1 / /home/u/with\\040space/local rw - xfs /dev/vdb rw
33 21 0:33 / /over rw - nfs4 host:/x rw
34 21 254:2 / /over rw - ext4 /dev/vdc rw
35 21 0:35 / /key rw - fuse.gocryptfs /enc rw
not a line of this file
"""


def test_types_by_mount_point_with_escapes_read():
    assert parse_mounts(MOUNTINFO) == {
        "/": "ext4",
        "/mnt/c": "9p",
        "/home/u/with space": "fuse.sshfs",
        "/home/u/with space/local": "xfs",
        "/over": "ext4",
        "/key": "fuse.gocryptfs",
    }


def test_folders_on_silent_file_systems_are_found_by_their_nearest_mount():
    folders = {
        "/mnt/c",
        "/mnt/c/work/skills",
        "/mnt/cc/skills",
        "/home/u/with space/a",
        "/home/u/with space/local/a",
        "/over/a",
        "/key/a",
        "/",
    }
    assert silent_folders(folders, parse_mounts(MOUNTINFO)) == {
        "/mnt/c": "9p",
        "/mnt/c/work/skills": "9p",
        "/home/u/with space/a": "fuse.sshfs",
    }


def test_this_systems_own_mounts_can_be_read():
    mounts = read_mounts()
    assert "/" in mounts and "/proc" in mounts
