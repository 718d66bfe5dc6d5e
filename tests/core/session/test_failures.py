"""Full disks, refused writes and files that vanish: a clear error, and nothing that was written is lost."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from skills_core.session import Session, SessionError, SessionStore
from skills_core.session import log_file as log_file_module
from skills_core.session.event import PendingEvent, user_message
from tests.core.session.logs import ID, log_bytes, make_store, place_log, texts, words


class Disk:
    """The system call that appends, which takes or refuses what the test says."""

    def __init__(self) -> None:
        self.plan: list[int | OSError] = []

    def __call__(self, fd: int, data: bytes | memoryview) -> int:
        step = self.plan.pop(0) if self.plan else len(data)
        if isinstance(step, OSError):
            raise step
        return os.write(fd, data[:step])


def full() -> OSError:
    return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.fixture
def disk() -> Disk:
    return Disk()


@pytest.fixture
async def session(tmp_path: Path, disk: Disk) -> Session:
    session = await make_store(tmp_path, write=disk).create("/somewhere")
    await session.append(user_message("one"))
    return session


def content(session: Session) -> bytes:
    assert session.path is not None
    return session.path.read_bytes()


@pytest.mark.parametrize("taken", [[], [1], [10, 20]])
async def test_a_full_disk_is_said_and_leaves_the_log_as_it_was(session: Session, disk: Disk, taken: list[int]) -> None:
    before = content(session)
    disk.plan = [*taken, full()]
    with pytest.raises(SessionError, match="disk is full") as caught:
        await session.append(user_message("two"), user_message("three"))
    assert "Free some space" in caught.value.hint
    assert content(session) == before
    assert texts(session) == ["one"]
    (event,) = await session.append(user_message("after there was room"))
    assert event.seq == 2
    await session.aclose()
    assert session.path is not None
    assert texts(await SessionStore(session.path.parent.parent, "1").read(session.id)) == texts(session)


async def test_a_write_that_is_taken_in_parts_is_whole(session: Session, disk: Disk) -> None:
    disk.plan = [5, 7]
    await session.append(user_message("two"))
    await session.aclose()
    assert session.path is not None
    read = await SessionStore(session.path.parent.parent, "1").read(session.id)
    assert read.damage == () and texts(read) == ["one", "two"]


async def test_a_system_that_takes_nothing_more_is_an_error_and_no_endless_loop(session: Session, disk: Disk) -> None:
    before = content(session)
    disk.plan = [5, 0]
    with pytest.raises(SessionError):
        await session.append(user_message("two"))
    assert content(session) == before
    await session.aclose()


async def test_what_cannot_be_taken_back_at_once_is_taken_back_before_the_next_write(
    session: Session, disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = content(session)
    truncate = os.ftruncate
    calls: list[int] = []

    def fail_once(fd: int, size: int) -> None:
        calls.append(size)
        if len(calls) == 1:
            raise OSError(errno.EIO, "broken")
        truncate(fd, size)

    monkeypatch.setattr(log_file_module.os, "ftruncate", fail_once)
    disk.plan = [9, full()]
    with pytest.raises(SessionError):
        await session.append(user_message("two"))
    assert len(content(session)) == len(before) + 9
    # A crash now would leave a torn tail, which opening cuts off; going on takes it back.
    await session.append(user_message("three"))
    await session.aclose()
    assert calls == [len(before), len(before)]
    assert session.path is not None
    read = await SessionStore(session.path.parent.parent, "1").read(session.id)
    assert read.damage == () and texts(read) == ["one", "three"]


@pytest.mark.parametrize("taken", [[], [30]])
async def test_a_full_disk_at_the_first_event_leaves_no_file_and_can_be_tried_again(
    tmp_path: Path, disk: Disk, taken: list[int]
) -> None:
    store = make_store(tmp_path, write=disk)
    session = await store.create("/somewhere")
    disk.plan = [*taken, full()]
    with pytest.raises(SessionError, match="disk is full"):
        await session.append(user_message("one"))
    assert await store.list() == []
    assert session.path is not None
    assert [each.name for each in session.path.parent.iterdir() if each.suffix != ".lock"] == []
    await session.append(user_message("again"))
    await session.aclose()
    assert texts(await store.read(session.id)) == ["again"]


async def test_a_torn_log_opens_on_a_full_disk_and_loses_nothing(tmp_path: Path, disk: Disk) -> None:
    whole = log_bytes(words(3))
    path = place_log(tmp_path, whole[:-20])
    disk.plan = [full(), full()]
    store = make_store(tmp_path, write=disk)
    session = await store.open(ID)
    assert texts(session) == ["message 1", "message 2"]
    await session.append(user_message("after there was room"))
    await session.aclose()
    assert path.read_bytes().startswith(whole[:-20] + b"\n")
    assert texts(await store.read(ID)) == ["message 1", "message 2", "after there was room"]


async def test_a_failed_sync_is_said(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(fd: int) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(log_file_module, "_sync_data", fail)
    with pytest.raises(SessionError, match="Input/output error"):
        await session.sync()
    monkeypatch.undo()
    await session.append(user_message("two"))
    await session.sync()
    await session.aclose()


async def test_a_deleted_file_is_said_instead_of_writing_into_nothing(session: Session) -> None:
    assert session.path is not None
    session.path.unlink()
    with pytest.raises(SessionError, match="deleted") as caught:
        await session.append(user_message("two"))
    assert "memory" in caught.value.hint
    assert texts(session) == ["one"]
    await session.aclose()


@pytest.mark.parametrize("change", [b'{"seq":2}\n', None], ids=["added to", "cut"])
async def test_a_file_that_another_program_changed_is_not_written_over(session: Session, change: bytes | None) -> None:
    assert session.path is not None
    if change is None:
        os.truncate(session.path, 50)
    else:
        with session.path.open("ab") as file:
            file.write(change)
    before = content(session)
    with pytest.raises(SessionError, match="Another program has changed") as caught:
        await session.append(user_message("two"))
    assert "resume" in caught.value.hint
    assert content(session) == before
    await session.aclose()


@pytest.mark.parametrize(
    ("number", "message"),
    [
        (errno.EACCES, "No permission"),
        (errno.EROFS, "No permission"),
        (errno.EDQUOT, "allows no more"),
        (errno.EFBIG, "allows no more"),
        (errno.EIO, "Could not write"),
    ],
)
async def test_each_refusal_has_its_words(session: Session, disk: Disk, number: int, message: str) -> None:
    disk.plan = [OSError(number, os.strerror(number))]
    with pytest.raises(SessionError, match=message) as caught:
        await session.append(user_message("two"))
    assert caught.value.message and caught.value.hint
    await session.aclose()


async def test_a_file_in_the_way_of_the_folder_is_said(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file")
    with pytest.raises(SessionError, match="in the way") as caught:
        await make_store(tmp_path / "state" / "sessions").create("/somewhere")
    assert "SKILLDECK_STATE_DIR" in caught.value.hint


async def test_a_refused_lock_file_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = place_log(tmp_path, log_bytes(words(1)))
    real = os.open

    def refuse(target: object, flags: int, *rest: object, **more: object) -> int:
        if str(target).endswith(".lock") and flags & os.O_CREAT:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(target))
        return real(target, flags, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(SessionError, match="No permission"):
        await make_store(tmp_path).open(ID)
    assert path.read_bytes() == log_bytes(words(1))


async def test_an_event_that_is_too_deep_is_refused_and_the_session_goes_on(session: Session) -> None:
    deep: dict[str, object] = {}
    for _ in range(100_000):
        deep = {"in": deep}
    with pytest.raises(SessionError, match="cannot be stored"):
        await session.append(PendingEvent("notice", deep))
    await session.append(user_message("two"))
    assert texts(session) == ["one", "two"]
    await session.aclose()
    while deep:
        deep = deep.pop("in")  # type: ignore[assignment]
