"""What a person answered about skills, kept as one small JSON file in the state folder.

Trust is remembered by project root; switches by skill name, for one project or for all.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast

FORMAT_VERSION = 1
_EMPTY: Mapping[str, bool] = MappingProxyType({})
_NO_PROJECTS: Mapping[str, Mapping[str, bool]] = MappingProxyType({})


class AnswersError(Exception):
    """The file of answers cannot be read or written. ``message`` and ``hint`` are for a person."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """``trust``: project root → trusted. ``user`` and ``projects``: skill name → switched on."""

    trust: Mapping[str, bool] = field(default_factory=lambda: _EMPTY)
    user: Mapping[str, bool] = field(default_factory=lambda: _EMPTY)
    projects: Mapping[str, Mapping[str, bool]] = field(default_factory=lambda: _NO_PROJECTS)

    def with_trust(self, project_root: str, answer: bool | None) -> Answers:
        """None forgets the answer."""
        return replace(self, trust=_with(self.trust, project_root, answer))

    def with_switch(self, name: str, enabled: bool | None, project_root: str | None) -> Answers:
        """Sets or forgets a switch, for one project or (None) for all."""
        if project_root is None:
            return replace(self, user=_with(self.user, name, enabled))
        switches = _with(self.projects.get(project_root, _EMPTY), name, enabled)
        projects = {root: kept for root, kept in self.projects.items() if root != project_root}
        if switches:
            projects[project_root] = switches
        return replace(self, projects=MappingProxyType(projects))


class AnswersFile:
    """Reads and writes the answers; other processes may do the same at any time.

    Each change reads the file anew under a lock, so that two programs do not undo each other's answers.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._signature: tuple[int, int, int] | None = None
        self._answers = Answers()

    def read(self) -> Answers:
        """The answers now; none when the file is missing. Unchanged files are not read again.

        Raises AnswersError when the file cannot be read or is damaged: an answer that cannot be read must not be
        taken for "not asked".
        """
        try:
            status = self.path.stat()
        except FileNotFoundError:
            self._signature, self._answers = None, Answers()
            return self._answers
        except OSError as error:
            raise self._error("read", error) from error
        signature = (status.st_ino, status.st_size, status.st_mtime_ns)
        if signature != self._signature:
            try:
                text = self.path.read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError) as error:
                raise self._error("read", error) from error
            self._answers, self._signature = _decode(text, self.path), signature
        return self._answers

    def change_trust(self, project_root: str, answer: bool | None) -> Answers:
        """Raises AnswersError when the answer cannot be kept."""
        with self._locked():
            return self._write(self.read().with_trust(project_root, answer))

    def change_switch(self, name: str, enabled: bool | None, project_root: str | None) -> Answers:
        """Raises AnswersError when the answer cannot be kept."""
        with self._locked():
            return self._write(self.read().with_switch(name, enabled, project_root))

    @contextlib.contextmanager
    def _locked(self):
        import filelock

        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            lock = filelock.FileLock(f"{self.path}.lock", timeout=5, mode=0o600)
            with lock:
                yield
        except filelock.Timeout as error:
            raise AnswersError(
                f"{self.path} is locked by another program", "Try again when the other Skilldeck has finished."
            ) from error
        except OSError as error:
            raise self._error("write", error) from error

    def _write(self, answers: Answers) -> Answers:
        text = json.dumps(
            {
                "version": FORMAT_VERSION,
                "trust": dict(answers.trust),
                "switches": {
                    "user": dict(answers.user),
                    "projects": {root: dict(switches) for root, switches in answers.projects.items()},
                },
            },
            ensure_ascii=True,
            indent=2,
            sort_keys=True,
        )
        descriptor, temporary = tempfile.mkstemp(dir=self.path.parent, prefix=f".{self.path.name}.")
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(text + "\n")
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, self.path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise
        return self.read()

    def _error(self, doing: str, error: Exception) -> AnswersError:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        return AnswersError(
            f"cannot {doing} {self.path}: {reason}",
            "Check the permissions of the state folder, or set SKILLDECK_STATE_DIR to another one.",
        )


def _with(switches: Mapping[str, bool], key: str, value: bool | None) -> Mapping[str, bool]:
    changed = {name: kept for name, kept in switches.items() if name != key}
    if value is not None:
        changed[key] = value
    return MappingProxyType(changed)


def _decode(text: str, path: Path) -> Answers:
    try:
        stored = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise AnswersError(
            f"{path} is damaged: {error}", "Remove the file to be asked about trust and switches anew."
        ) from error
    document = _table(stored)
    switches = _table(document.get("switches"))
    projects = {root: _booleans(kept) for root, kept in _table(switches.get("projects")).items()}
    return Answers(
        trust=_booleans(document.get("trust")),
        user=_booleans(switches.get("user")),
        projects=MappingProxyType(projects),
    )


def _table(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _booleans(value: object) -> Mapping[str, bool]:
    return MappingProxyType({key: kept for key, kept in _table(value).items() if isinstance(kept, bool)})
