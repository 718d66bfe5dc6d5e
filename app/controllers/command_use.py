"""How often each command was used: one small file for all folders, private to the user, read once at the start."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

SIZE_LIMIT = 65_536


class CommandUse:
    """Counts under ``state_dir``. Losing them is never worth an error: failures are silent."""

    def __init__(self, state_dir: Path) -> None:
        self._path = state_dir / "command-use.json"
        self.counts: Mapping[str, int] = {}

    def load(self) -> Mapping[str, int]:
        """Reads the counts that were kept."""
        self.counts = _counts(self._path)
        return self.counts

    def used(self, name: str) -> None:
        """Counts a use; ``save`` keeps it."""
        self.counts = {**self.counts, name: self.counts.get(name, 0) + 1}

    def save(self) -> None:
        """Writes the counts, in one step, so that two windows leave a whole file. Call it in a thread."""
        fresh = self._path.with_name(f"{self._path.name}.{os.getpid()}.tmp")
        with contextlib.suppress(OSError):
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
                json.dump(dict(self.counts), file)
            fresh.replace(self._path)


def _counts(path: Path) -> Mapping[str, int]:
    try:
        with path.open("rb") as file:
            data: object = json.loads(file.read(SIZE_LIMIT))
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(data, dict):
        return {}
    return {
        name: count
        for name, count in cast(dict[str, Any], data).items()
        if isinstance(count, int) and not isinstance(count, bool) and count > 0
    }
