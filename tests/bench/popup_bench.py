"""From a finished write on the disk to the open popup on a terminal's screen: the whole way, in a real terminal."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests.bench.measure import Measure, median_and_95
from tests.bench.skills import make_skills
from tests.pty.terminal import Terminal

_SAMPLES = 40
_PAUSE = 0.4
"""Seconds between two changes: each meets a program at rest, as a person's next save does."""

_TARGETS = {"edit": (0.04, 0.09), "new folder": (None, 0.15), "deletion": (None, 0.3)}
"""The median and the 95th percentile that are aimed at."""

_DEADLINE = 20.0


def main(quick: bool = False) -> list[Measure]:
    found: list[Measure] = []
    for size in (3,) if quick else (100, 1_000):
        with tempfile.TemporaryDirectory() as folder:
            found += _measure(Path(folder), size, 1 if quick else _SAMPLES)
    return found


def _measure(base: Path, size: int, samples: int) -> list[Measure]:
    root = base / "home" / ".agents" / "skills"
    make_skills(root, size)
    edited = root / "zz-edited" / "SKILL.md"
    _write(edited, "zz-edited", "seen from the start")
    taken: dict[str, list[float]] = {"edit": [], "new folder": [], "deletion": []}
    with Terminal(base, base / "work", columns=100, rows=30) as terminal:
        _shown(terminal, lambda: "live" in terminal.lines[-1], "the skills")
        terminal.child.send("/skill:zz-")
        _shown(terminal, lambda: "seen from the start" in terminal.text, "the popup")
        for number in range(samples):
            words, name = f"turn {number:03} of it", f"zz-{number:03}"
            made = root / name / "SKILL.md"
            taken["edit"].append(
                _change(
                    terminal,
                    lambda words=words: _write(edited, "zz-edited", words),
                    lambda words=words: words in terminal.text,
                )
            )
            taken["new folder"].append(
                _change(
                    terminal,
                    lambda made=made, name=name: _write(made, name, "new"),
                    lambda name=name: name in terminal.popup,
                )
            )
            taken["deletion"].append(
                _change(
                    terminal, lambda made=made: shutil.rmtree(made.parent), lambda name=name: name not in terminal.popup
                )
            )
    found: list[Measure] = []
    for what, seconds in taken.items():
        found += median_and_95(f"{what} to open popup, {size:,} skills", seconds, *_TARGETS[what])
    return found


def _write(path: Path, name: str, words: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"---\nname: {name}\ndescription: {words}\n---\nDo it.\n", encoding="utf-8")


def _change(terminal: Terminal, change: Callable[[], None], shown: Callable[[], bool]) -> float:
    rest = time.monotonic() + _PAUSE
    while time.monotonic() < rest:
        terminal.drain(0.05)
    change()
    before = time.perf_counter()
    _shown(terminal, shown, "a change on the screen")
    return time.perf_counter() - before


def _shown(terminal: Terminal, holds: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + _DEADLINE
    while not holds():
        if time.monotonic() > deadline:
            raise RuntimeError(f"waited {_DEADLINE:g} s for {what}:\n{terminal.text}")
        terminal.drain(0.002)
