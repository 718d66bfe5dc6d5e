"""Opening one file: never blocked, never past a limit, never outside where that is forbidden."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from skills_core.filesystem import opening
from skills_core.filesystem.opening import FileTroubleError, open_file


def trouble(path: Path, *, confined: bool = False) -> FileTroubleError:
    with pytest.raises(FileTroubleError) as caught:
        open_file(str(path), confined=confined).close()
    return caught.value


def test_a_regular_file_is_read_up_to_the_limit(tmp_path: Path):
    path = tmp_path / "file"
    path.write_bytes(b"0123456789")
    file = open_file(str(path), confined=True)
    try:
        assert (file.size, file.link, file.real_path) == (10, False, None)
        assert file.read(4) == b"0123"
        assert file.read_on(b"0123", 8) == b"01234567"
        assert file.unchanged()
        path.write_bytes(b"other")
        assert not file.unchanged()
    finally:
        file.close()


def test_relative_to_an_open_folder(tmp_path: Path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "f").write_bytes(b"x")
    folder = os.open(tmp_path, os.O_RDONLY)
    file = open_file(str(tmp_path / "a" / "f"), confined=True, dir_fd=folder, rel="a/f")
    assert file.read(5) == b"x"
    file.close()
    os.close(folder)


@pytest.mark.timeout(10)
def test_special_files_are_refused_without_blocking(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "zero").symlink_to("/dev/zero")
    os.chdir(tmp_path)  # a socket's path must be short
    server = socket.socket(socket.AF_UNIX)
    server.bind("socket")
    for name, words in [("pipe", "a named pipe"), ("folder", "a folder"), ("zero", "a device"), ("socket", "")]:
        error = trouble(tmp_path / name)
        assert error.trouble == "not-regular", name
        assert words in error.detail
    server.close()


def test_what_is_not_there(tmp_path: Path):
    assert trouble(tmp_path / "nothing").trouble == "gone"
    (tmp_path / "file").write_text("")
    assert trouble(tmp_path / "file" / "below").trouble == "gone"


def test_links_that_lead_nowhere(tmp_path: Path):
    (tmp_path / "dangling").symlink_to("nothing")
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    assert trouble(tmp_path / "dangling").trouble == "dangling-link"
    assert trouble(tmp_path / "a").trouble == "link-loop"


def test_a_link_out_of_its_folder_is_refused_only_when_confined(tmp_path: Path):
    (tmp_path / "secret").write_text("s")
    folder = tmp_path / "skill"
    folder.mkdir()
    (folder / "out").symlink_to("../secret")
    (folder / "real").write_text("r")
    (folder / "in").symlink_to("real")
    error = trouble(folder / "out", confined=True)
    assert error.trouble == "link-outside"
    for name, target in [("out", tmp_path / "secret"), ("in", folder / "real")]:
        file = open_file(str(folder / name), confined=name == "in")
        assert file.link and file.real_path == str(target.resolve())
        file.close()


def test_a_folder_whose_name_begins_alike_is_outside(tmp_path: Path):
    (tmp_path / "skill").mkdir()
    (tmp_path / "skill-other").mkdir()
    (tmp_path / "skill-other" / "f").write_text("s")
    (tmp_path / "skill" / "f").symlink_to("../skill-other/f")
    assert trouble(tmp_path / "skill" / "f", confined=True).trouble == "link-outside"


def test_the_file_that_was_opened_decides_not_where_the_link_leads_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "secret").write_text("s")
    folder = tmp_path / "skill"
    folder.mkdir()
    (folder / "good").write_text("g")
    link = folder / "SKILL.md"
    link.symlink_to("../secret")
    open_through = opening._open_through_link

    def swap_after(path: str, dir_fd: int | None) -> int:
        descriptor = open_through(path, dir_fd)
        link.unlink()
        link.symlink_to("good")
        return descriptor

    monkeypatch.setattr(opening, "_open_through_link", swap_after)
    assert trouble(link, confined=True).trouble == "link-outside"


def test_without_the_process_folder_the_real_path_must_be_the_opened_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "secret").write_text("s")
    folder = tmp_path / "skill"
    folder.mkdir()
    (folder / "good").write_text("g")
    link = folder / "SKILL.md"
    link.symlink_to("../secret")
    open_through = opening._open_through_link

    def swap_after(path: str, dir_fd: int | None) -> int:
        descriptor = open_through(path, dir_fd)
        link.unlink()
        link.symlink_to("good")
        return descriptor

    really = os.readlink

    def unavailable(path: str) -> str:
        if path.startswith("/proc/"):
            raise FileNotFoundError(path)
        return really(path)

    monkeypatch.setattr(opening, "_open_through_link", swap_after)
    monkeypatch.setattr(opening.os, "readlink", unavailable)
    assert trouble(link, confined=True).trouble == "link-outside"
