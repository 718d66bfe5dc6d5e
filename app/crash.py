"""What is left behind when the screen fails: a short message, and a file with the whole story."""

from __future__ import annotations

import os
import traceback
from datetime import UTC, datetime
from pathlib import Path


class CrashReport:
    """Writes the story of the first failure under ``state_dir``; ``message`` is for the person, empty before that."""

    def __init__(self, state_dir: Path) -> None:
        self._folder = state_dir / "crashes"
        self.message = ""

    def write(self, error: BaseException) -> None:
        """Writes the file, if it can be written, and words the message."""
        from app.assets import program_version
        from app.controllers.inert import inert_line

        if self.message:
            return
        short = inert_line(f"{type(error).__name__}: {error}")[:300]
        story = "".join(traceback.format_exception(error))
        path = self._folder / f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{os.getpid()}.log"
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with open(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
                file.write(f"skilldeck {program_version()}\n\n{story}")
            where = f"What happened is in {path}."
        except OSError:
            where = "What happened could not be written down."
        self.message = (
            f"skilldeck: the screen failed: {short}\n{where} Your draft and your session are kept;"
            " skilldeck --continue goes on."
        )
