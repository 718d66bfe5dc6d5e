"""The catalogue: what each fault changes, what goes wrong for a person, and which tests must then fail."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent
CHECKOUT = FOLDER.parent.parent

NEVER = {
    "shown-deleted": "a skill is shown deleted because a read failed or a write was half done",
    "ignored-silently": "a file is ignored without a stated reason",
    "catalog-not-in-log": "the model gets a catalog that the log does not hold",
    "stale-name": "a stale name is loaded",
    "acts-on-terminal": "content acts on the terminal",
    "lost-draft": "a draft is lost",
    "lost-event": "an acknowledged event is lost",
    "session-closed": "a session does not open",
    "terminal-raw": "the terminal is left raw",
    "traceback": "a person's mistake ends in a traceback",
    "key-waits": "a key press waits for the disk",
    "forgotten-task": "a task is forgotten",
}
"""What must never happen. A fault of another kind names the rule that it breaks."""


@dataclass(frozen=True, slots=True)
class Edit:
    """In ``file``, ``find``, which is there exactly once, becomes ``replace``."""

    file: str
    find: str
    replace: str

    def applied(self, text: str) -> str:
        """The changed text. Raises ValueError when the place is not there exactly once."""
        count = text.count(self.find)
        if count != 1:
            raise ValueError(f"{self.file} holds the text {count} times: {self.find!r}")
        return text.replace(self.find, self.replace)


@dataclass(frozen=True, slots=True)
class Fault:
    """``wrong`` is what a person would meet. ``tests`` are node ids; one of them at least has to fail."""

    name: str
    kind: str
    wrong: str
    edits: tuple[Edit, ...]
    tests: tuple[str, ...]


def read_catalogue(folder: Path = FOLDER) -> tuple[Fault, ...]:
    """The faults of all files, in the order of their names and lines."""
    return tuple(
        _fault(entry)
        for path in sorted(folder.glob("*.toml"))
        for entry in tomllib.loads(path.read_text(encoding="utf-8"))["faults"]
    )


def _fault(entry: dict[str, Any]) -> Fault:
    edits = tuple(Edit(**edit) for edit in entry.pop("edits"))
    tests = tuple(entry.pop("tests"))
    return Fault(edits=edits, tests=tests, **entry)
