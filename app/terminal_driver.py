"""Textual's terminal driver, for a terminal that may go away at any moment."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import IO, Any, cast

from textual.drivers.linux_driver import LinuxDriver


class LosableFile:
    """Passes writes on until one fails because the terminal has gone; from then on it swallows them.

    The driver's writer thread would otherwise end at the first failed write, and whoever writes next would wait for
    room in its queue for ever. ``on_lost`` is called once, in the writer's thread.
    """

    def __init__(self, file: IO[str], on_lost: Callable[[], None]) -> None:
        self._file = file
        self._on_lost = on_lost
        self.lost = False

    def write(self, text: str) -> int:
        if not self.lost:
            try:
                return self._file.write(text)
            except (OSError, ValueError):
                self._lose()
        return len(text)

    def flush(self) -> None:
        if not self.lost:
            try:
                self._file.flush()
            except (OSError, ValueError):
                self._lose()

    def fileno(self) -> int:
        return self._file.fileno()

    def isatty(self) -> bool:
        return not self.lost and self._file.isatty()

    def _lose(self) -> None:
        self.lost = True
        self._on_lost()


class TerminalDriver(LinuxDriver):
    """Tells the app by ``terminal_lost`` when writing failed, and never lets it wait for a terminal that has gone.

    While the app is suspended another program has the terminal: what the app writes then is dropped.
    """

    def __init__(self, app: Any, **options: Any) -> None:
        super().__init__(app, **options)  # pyright: ignore[reportUnknownMemberType]
        self._file: Any = LosableFile(self._file, self._lost)
        self._away = False

    def write(self, data: str) -> None:
        if not self._away and not self._file.lost:
            super().write(data)

    def suspend_application_mode(self) -> None:
        super().suspend_application_mode()
        self._away = True

    def resume_application_mode(self) -> None:
        self._away = False
        super().resume_application_mode()

    def _lost(self) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended before its terminal
            self._loop.call_soon_threadsafe(cast("Any", self._app).terminal_lost)
