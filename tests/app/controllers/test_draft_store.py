"""A draft outlives the program, its faults and the other programs in the same folder."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from app.controllers.draft_store import PLACES, DraftStore

SHOP = "/home/shop"


def _keep(store: DraftStore, text: str) -> None:
    store.want(text)
    store.write()


def _ended(store: DraftStore) -> None:
    """As when its program is killed: nothing is written any more, and the kernel gives the claim up."""
    store.close()


def test_the_next_program_in_the_folder_gets_it_and_no_other(tmp_path: Path) -> None:
    first = DraftStore(tmp_path, SHOP)
    assert first.take() == ""
    _keep(first, "half a thought\r\n整理 \ud800")
    _ended(first)
    assert DraftStore(tmp_path, "/home/other").take() == ""
    assert DraftStore(tmp_path, SHOP).take().startswith("half a thought\n整理 ")


def test_it_stays_until_something_else_is_written_over_it(tmp_path: Path) -> None:
    first = DraftStore(tmp_path, SHOP)
    first.take()
    _keep(first, "half a thought")
    _ended(first)
    second = DraftStore(tmp_path, SHOP)
    assert second.take() == "half a thought"
    _ended(second)
    third = DraftStore(tmp_path, SHOP)
    assert third.take() == "half a thought"
    _keep(third, "  \n")
    _ended(third)
    assert DraftStore(tmp_path, SHOP).take() == ""


def test_programs_in_one_folder_keep_their_drafts_apart(tmp_path: Path) -> None:
    stores = [DraftStore(tmp_path, SHOP) for _ in range(3)]
    for number, store in enumerate(stores):
        assert store.take() == ""
        _keep(store, f"draft {number}")
    for store in stores:
        _ended(store)
    after = [DraftStore(tmp_path, SHOP) for _ in range(3)]
    assert sorted(store.take() for store in after) == ["draft 0", "draft 1", "draft 2"]


def test_the_draft_of_a_program_that_ended_is_met_before_an_empty_place(tmp_path: Path) -> None:
    first, second = DraftStore(tmp_path, SHOP), DraftStore(tmp_path, SHOP)
    first.take()
    second.take()
    _keep(second, "of the second")
    _ended(second)
    _ended(first)
    assert DraftStore(tmp_path, SHOP).take() == "of the second"


def test_with_every_place_claimed_nothing_is_kept_and_nothing_fails(tmp_path: Path) -> None:
    stores = [DraftStore(tmp_path, SHOP) for _ in range(PLACES + 1)]
    for store in stores:
        store.take()
    _keep(stores[-1], "one too many")
    assert not list(tmp_path.glob("drafts/*.txt"))


def test_a_write_that_fails_leaves_the_draft_that_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = DraftStore(tmp_path, SHOP)
    store.take()
    _keep(store, "whole")

    def full(descriptor: int, *arguments: object, **options: object) -> object:
        os.close(descriptor)
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("builtins.open", full)
        _keep(store, "half")
    _ended(store)
    folder = tmp_path / "drafts"
    assert DraftStore(tmp_path, SHOP).take() == "whole"
    assert sorted(path.suffix for path in folder.iterdir()) == [".lock", ".txt"], "nothing is left beside it"


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "drafts").write_text("in the way")
    store = DraftStore(tmp_path, SHOP)
    assert store.take() == ""
    _keep(store, "words")
    store.close()


def test_it_is_private(tmp_path: Path) -> None:
    store = DraftStore(tmp_path, SHOP)
    store.take()
    _keep(store, "words")
    for path in (tmp_path / "drafts", *(tmp_path / "drafts").iterdir()):
        assert path.stat().st_mode & 0o077 == 0, path
