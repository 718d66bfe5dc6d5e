"""The garbage collector pauses while logs are loaded, and is as it was afterwards."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest

from skills_core.session import SessionNotFoundError
from skills_core.session.collection import collection_paused
from tests.core.session.logs import ID, log_bytes, make_store, place_log, words


@pytest.fixture(autouse=True)
def collector() -> Iterator[None]:
    was_enabled = gc.isenabled()
    gc.enable()
    yield
    (gc.enable if was_enabled else gc.disable)()


def test_it_is_off_inside_and_on_again_after_the_last() -> None:
    with collection_paused():
        with collection_paused():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_it_comes_back_after_a_failure() -> None:
    with pytest.raises(ValueError, match="x"), collection_paused():
        raise ValueError("x")
    assert gc.isenabled()


def test_one_that_was_off_stays_off() -> None:
    gc.disable()
    with collection_paused():
        pass
    assert not gc.isenabled()


async def test_opening_leaves_it_on(tmp_path: Path) -> None:
    place_log(tmp_path, log_bytes(words(10)))
    store = make_store(tmp_path)
    await (await store.open(ID)).aclose()
    await store.read(ID)
    with pytest.raises(SessionNotFoundError):
        await store.open("nothing")
    assert gc.isenabled()
