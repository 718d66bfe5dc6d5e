"""A real pseudo-terminal around the installed command, its screen read through pyte."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pexpect
import pyte

CHECKOUT = Path(__file__).resolve().parents[2]
_UNKNOWN_TO_PYTE = re.compile(rb"\x1b\[[<>=][0-9;]*[a-zA-Z]|\x1b\[\?[0-9;]*\$p")
_NUMBER = re.compile(r"#(\d+)\b")

RESTORED = (b"\x1b[?1049l", b"\x1b[?25h", b"\x1b[?1000l", b"\x1b[?2004l")
"""What must have been written last: normal screen, cursor, no mouse, no bracketed paste."""


def command() -> list[str]:
    """The installed command of this environment."""
    installed = Path(sys.executable).with_name("skilldeck")
    return [str(installed)] if installed.exists() else [sys.executable, "-m", "app.cli"]


class Terminal:
    """Runs the command in ``cwd`` with a home of its own under ``base``. Use it as a context manager."""

    def __init__(
        self,
        base: Path,
        cwd: Path,
        *arguments: str,
        columns: int = 100,
        rows: int = 30,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        self.home = base / "home"
        self.state = base / "state"
        for folder in (self.home, self.state, cwd):
            folder.mkdir(parents=True, exist_ok=True)
        kept = {key: os.environ[key] for key in ("PATH", "LANG", "LC_ALL") if key in os.environ}
        self.environ = {
            **kept,
            "LANG": kept.get("LANG", "C.UTF-8"),
            "TERM": "xterm-256color",
            "COLORTERM": "truecolor",
            "HOME": str(self.home),
            "XDG_CONFIG_HOME": str(base / "config"),
            "XDG_STATE_HOME": str(base / "xdg-state"),
            "XDG_CACHE_HOME": str(base / "cache"),
            "SKILLDECK_STATE_DIR": str(self.state),
            "SKILLDECK_MOTION": "false",
            "ESCDELAY": "20",
            "TEXTUAL_ANIMATIONS": "none",
            "PYTHONPATH": str(CHECKOUT),
            **(environ or {}),
        }
        self.raw = bytearray()
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)
        program, *rest = command()
        self.child = pexpect.spawn(
            program,
            [*rest, *arguments],
            cwd=str(cwd),
            env=self.environ,
            dimensions=(rows, columns),
            timeout=10,
        )
        self.child.delaybeforesend = None

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *error: object) -> None:
        with contextlib.suppress(pexpect.ExceptionPexpect, OSError):
            if self.child.isalive():
                self.child.kill(signal.SIGKILL)
            self.child.close(force=True)

    # Reading

    def drain(self, seconds: float = 0.02) -> None:
        """Takes in what was written within ``seconds``."""
        deadline = time.monotonic() + seconds
        while True:
            left = deadline - time.monotonic()
            try:
                data = self.child.read_nonblocking(65536, timeout=max(left, 0))
            except pexpect.TIMEOUT:
                return
            except pexpect.EOF:
                return
            self.raw += data
            self._stream.feed(_UNKNOWN_TO_PYTE.sub(b"", data))
            if left <= 0:
                return

    @property
    def lines(self) -> list[str]:
        return [line.rstrip() for line in self._screen.display]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    def cell(self, row: int, column: int) -> pyte.screens.Char:
        """One character cell with its colours."""
        return self._screen.buffer[row][column]

    @property
    def cursor(self) -> tuple[int, int]:
        """Row and column of the terminal's own cursor, from 0."""
        return (self._screen.cursor.y, self._screen.cursor.x)

    @property
    def number(self) -> int:
        """The number of the view of the skills, from the status bar."""
        found = _NUMBER.search(self.lines[-1])
        return int(found[1]) if found else 0

    @property
    def popup(self) -> list[str]:
        """The names in the popup, from its top to its bottom; empty when it is closed."""
        lines = self.lines
        count = next((index for index, line in enumerate(lines) if re.match(r"── [\d,]+ of [\d,]+ ─", line)), None)
        if count is None:
            return []
        names: list[str] = []
        for line in reversed(lines[:count]):
            found = re.match(r"(?:▌| ) ([a-z0-9:-]+) +(?:command|project|user|custom|bundled|runtime)\b", line)
            if found is None:
                break
            names.insert(0, found[1])
        return names

    def wait(self, holds: Callable[[], object], what: str, seconds: float = 10.0) -> None:
        """Reads until ``holds()``; fails with the screen when that takes longer than ``seconds``."""
        deadline = time.monotonic() + seconds
        while True:
            self.drain()
            if holds():
                return
            if time.monotonic() > deadline:
                raise AssertionError(f"waited {seconds} s for {what}; the screen is\n{self.text}")

    def wait_for(self, words: str, seconds: float = 10.0) -> None:
        self.wait(lambda: words in self.text, repr(words), seconds)

    def wait_popup(self, names: Sequence[str], seconds: float = 10.0) -> None:
        self.wait(lambda: self.popup == list(names), f"a popup with {list(names)}, not {self.popup}", seconds)

    def ready(self) -> None:
        """Until the first complete view of the skills is shown."""
        self.wait(lambda: self.number >= 1 and " live" in self.lines[-1], "the first view of the skills")

    # Writing

    def type(self, text: str) -> None:
        """Sends characters one by one, as a person types them."""
        for character in text:
            self.child.send(character)
            self.drain(0.005)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.child.send(KEYS[key])
            self.drain(0.03)

    def resize(self, columns: int, rows: int) -> None:
        self._screen.resize(rows, columns)
        self.child.setwinsize(rows, columns)

    def signal(self, number: int) -> None:
        self.child.kill(number)

    def wait_end(self, seconds: float = 10.0) -> int:
        """The exit status, 128 + n for a signal that ended the process."""
        deadline = time.monotonic() + seconds
        while self.child.isalive():
            self.drain()
            if time.monotonic() > deadline:
                raise AssertionError(f"waited {seconds} s for the end; the screen is\n{self.text}")
        self.drain()
        self.child.close()
        if self.child.exitstatus is not None:
            return self.child.exitstatus
        return 128 + (self.child.signalstatus or 0)

    def assert_restored(self) -> None:
        """The last word on each mode of the terminal is that it is off again."""
        for sequence in RESTORED:
            opposite = sequence[:-1] + (b"h" if sequence.endswith(b"l") else b"l")
            assert self.raw.rfind(sequence) > self.raw.rfind(opposite), f"{sequence!r} was not written last"


KEYS = {
    "enter": "\r",
    "tab": "\t",
    "escape": "\x1b",
    "up": "\x1b[A",
    "down": "\x1b[B",
    "left": "\x1b[D",
    "right": "\x1b[C",
    "pageup": "\x1b[5~",
    "backspace": "\x7f",
    "ctrl+c": "\x03",
    "ctrl+g": "\x07",
    "ctrl+q": "\x11",
    "ctrl+j": "\n",
    "ctrl+z": "\x1a",
    "f2": "\x1bOQ",
    "f3": "\x1bOR",
    "f4": "\x1bOS",
    "f5": "\x1b[15~",
    "f6": "\x1b[17~",
    "shift+tab": "\x1b[Z",
}
