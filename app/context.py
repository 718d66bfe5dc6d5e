"""What a command gets: its arguments, where it works, how it prints, and its settings."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from app.errors import UsageError
from app.output import Output

if TYPE_CHECKING:
    from app.runtime import Runtime
    from app.settings.definition import Settings
    from app.settings.loading import FlagValue, SettingsReading


@dataclass(frozen=True, slots=True)
class CommandContext:
    """``cwd`` is absolute and exists."""

    arguments: Namespace
    output: Output
    cwd: str

    def project_root(self) -> str:
        """The nearest ancestor with ``.git``, else the working folder itself."""
        from skills_core.filesystem import find_project_root

        return find_project_root(self.cwd)

    def settings(self) -> Settings:
        """The effective settings, with this command line's flags. Raises UsageError."""
        from app.settings.loading import load_settings

        return load_settings(self.cwd, self.project_root(), self._flags(), self._skill_dirs())

    def read_settings(self) -> SettingsReading:
        """The settings without those that have a fault, and the faults."""
        from app.settings.loading import read_settings

        return read_settings(self.cwd, self.project_root(), self._flags(), self._skill_dirs())

    @asynccontextmanager
    async def runtime(
        self, settings: Settings, *, watch: bool | None = None, tell_fault: bool = True
    ) -> AsyncGenerator[Runtime]:
        """The assembled core, closed at the end. ``tell_fault`` says when the person's answers cannot be read."""
        from app.runtime import Runtime

        runtime = await Runtime.open(settings, self.cwd, watch=watch)
        try:
            if tell_fault and runtime.access.fault is not None:
                self.output.failure(runtime.access.fault.message, runtime.access.fault.hint)
            yield runtime
        finally:
            await runtime.aclose()

    def _flags(self) -> list[FlagValue]:
        from app.settings.loading import FlagValue

        flags: list[FlagValue] = []
        for written in self.arguments.set:
            key, equals, value = written.partition("=")
            if not equals or not key.strip():
                raise UsageError(f'--set {written}: write KEY=VALUE, such as "--set discovery_depth=2"')
            flags.append(FlagValue(key.strip(), value, f"--set {key.strip()}"))
        for name in ("trust", "model", "base_url", "max_steps", "allow_tools"):
            value = getattr(self.arguments, name, None)
            if value is not None:
                flags.append(FlagValue(name, value, "--" + name.replace("_", "-")))
        return flags

    def _skill_dirs(self) -> tuple[str, ...]:
        folders: list[str] = []
        for written in self.arguments.skills_dir:
            path = os.path.abspath(os.path.expanduser(written))
            if os.path.exists(path) and not os.path.isdir(path):
                raise UsageError(f"--skills-dir {written}: is a file, not a folder")
            folders.append(path)
        return tuple(folders)


def working_folder(written: str | None) -> str:
    """The folder to work in, absolute. Raises UsageError when it is not there or may not be entered."""
    try:
        here = os.getcwd()
    except OSError:
        if written is None or not os.path.isabs(written):
            raise UsageError(
                "the current folder cannot be found", "change to another one, or name one with --cwd"
            ) from None
        here = os.sep
    if written is None:
        return _logical(here)
    path = os.path.join(here, os.path.expanduser(written))
    # A folder above a linked one is not what its spelling says, so only the system can resolve "..".
    path = os.path.realpath(path) if ".." in Path(path).parts else os.path.normpath(path)
    if not os.path.exists(path):
        raise UsageError(f"--cwd {written}: there is no such folder")
    if not os.path.isdir(path):
        raise UsageError(f"--cwd {written}: is not a folder")
    if not os.access(path, os.X_OK):
        raise UsageError(f"--cwd {written}: may not be entered")
    return path


def _logical(here: str) -> str:
    """The folder as the shell spells it, when that is the same folder: a path through a link stays readable."""
    spelled = os.environ.get("PWD", "")
    try:
        if os.path.isabs(spelled) and os.path.normpath(spelled) == spelled and Path(spelled).samefile(here):
            return spelled
    except OSError:
        pass
    return here
