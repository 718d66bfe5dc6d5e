"""The unsent draft between two starts: one small file for each working folder, private to the user."""

from __future__ import annotations

import contextlib
import hashlib
import os
from pathlib import Path

from app.controllers.composer_history import Draft


class DraftStore:
    """Keeps a draft under ``state_dir``. Losing a draft is never worth an error: failures are silent."""

    def __init__(self, state_dir: Path, cwd: str) -> None:
        name = hashlib.sha256(os.fsencode(cwd)).hexdigest()[:16]
        self._path = state_dir / "drafts" / f"{name}.txt"

    def save(self, text: str) -> None:
        """Keeps the text; an empty one removes what was kept."""
        if not text.strip():
            with contextlib.suppress(OSError):
                self._path.unlink(missing_ok=True)
            return
        with contextlib.suppress(OSError):
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with open(handle, "w", encoding="utf-8", errors="surrogatepass") as file:
                file.write(text)

    def take(self) -> Draft | None:
        """The draft that was kept, once."""
        try:
            text = self._path.read_text("utf-8", errors="replace")
        except OSError:
            return None
        self.save("")
        return Draft(text, len(text)) if text.strip() else None
