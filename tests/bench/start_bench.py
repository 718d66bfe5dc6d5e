"""The start: commands that only answer, the import of the core, and the first frame on a terminal."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.bench.measure import Measure
from tests.bench.session_bench import store_session
from tests.pty.terminal import CHECKOUT, command

_NOTHING = "pass"
_IMPORT = """
import time
began = time.perf_counter()
import skills_core
print(time.perf_counter() - began)
"""
_LOADED = "import sys, skills_core; print(*sorted({name.partition('.')[0] for name in sys.modules}))"

SCREEN_AND_SETTINGS = frozenset({"textual", "rich", "pydantic", "pydantic_settings"})
MODEL_LIBRARIES = frozenset({"pydantic_ai", "openai", "anthropic", "google", "groq", "mistralai", "httpx"})

_FIRST_WORDS = "Ask for something"
_EMPTY_APP = """
from textual.app import App
from textual.widgets import Static
class Empty(App[None]):
    def compose(self):
        yield Static("Ask for something")
Empty().run()
"""


def main(quick: bool = False) -> list[Measure]:
    with tempfile.TemporaryDirectory(prefix="skills-bench-") as folder:
        base = Path(folder)
        runs = 2 if quick else 41
        return [
            *_answers(base, runs),
            *_core_import(base, runs),
            *_frames(base, 1 if quick else 9, 500 if quick else 100_000),
        ]


def _answers(base: Path, runs: int) -> list[Measure]:
    """From the start of the process to its end; each run of a command beside one of Python alone."""
    found: list[Measure] = []
    for flag in ("--help", "--version"):
        times, bare = _in_turns(base, [*command(), flag], [sys.executable, "-c", _NOTHING], runs)
        median = statistics.median(times)
        found.append(Measure(f"skilldeck {flag}", median, target=0.25, beside=bare, beside_what="python -c pass"))
    return found


def _core_import(base: Path, runs: int) -> list[Measure]:
    python = [sys.executable, "-c"]
    times, bare = _in_turns(base, [*python, "import skills_core"], [*python, _NOTHING], runs)
    process = statistics.median(times)
    alone = statistics.median(float(_printed([*python, _IMPORT], base)) for _ in range(runs))
    loaded = frozenset(_printed([*python, _LOADED], base).split())
    heavy = sorted(loaded & (SCREEN_AND_SETTINGS | MODEL_LIBRARIES))
    what = f"libraries of the screen, settings, models that came along{': ' if heavy else ''}{', '.join(heavy)}"
    return [
        Measure("a new process that imports skills_core", process, beside=bare, beside_what="python -c pass"),
        Measure("import skills_core, by the clock of that process", alone, target=0.06),
        Measure(what, len(heavy), "count", target=0),
    ]


def _frames(base: Path, runs: int, events: int) -> list[Measure]:
    script = base / "empty.py"
    script.write_text(_EMPTY_APP)
    ours: list[float] = []
    empty: list[float] = []
    for _ in range(runs):
        ours.append(_shown(base, command(), _FIRST_WORDS))
        empty.append(_shown(base, [sys.executable, str(script)], _FIRST_WORDS))
    id = store_session(base / "state" / "sessions", str(base), events)
    long = [_shown(base, [*command(), "--resume", id], "I will look") for _ in range(runs)]
    return [
        Measure(
            "start until the first frame",
            statistics.median(ours),
            target=0.4,
            beside=statistics.median(empty),
            beside_what="an empty Textual app",
        ),
        Measure(f"start until the end of a session of {events:,} events", statistics.median(long), target=0.7),
    ]


def _in_turns(base: Path, measured: Sequence[str], bare: Sequence[str], runs: int) -> tuple[list[float], float]:
    """The seconds of each run of one command, and the median of the other's."""
    environ = _environ(base)
    times: list[float] = []
    others: list[float] = []
    for _ in range(runs):
        times.append(_run(measured, base, environ))
        others.append(_run(bare, base, environ))
    return times, statistics.median(others)


def _run(arguments: Sequence[str], cwd: Path, environ: Mapping[str, str]) -> float:
    began = time.perf_counter()
    subprocess.run(arguments, cwd=cwd, env=environ, stdout=subprocess.DEVNULL, timeout=60, check=True)
    return time.perf_counter() - began


def _printed(arguments: Sequence[str], base: Path) -> str:
    return subprocess.run(
        arguments, cwd=base, env=_environ(base), capture_output=True, text=True, timeout=60, check=True
    ).stdout


def _environ(base: Path) -> dict[str, str]:
    (base / "home").mkdir(exist_ok=True)
    return {
        **os.environ,
        "TERM": "xterm-256color",
        "HOME": str(base / "home"),
        "SKILLDECK_STATE_DIR": str(base / "state"),
        "PYTHONPATH": str(CHECKOUT),
    }


def _shown(base: Path, arguments: Sequence[str], words: str) -> float:
    """From the start of the process until a terminal was sent the words."""
    import pexpect

    environ = _environ(base)
    before = time.perf_counter()
    child = pexpect.spawn(arguments[0], list(arguments[1:]), cwd=str(base), env=environ, dimensions=(30, 100))
    child.expect(words, timeout=30)
    taken = time.perf_counter() - before
    child.kill(9)
    child.close(force=True)
    return taken
