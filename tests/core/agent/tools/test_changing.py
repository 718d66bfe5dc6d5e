"""`write` and `edit`: in one step, keeping what a file is, and never over somebody else's change."""

from __future__ import annotations

import asyncio
import os
import stat
from pathlib import Path

import pytest

from skills_core.agent.tools import text_file
from tests.core.agent.tools.support import Workshop


async def test_writes_a_new_file_with_its_folders_and_reports_it(workshop: Workshop) -> None:
    outcome = await workshop.call("write", path="a/b/c.txt", content="one\ntwo\n")
    assert outcome.text == "Created a/b/c.txt (2 lines)."
    assert (workshop.cwd / "a/b/c.txt").read_text() == "one\ntwo\n"
    assert workshop.reports.paths == [str(workshop.cwd / "a/b/c.txt")]
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE((workshop.cwd / "a/b/c.txt").stat().st_mode) == 0o666 & ~mask


async def test_replaces_a_file_in_one_step_and_keeps_its_mode(workshop: Workshop) -> None:
    path = workshop.cwd / "run.sh"
    path.write_text("old\n")
    path.chmod(0o750)
    inode = path.stat().st_ino
    outcome = await workshop.call("write", path="run.sh", content="new\n")
    assert outcome.text == "Changed run.sh (1 line)."
    assert path.read_text() == "new\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o750
    assert path.stat().st_ino != inode
    assert os.listdir(workshop.cwd) == ["run.sh"]
    assert outcome.details == {"path": str(path), "created": False, "added": 1, "removed": 1}


