"""What is left behind when the program fails: a short message, and a file with the whole story."""

from __future__ import annotations

import os
import traceback
from datetime import UTC, datetime
from pathlib import Path


def short_words(error: BaseException) -> str:
    """The error on one line, inert and without keys."""
    from app.controllers.inert import inert_line

    return inert_line(_without_keys(f"{type(error).__name__}: {error}"))[:300]


def write_story(state_dir: Path, error: BaseException) -> str:
    """Writes the whole story of a failure under ``state_dir``, if it can be written; a sentence that says where."""
    from app.assets import program_version
    from app.controllers.inert import inert_line

    folder = state_dir / "crashes"
    path = folder / f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{os.getpid()}.log"
    story = _without_keys("".join(traceback.format_exception(error)))
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(f"skilldeck {program_version()}\n\n{story}")
    except OSError:
        return "What happened could not be written down."
    return f"What happened is in {inert_line(str(path))}."


def _without_keys(text: str) -> str:
    from skills_core.agent.secret_text import scrubbed_error, secret_values

    return scrubbed_error(text, secret_values())


class CrashReport:
    """Writes the story of the first failure under ``state_dir``; ``message`` is for the person, empty before that."""

    def __init__(self, state_dir: Path) -> None:
        self._state_dir = state_dir
        self.message = ""

    def write(self, error: BaseException) -> None:
        """Writes the file, if it can be written, and words the message."""
        if self.message:
            return
        where = write_story(self._state_dir, error)
        self.message = (
            f"skilldeck: the screen failed: {short_words(error)}\n{where} Your draft and your session are kept;"
            " skilldeck --continue goes on."
        )
