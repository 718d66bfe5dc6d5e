"""The start: commands that only answer, the import of the core, and the first frame on a terminal."""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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

_BARE = "python -c pass"
_FIRST_WORDS = "Ask for something"
_EMPTY_APP = """
from textual.app import App
from textual.widgets import Static
class Empty(App[None]):
    def compose(self):
        yield Static("Ask for something")
Empty().run()
"""


@dataclass(frozen=True, slots=True)
class Run:
    """Seconds from the start of a process to its end, and of these on a processor: other work enlarges the first."""

    taken: float
    on_processor: float


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
        ours, bare = _in_turns(base, [*command(), flag], [sys.executable, "-c", _NOTHING], runs)
        what = f"skilldeck {flag}"
        found.append(Measure(what, ours.taken, "seconds", 0.25, bare.taken, _BARE))
        found.append(Measure(f"{what}, on a processor", ours.on_processor, "seconds", None, bare.on_processor, _BARE))
    return found


def _core_import(base: Path, runs: int) -> list[Measure]:
    python = [sys.executable, "-c"]
    ours, bare = _in_turns(base, [*python, "import skills_core"], [*python, _NOTHING], runs)
    alone = statistics.median(float(_printed([*python, _IMPORT], base)) for _ in range(runs))
    loaded = frozenset(_printed([*python, _LOADED], base).split())
    heavy = sorted(loaded & (SCREEN_AND_SETTINGS | MODEL_LIBRARIES))
    what = f"libraries of the screen, settings, models that came along{': ' if heavy else ''}{', '.join(heavy)}"
    return [
        Measure("a new process that imports skills_core", ours.taken, "seconds", None, bare.taken, _BARE),
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


def _in_turns(base: Path, measured: Sequence[str], bare: Sequence[str], runs: int) -> tuple[Run, Run]:
    """The medians of both commands, run by turns."""
    environ = _environ(base)
    pairs = [(_run(measured, base, environ), _run(bare, base, environ)) for _ in range(runs)]
    return _median([ours for ours, _ in pairs]), _median([others for _, others in pairs])


def _run(arguments: Sequence[str], cwd: Path, environ: Mapping[str, str]) -> Run:
    before, began = _children_on_processor(), time.perf_counter()
    subprocess.run(arguments, cwd=cwd, env=environ, stdout=subprocess.DEVNULL, timeout=60, check=True)
    taken = time.perf_counter() - began
    return Run(taken, _children_on_processor() - before)


def _children_on_processor() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _median(runs: Sequence[Run]) -> Run:
    return Run(statistics.median(run.taken for run in runs), statistics.median(run.on_processor for run in runs))


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
