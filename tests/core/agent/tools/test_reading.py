"""`read` and `list`: bounds, kinds of files, and what needs a question."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from skills_core.agent.tools.paths import is_inside
from skills_core.agent.tools.readable_folders import ReadableFolders
from tests.core.agent.tools.support import Workshop


async def test_reads_a_file_relative_to_the_working_folder(workshop: Workshop) -> None:
    (workshop.cwd / "a.txt").write_text("one\ntwo\n")
    outcome = await workshop.call("read", path="a.txt")
    assert (outcome.text, outcome.is_error) == ("one\ntwo", False)
    assert outcome.details is not None
    assert outcome.details["lines"] == 2
    assert (await workshop.call("read", path="../sub/./a.txt")).text == "one\ntwo"


async def test_reads_a_part_and_says_what_was_left_out(workshop: Workshop) -> None:
    (workshop.cwd / "a.txt").write_text("".join(f"line {n}\n" for n in range(1, 5001)))
    first = (await workshop.call("read", path="a.txt")).text
    assert first.endswith("line 2000\n[lines 1 to 2000 of 5000; go on with offset 2001]")
    middle = (await workshop.call("read", path="a.txt", offset=4999, limit=2)).text
    assert middle == "line 4999\nline 5000\n[lines 4999 to 5000 of 5000]"
    assert (await workshop.call("read", path="a.txt", offset=6000)).text == "[the file has only 5,000 lines]"


async def test_long_lines_and_long_files_are_bounded(workshop: Workshop) -> None:
    (workshop.cwd / "wide.txt").write_text("x" * 100_000 + "\nend\n")
    text = (await workshop.call("read", path="wide.txt")).text
    assert text.endswith("end\n[1 long line cut at 4,000 characters]")
    (workshop.cwd / "many.txt").write_text(("y" * 1000 + "\n") * 500)
    text = (await workshop.call("read", path="many.txt")).text
    assert len(text) < 51_000
    assert "go on with offset 50" in text


async def test_an_empty_file_says_so(workshop: Workshop) -> None:
    (workshop.cwd / "a.txt").touch()
    assert (await workshop.call("read", path="a.txt")).text == "[the file is empty]"


async def test_what_is_no_text_file_is_a_clear_error(workshop: Workshop) -> None:
    (workshop.cwd / "binary").write_bytes(b"a\0b")
    os.mkfifo(workshop.cwd / "pipe")
    (workshop.cwd / "large").touch()
    os.truncate(workshop.cwd / "large", 1 << 30)
    assert "there is no file none.txt" in await workshop.fails("read", path="none.txt")
    assert "this is a binary file" in await workshop.fails("read", path="binary")
    assert "not a regular file" in await workshop.fails("read", path="pipe")
    assert "too large" in await workshop.fails("read", path="large")
    assert "this is a folder. Use `list` for it." in await workshop.fails("read", path=".")
    assert "a part of the path is a file" in await workshop.fails("read", path="binary/x")
    assert "`path` is missing" in await workshop.fails("read")
    assert "`path` must be a text" in await workshop.fails("read", path=7)
    assert "NUL" in await workshop.fails("read", path="a\0b")
    assert "`offset` must be a whole number" in await workshop.fails("read", path="binary", offset="two")


async def test_bytes_that_are_not_utf8_are_shown_as_far_as_possible(workshop: Workshop) -> None:
    (workshop.cwd / "latin").write_bytes(b"caf\xe9\n")
    assert (await workshop.call("read", path="latin")).text == "caf\ufffd"


@pytest.mark.parametrize("tool", ["read", "list", "search"])
async def test_inside_the_project_there_is_no_question_and_outside_there_is(workshop: Workshop, tool: str) -> None:
    (workshop.outside / "secret.txt").write_text("s")
    (workshop.cwd / "out").symlink_to(workshop.outside)
    (workshop.cwd / "file").symlink_to(workshop.outside / "secret.txt")
    (workshop.project.parent / "project-two").mkdir()
    assert await workshop.question(tool, path="a.txt", pattern="x") is None
    assert await workshop.question(tool, path="..", pattern="x") is None
    beyond = ("../..", str(workshop.outside), "out", "out/secret.txt", "file", "/etc/passwd", "../../project-two", "~")
    for path in beyond:
        question = await workshop.question(tool, path=path, pattern="x")
        assert question is not None, path
        assert question.tool == tool
        assert "outside the project" in question.summary
    leading = await workshop.question(tool, path="out/secret.txt", pattern="x")
    assert leading is not None
    assert str(workshop.outside / "secret.txt") in leading.detail


async def test_a_project_that_is_itself_reached_by_a_link(tmp_path: Path, workshop: Workshop) -> None:
    (tmp_path / "alias").symlink_to(workshop.project)
    folders = ReadableFolders(str(tmp_path / "alias"))
    assert folders.holds(str(workshop.cwd / "a.txt"))
    assert folders.holds(str(tmp_path / "alias" / "sub" / "a.txt"))
    assert not folders.holds(str(workshop.outside))


def test_a_folder_whose_name_begins_like_another_is_not_inside() -> None:
    assert is_inside("/a/b", "/a/b")
    assert is_inside("/a/b/c", "/a/b")
    assert not is_inside("/a/bc", "/a/b")
    assert is_inside("/a", "/")


async def test_lists_a_folder(workshop: Workshop) -> None:
    (workshop.cwd / "b.txt").touch()
    (workshop.cwd / "folder").mkdir()
    (workshop.cwd / "link").symlink_to("b.txt")
    (workshop.cwd / "new\nline").touch()
    assert (await workshop.call("list")).text == "b.txt\nfolder/\nlink -> b.txt\nnew\\nline"
    assert (await workshop.call("list", path="folder")).text == "[the folder is empty]"
    assert "there is no folder none" in await workshop.fails("list", path="none")
    assert "use `read` for it" in await workshop.fails("list", path="b.txt")


async def test_a_long_list_is_bounded(workshop: Workshop) -> None:
    for number in range(1005):
        (workshop.cwd / f"{number:04}").touch()
    text = (await workshop.call("list")).text
    assert text.endswith("0999\n[5 entries left out]")


def test_titles_are_one_line(workshop: Workshop) -> None:
    assert workshop.tools["read"].title({"path": "a\nb"}) == "Read a b"
    assert workshop.tools["list"].title({}) == "List ."
    assert workshop.tools["search"].title({"pattern": "x", "path": "y"}) == "Search x in y"
    assert workshop.tools["shell"].title({"command": "ls\n-l"}) == "$ ls -l"
    assert workshop.tools["write"].title({}) == "Write"
    assert len(workshop.tools["edit"].title({"path": "x" * 1000})) <= 160