async def test_a_failed_replacement_leaves_the_old_file_and_no_other(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = workshop.cwd / "a.txt"
    path.write_text("old\n")

    def full(handle: int, data: bytes) -> None:
        os.write(handle, data[:1])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(text_file, "_write_all", full)
    assert "no space left" in await workshop.fails("write", path="a.txt", content="new\n")
    assert path.read_text() == "old\n"
    assert os.listdir(workshop.cwd) == ["a.txt"]
    assert workshop.reports.paths == []


@pytest.mark.parametrize("tool", ["write", "edit"])
async def test_line_ends_and_byte_order_mark_are_kept(workshop: Workshop, tool: str) -> None:
    path = workshop.cwd / "dos.txt"
    path.write_bytes(b"\xef\xbb\xbfone\r\ntwo\r\nthree\r\n")
    if tool == "write":
        await workshop.call("write", path="dos.txt", content="one\n2\n3\nthree\n")
    else:
        await workshop.call("edit", path="dos.txt", old_text="one\ntwo\n", new_text="one\n2\n3\n")
    assert path.read_bytes() == b"\xef\xbb\xbfone\r\n2\r\n3\r\nthree\r\n"


async def test_mixed_line_ends_stay_as_they_are(workshop: Workshop) -> None:
    path = workshop.cwd / "mixed.txt"
    path.write_bytes(b"a\r\nb\nc\r\n")
    await workshop.call("edit", path="mixed.txt", old_text="b", new_text="x\ny")
    assert path.read_bytes() == b"a\r\nx\ny\nc\r\n"
    await workshop.call("edit", path="mixed.txt", old_text="a\nx", new_text="1\n2")
    assert path.read_bytes() == b"1\r\n2\ny\nc\r\n"


async def test_edit_replaces_once_or_everywhere(workshop: Workshop) -> None:
    path = workshop.cwd / "a.txt"
    path.write_text("x = 1\ny = 1\n")
    assert "occurs 2 times" in await workshop.fails("edit", path="a.txt", old_text="1", new_text="2")
    assert path.read_text() == "x = 1\ny = 1\n"
    await workshop.call("edit", path="a.txt", old_text="1", new_text="2", replace_all=True)
    assert path.read_text() == "x = 2\ny = 2\n"
    await workshop.call("edit", path="a.txt", old_text="y = 2", new_text="")
    assert path.read_text() == "x = 2\n\n"


async def test_edit_faults_are_clear(workshop: Workshop) -> None:
    (workshop.cwd / "a.txt").write_text("text\n")
    (workshop.cwd / "latin").write_bytes(b"caf\xe9\n")
    assert "does not occur" in await workshop.fails("edit", path="a.txt", old_text="none", new_text="x")
    assert "use `write`" in await workshop.fails("edit", path="a.txt", old_text="", new_text="x")
    assert "are the same" in await workshop.fails("edit", path="a.txt", old_text="x", new_text="x")
    assert "there is no such file" in await workshop.fails("edit", path="none", old_text="x", new_text="y")
    assert "not UTF-8 text (byte 3)" in await workshop.fails("edit", path="latin", old_text="c", new_text="y")
    assert "this is a folder" in await workshop.fails("edit", path="..", old_text="c", new_text="y")
    assert "`new_text` is missing" in await workshop.fails("edit", path="a.txt", old_text="x")
    assert workshop.reports.paths == []


async def test_write_faults_are_clear(workshop: Workshop) -> None:
    (workshop.cwd / "a.txt").write_text("text\n")
    os.mkfifo(workshop.cwd / "pipe")
    assert "this is a folder" in await workshop.fails("write", path=".", content="x")
    assert "not a regular file" in await workshop.fails("write", path="pipe", content="x")
    assert "a part of the path is a file" in await workshop.fails("write", path="a.txt/b", content="x")
    assert "`content` is missing" in await workshop.fails("write", path="b.txt")


@pytest.mark.parametrize("tool", ["write", "edit"])
async def test_refused_when_the_file_changed_since_it_was_read(workshop: Workshop, tool: str) -> None:
    path = workshop.cwd / "a.txt"
    path.write_text("one\n")
    arguments = {"content": "two\n"} if tool == "write" else {"old_text": "one", "new_text": "two"}
    await workshop.call("read", path="a.txt")
    path.write_text("a change by another\n")
    assert "changed since it was read" in await workshop.fails(tool, path="a.txt", **arguments)
    assert path.read_text() == "a change by another\n"
    path.write_text("one more\n")
    await workshop.call("read", path="a.txt")
    assert not (await workshop.call(tool, path="a.txt", **arguments)).is_error
    assert not (await workshop.call("write", path="a.txt", content="three\n")).is_error


async def test_refused_when_the_file_changed_while_the_question_was_open(workshop: Workshop) -> None:
    path = workshop.cwd / "a.txt"
    path.write_text("one\n")
    context, arguments = workshop.context(), {"path": "a.txt", "content": "two\n"}
    assert await workshop.question("write", context, **arguments)
    path.write_text("one by someone else\n")
    outcome = await workshop.tools["write"].run(arguments, context)
    assert "changed while the question was open" in outcome.text
    assert path.read_text() == "one by someone else\n"
    fresh, arguments = workshop.context(), {"path": "new.txt", "content": "two\n"}
    assert await workshop.question("write", fresh, **arguments)
    (workshop.cwd / "new.txt").write_text("someone was first\n")
    assert (await workshop.tools["write"].run(arguments, fresh)).is_error


async def test_a_link_is_followed_and_stays_a_link(workshop: Workshop) -> None:
    target = workshop.outside / "real.txt"
    target.write_text("one\n")
    (workshop.cwd / "link.txt").symlink_to(target)
    question = await workshop.question("write", path="link.txt", content="two\n")
    assert question is not None
    assert str(target) in question.summary
    await workshop.call("write", path="link.txt", content="two\n")
    assert target.read_text() == "two\n"
    assert (workshop.cwd / "link.txt").is_symlink()
    assert workshop.reports.paths == [str(workshop.cwd / "link.txt")]
    (workshop.cwd / "loop").symlink_to("loop")
    assert "loop" in await workshop.fails("write", path="loop", content="x")


async def test_questions_show_what_would_change(workshop: Workshop) -> None:
    (workshop.cwd / "a.txt").write_text("one\ntwo\nthree\n")
    created = await workshop.question("write", path="new.txt", content="hello\n")
    assert created is not None
    assert (created.tool, created.summary, created.detail) == ("write", "Create new.txt", "hello\n")
    edited = await workshop.question("edit", path="a.txt", old_text="two", new_text="2")
    assert edited is not None
    assert (edited.tool, edited.summary) == ("edit", "Edit a.txt")
    assert edited.detail.splitlines()[:2] == ["--- a.txt", "+++ a.txt"]
    assert "-two" in edited.detail.splitlines()
    assert "+2" in edited.detail.splitlines()
    long = await workshop.question("write", path="a.txt", content="line\n" * 50_000)
    assert long is not None
    assert long.summary == "Overwrite a.txt"
    assert len(long.detail) < 21_000


async def test_a_call_that_must_fail_asks_nothing(workshop: Workshop) -> None:
    assert await workshop.question("edit", path="none", old_text="x", new_text="y") is None
    assert await workshop.question("write", path=".", content="x") is None
    assert await workshop.question("write", path=7, content="x") is None


async def test_a_file_that_is_read_only_is_left_alone(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    (workshop.cwd / "a.txt").write_text("one\n")
    monkeypatch.setattr(text_file.os, "access", lambda path, mode, **kind: False)
    assert "read-only" in await workshop.fails("write", path="a.txt", content="two\n")
    assert (workshop.cwd / "a.txt").read_text() == "one\n"


async def test_a_cancelled_write_is_whole_and_reported(workshop: Workshop) -> None:
    """The change and its report belong together: cancelling in between leaves no skill unnoticed."""
    context = workshop.context()
    await workshop.question("write", context, path="a.txt", content="x\n")
    running = asyncio.ensure_future(workshop.tools["write"].run({"path": "a.txt", "content": "x\n"}, context))
    await asyncio.sleep(0)
    running.cancel()
    outcome = await asyncio.wait_for(running, 10)
    assert not outcome.is_error
    assert (workshop.cwd / "a.txt").read_text() == "x\n"
    assert workshop.reports.paths == [str(workshop.cwd / "a.txt")]


async def test_a_report_that_fails_harms_nothing(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fails(path: str) -> bool:
        raise RuntimeError("no watcher")

    monkeypatch.setattr(workshop.reports, "report_change", fails)
    assert not (await workshop.call("write", path="a.txt", content="x\n")).is_error
    assert Path(workshop.cwd / "a.txt").exists()


@pytest.mark.parametrize("tool", ["write", "edit"])
async def test_questions_tell_what_reaches_beyond_the_project(workshop: Workshop, tool: str) -> None:
    for folder in (workshop.cwd, workshop.outside):
        (folder / "a.txt").write_text("one\n")
    (workshop.cwd / "out").symlink_to(workshop.outside)
    arguments = {"content": "two\n"} if tool == "write" else {"old_text": "one", "new_text": "two"}
    within = await workshop.question(tool, path="a.txt", **arguments)
    assert within is not None
    assert not within.outside
    for path in (str(workshop.outside / "a.txt"), "out/a.txt"):
        beyond = await workshop.question(tool, path=path, **arguments)
        assert beyond is not None
        assert beyond.outside
        assert beyond.summary.endswith(" outside the project")
