"""Opening a log that a crash, a full disk or a stranger has damaged."""

from __future__ import annotations

from pathlib import Path

import pytest

from skills_core.session.codec import encode_event
from skills_core.session.event import NOTICE, user_message
from tests.core.session.logs import ID, log_bytes, make_store, place_log, texts, words

WHOLE = log_bytes(words(3))
FIRST_LINES = len(log_bytes(words(2)))


@pytest.mark.parametrize("size", range(FIRST_LINES + 1, len(WHOLE) - 1))
async def test_a_torn_last_record_is_cut_off_kept_aside_and_told(tmp_path: Path, size: int) -> None:
    path = place_log(tmp_path, WHOLE[:size])
    session = await make_store(tmp_path).open(ID)
    assert [event.seq for event in session.events] == [1, 2, 3]
    notice = session.events[-1]
    assert notice.type == NOTICE and notice.data["level"] == "warning"
    assert f"{size - FIRST_LINES} byte" in notice.data["text"]
    aside = path.with_name(f"{path.name}.damaged")
    assert aside.read_bytes() == WHOLE[FIRST_LINES:size] + b"\n"
    assert oct(aside.stat().st_mode)[-3:] == "600"
    await session.append(user_message("next"))
    await session.aclose()
    again = await make_store(tmp_path).open(ID)
    assert again.damage == () and list(again.events) == list(session.events)
    assert path.read_bytes().startswith(WHOLE[:FIRST_LINES])
    await again.aclose()


async def test_a_last_record_that_lacks_only_its_line_end_is_kept(tmp_path: Path) -> None:
    path = place_log(tmp_path, WHOLE[:-1])
    session = await make_store(tmp_path).open(ID)
    assert texts(session) == ["message 1", "message 2", "message 3"]
    assert path.read_bytes() == WHOLE[:-1]
    await session.append(user_message("message 4"))
    await session.aclose()
    assert path.read_bytes().startswith(WHOLE + b'{"seq":4')
    read = await make_store(tmp_path).read(ID)
    assert read.damage == () and texts(read)[-1] == "message 4"


async def test_a_damaged_middle_is_told_once_and_its_bytes_stay(tmp_path: Path) -> None:
    lines = WHOLE.splitlines(keepends=True)
    lines[2] = b"\x00\x00spoilt\xff\n"
    path = place_log(tmp_path, b"".join(lines))
    store = make_store(tmp_path)
    session = await store.open(ID)
    assert [event.seq for event in session.events] == [1, 3, 4]
    assert [each.line for each in session.damage] == [3]
    notice = session.events[-1]
    assert notice.type == NOTICE and "line 3" in notice.data["text"]
    await session.append(user_message("next"))
    await session.aclose()
    again = await store.open(ID)
    assert [each.line for each in again.damage] == [3]
    assert sum(event.type == NOTICE for event in again.events) == 1
    await again.aclose()
    assert path.read_bytes().startswith(b"".join(lines))
    # New damage is told again.
    grown = path.read_bytes().splitlines(keepends=True)
    grown[-1] = b"more of it\n"
    path.write_bytes(b"".join(grown))
    third = await store.open(ID)
    assert "line 6" in third.events[-1].data["text"] and "line 3" not in third.events[-1].data["text"]
    await third.aclose()


async def test_many_damaged_lines_are_told_in_one_notice_of_bounded_length(tmp_path: Path) -> None:
    lines = log_bytes(words(100)).splitlines(keepends=True)
    place_log(tmp_path, b"".join(b"x\n" if 0 < at < 90 else line for at, line in enumerate(lines)))
    session = await make_store(tmp_path).open(ID)
    assert len(session.damage) == 89 and len(session.events) == 12
    text = session.events[-1].data["text"]
    assert "and 84 more" in text and len(text) < 500
    await session.aclose()


async def test_a_lost_header_is_made_up_for(tmp_path: Path) -> None:
    store = make_store(tmp_path)
    neighbour = await store.create(str(tmp_path))
    await neighbour.append(user_message("x"))
    await neighbour.aclose()
    assert neighbour.path is not None
    path = neighbour.path.with_name(f"{ID}.jsonl")
    path.write_bytes(b"\x00 no header\n" + b"".join(map(encode_event, words(2))))
    session = await store.open(ID)
    assert (session.id, session.header.cwd) == (ID, str(tmp_path))
    assert texts(session)[:2] == ["message 1", "message 2"]
    assert [each.line for each in session.damage] == [1]
    await session.aclose()


@pytest.mark.parametrize("data", [b"", b'{"type":"sess', b"\x00" * 100])
async def test_a_log_that_never_got_its_first_line_opens(tmp_path: Path, data: bytes) -> None:
    path = place_log(tmp_path, data)
    session = await make_store(tmp_path).open(ID)
    await session.append(user_message("a start"))
    await session.aclose()
    assert path.read_bytes().startswith(b'{"type":"session"')
    read = await make_store(tmp_path).read(ID)
    assert read.damage == () and texts(read)[-1] == "a start"


async def test_a_file_of_anything_opens_and_goes_on(tmp_path: Path) -> None:
    for number, data in enumerate([b"\n\n\n", b"\xff\xfe\x00", b"{}\n[]\nnull\n", WHOLE[::-1], b"\x1b[2J" * 99]):
        path = place_log(tmp_path, data, f"odd{number}")
        session = await make_store(tmp_path).open(f"odd{number}")
        await session.append(user_message("on"))
        await session.aclose()
        read = await make_store(tmp_path).read(f"odd{number}")
        assert texts(read)[-1] == "on"
        kept = path.read_bytes() + (
            path.with_name(f"{path.name}.damaged").read_bytes()
            if path.with_name(f"{path.name}.damaged").exists()
            else b""
        )
        assert all(line in kept for line in data.split(b"\n"))
