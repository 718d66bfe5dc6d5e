"""Real processes in folders of their own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]
DEADLINE = 60.0
"""Seconds that any one command may take."""

LINE_DEADLINE = 30.0
"""Seconds until a process that goes on says its next line."""


def heed_signals() -> None:
    """Runs in the child before the command. A shell lets what it runs in the background ignore Ctrl+C, for ever."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@dataclass
class Ended:
    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@dataclass
class Place:
    """A project with ``.git``, a home, and the environment that commands get there."""

    project: Path
    home: Path
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def root(self) -> Path:
        return self.project / ".agents" / "skills"

    @property
    def state(self) -> Path:
        return self.home / "state"

    def command(self, *words: str) -> list[str]:
        return [sys.executable, "-m", "app.cli", *words]

    def run(
        self, *words: str, stdin: str = "", cwd: Path | None = None, environment: dict[str, str] | None = None
    ) -> Ended:
        done = subprocess.run(
            self.command(*words),
            cwd=cwd or self.project,
            env={**self.environment, **(environment or {})},
            input=stdin,
            capture_output=True,
            text=True,
            timeout=DEADLINE,
            check=False,
        )
        return Ended(done.returncode, done.stdout, done.stderr)

    def start(self, *words: str) -> Started:
        process = subprocess.Popen(
            self.command(*words),
            cwd=self.project,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=heed_signals,
        )
        return Started(process)

    def skill(
        self, name: str, description: str = "Does a thing.", body: str = "Do it.", root: Path | None = None
    ) -> Path:
        path = (root or self.root) / name / "SKILL.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"---\nname: {name}\ndescription: {description}\n---\n{body}\n", "utf-8")
        return path


@dataclass
class Started:
    """A process that goes on; its lines are read one by one."""

    process: subprocess.Popen[str]

    def line(self) -> str:
        assert self.process.stdout is not None and self.process.stderr is not None
        too_late = threading.Timer(LINE_DEADLINE, self.process.kill)
        too_late.start()
        try:
            line = self.process.stdout.readline()
        finally:
            too_late.cancel()
        assert line, f"waited {LINE_DEADLINE} s for a line, or the process has ended: {self.process.stderr.read()}"
        return line

    def event(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The next line, as JSON, that is wanted; those before it are passed over."""
        end = time.monotonic() + DEADLINE
        while time.monotonic() < end:
            found = json.loads(self.line())
            if wanted(found):
                return found
        raise AssertionError("no wanted event came")

    def stop(self, signal_number: int) -> Ended:
        self.process.send_signal(signal_number)
        out, err = self.process.communicate(timeout=DEADLINE)
        return Ended(self.process.returncode, out, err)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    project, home = tmp_path / "project", tmp_path / "home"
    (project / ".git").mkdir(parents=True)
    home.mkdir()
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL", "TMPDIR") if name in os.environ}
    return Place(
        project,
        home,
        {
            **kept,
            "HOME": str(home),
            "PYTHONPATH": str(ROOT),
            "PYTHONUTF8": "1",
            "SKILLDECK_CONFIG_DIR": str(home / "config"),
            "SKILLDECK_STATE_DIR": str(home / "state"),
        },
    )


@pytest.fixture
def started(place: Place) -> Iterator[Callable[..., Started]]:
    running: list[Started] = []

    def start(*words: str) -> Started:
        running.append(place.start(*words))
        return running[-1]

    yield start
    for each in running:
        if each.process.poll() is None:
            each.process.kill()
        each.process.communicate(timeout=DEADLINE)
