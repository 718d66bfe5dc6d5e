"""A crash report holds no key."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.crash import CrashReport

CANARY = "canary-0123456789"


def test_a_report_holds_no_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)
    crash = CrashReport(tmp_path)

    def send() -> None:
        raise ConnectionError(f"header Authorization: Bearer {CANARY}")

    try:
        try:
            send()
        except ConnectionError as error:
            raise RuntimeError(f"refused {CANARY}") from error
    except RuntimeError as error:
        crash.write(error)
    (file,) = (tmp_path / "crashes").iterdir()
    story = file.read_text()
    assert "ConnectionError" in story
    assert CANARY not in story + crash.message
    assert "refused [secret]" in crash.message
