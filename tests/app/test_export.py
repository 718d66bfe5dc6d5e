"""`/export` leaves a whole file or none, and never touches one that was there."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

import pytest

from app.screens.export import export_session
from skills_core.session import Session
from skills_core.session.event import user_message


async def _session(tmp_path: Path) -> Session:
    session = Session.in_memory(str(tmp_path), "1.0")
    await session.append(user_message("hem two towels"))
    return session


@pytest.mark.parametrize("name", ["", "out.md", "out.html"])
async def test_it_writes_what_the_transcript_shows(tmp_path: Path, name: str) -> None:
    session = await _session(tmp_path)
    said, failed = export_session(session, name, str(tmp_path))
    written = tmp_path / (name or f"skilldeck-{session.id}.md")
    assert (said, failed) == (f"Wrote {written}.", False)
    assert "hem two towels" in written.read_text()


async def test_it_never_writes_over_a_file_or_through_a_link(tmp_path: Path) -> None:
    session = await _session(tmp_path)
    (tmp_path / "there.md").write_text("mine")
    (tmp_path / "link.md").symlink_to(tmp_path / "elsewhere.md")
    for name in ("there.md", "link.md"):
        said, failed = export_session(session, name, str(tmp_path))
        assert failed and "is there already" in said
    assert (tmp_path / "there.md").read_text() == "mine"
    assert not (tmp_path / "elsewhere.md").exists()


async def test_a_full_disk_leaves_no_half_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = await _session(tmp_path)

    class Full(io.StringIO):
        def write(self, text: str) -> int:
            raise OSError(28, os.strerror(28))

    def full(path: Path, mode: str, **options: Any) -> Full:
        path.touch()
        return Full()

    monkeypatch.setattr("builtins.open", full)
    said, failed = export_session(session, "out.md", str(tmp_path))
    monkeypatch.undo()
    assert failed and "No space left on device" in said
    assert not (tmp_path / "out.md").exists()
