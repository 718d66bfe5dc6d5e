"""What a list says of each session, read from the two ends of its file."""

from __future__ import annotations

from pathlib import Path

from skills_core.session.codec import encode_event
from skills_core.session.event import PendingEvent, user_message
from tests.core.session.logs import (
    ID,
    TIME,
    assistant,
    log_bytes,
    make_store,
    numbered,
    place_log,
    stored,
    words,
)


async def test_a_list_tells_what_each_session_is(tmp_path: Path) -> None:
    store = make_store(tmp_path / "sessions")
    old = await stored(store, "/one", user_message("first question, please"), assistant("ok", model="big"))
    other = await stored(store, "/two", user_message("elsewhere"))
    named = await stored(store, "/one", user_message("x"), PendingEvent("title", {"title": "A given name"}))
    infos = await store.list("/one")
    assert [info.id for info in infos] == [named, old]
    assert [info.title for info in infos] == ["A given name", "first question, please"]
    assert [(info.events, info.model, info.cwd, info.parent) for info in infos] == [
        (2, None, "/one", None),
        (2, "big", "/one", None),
    ]
    assert infos[1].created < infos[1].updated < infos[0].created
    assert {info.id for info in await store.list()} == {old, other, named}
    assert await store.latest("/one") == named
    assert await store.latest("/two") == other
    assert await store.latest("/three") is None


async def test_the_session_used_last_comes_first(tmp_path: Path) -> None:
    store = make_store(tmp_path)
    old = await stored(store, "/one", user_message("old"))
    await stored(store, "/one", user_message("new"))
    session = await store.open(old)
    await session.append(user_message("used again"))
    await session.aclose()
    assert await store.latest("/one") == old


async def test_a_title_in_the_middle_of_a_large_file_is_found(tmp_path: Path) -> None:
    filler = [user_message("own words" if number == 1 else "x" * 1000) for number in range(1, 1500)]
    for place in (1, 700, 1400):
        pending = [*filler[:place], PendingEvent("title", {"title": f"at {place}"}), *filler[place:]]
        path = place_log(tmp_path, log_bytes(numbered(pending)))
        assert path.stat().st_size > 1_200_000
        (info,) = await make_store(tmp_path).list()
        assert (info.title, info.events) == (f"at {place}", 1500)


async def test_the_newest_title_counts(tmp_path: Path) -> None:
    titles = [PendingEvent("title", {"title": name}) for name in ("old", "new")]
    path = place_log(tmp_path, log_bytes(numbered([*titles, *[user_message("x" * 1000)] * 300])))
    assert path.stat().st_size > 200_000
    (info,) = await make_store(tmp_path).list()
    assert info.title == "new"


async def test_a_title_that_is_only_quoted_is_none(tmp_path: Path) -> None:
    quoted = PendingEvent("tool/result", {"id": "a", "details": {"type": "title", "title": "quoted"}})
    filler = [user_message("x" * 1000)] * 300
    place_log(tmp_path, log_bytes(numbered([user_message("own words"), quoted, *filler])))
    (info,) = await make_store(tmp_path).list()
    assert info.title == "own words"


async def test_a_last_record_larger_than_any_block_is_listed(tmp_path: Path) -> None:
    place_log(tmp_path, log_bytes(numbered([user_message("own words"), user_message("x" * 900_000)])))
    (info,) = await make_store(tmp_path).list()
    assert (info.title, info.events) == ("own words", 2)


async def test_a_list_survives_whatever_lies_in_the_folder(tmp_path: Path) -> None:
    place_log(tmp_path, log_bytes(words(3)))
    folder = place_log(tmp_path, b"", "empty").parent
    place_log(tmp_path, b"\x00\xff garbage\n\n{}\n", "garbage")
    place_log(tmp_path, log_bytes(words(3))[:-20], "torn")
    place_log(tmp_path, b"broken header\n" + b"".join(map(encode_event, words(2))), "headless")
    (folder / "notes.txt").write_text("not a session")
    (folder / "dangling.jsonl").symlink_to(folder / "nowhere")
    (folder / "folder.jsonl").mkdir()
    (tmp_path / "a file").write_text("")
    infos = {info.id: info for info in await make_store(tmp_path).list()}
    assert set(infos) == {ID, "torn", "headless"}
    assert infos["torn"].events == 2
    assert (infos["headless"].title, infos["headless"].cwd, infos["headless"].created) == ("message 1", "", TIME)
