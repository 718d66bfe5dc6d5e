"""At rest: what the whole program takes of a processor and of memory, and what watching many projects holds open."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.bench import process_state, watchers_bench
from tests.bench.measure import Measure
from tests.bench.process_state import ThreadTime
from tests.bench.skills import make_skills
from tests.pty.terminal import CHECKOUT, Terminal

_SETTLED = 15.0
"""Seconds after the last key: the caret has ceased to blink, what follows the opening of the watcher is over."""

_MEMORY = 100.0


@dataclass(frozen=True, slots=True)
class State:
    """How the program is at rest. ``draft``: what has been typed before; ``target``: the most of one core."""

    words: str
    motion: bool
    draft: str = ""
    target: float | None = None


_STATES = (
    State("motion on", motion=True, target=0.01),
    State("motion off", motion=False, target=0.006),
    State("motion on, the list of skills open", motion=True, draft="/skill:"),
)

_NAMES = """
import threading
first = threading.Thread.run
def run(self):
    with open("/proc/thread-self/comm", "w") as file:
        file.write(self.name[:15])
    first(self)
threading.Thread.run = run
"""
"""Tells the system the names of Python's threads, which it learns by itself only from Python 3.14 on."""


def main(quick: bool = False) -> list[Measure]:
    """What this system does not tell is left out, with a word on standard error."""
    if not process_state.KNOWN:
        print("only Linux tells what a process takes and holds: the part idle is left out", file=sys.stderr)
        return []
    size, settled, seconds = (3, 0.1, 0.3) if quick else (100, _SETTLED, 20.0)
    found: list[Measure] = []
    for state in _STATES:
        with tempfile.TemporaryDirectory(prefix="skills-bench-") as folder:
            found += _whole_program(Path(folder), size, state, settled, seconds)
    return [*found, *watchers_bench.main(quick)]


def _whole_program(base: Path, size: int, state: State, settled: float, seconds: float) -> list[Measure]:
    make_skills(base / "home" / ".agents" / "skills", size)
    names = base / "names"
    names.mkdir()
    (names / "sitecustomize.py").write_text(_NAMES)
    environ = {
        "SKILLDECK_MOTION": "true" if state.motion else "false",
        "TEXTUAL_ANIMATIONS": "full" if state.motion else "none",
        "PYTHONPATH": f"{names}:{CHECKOUT}",
    }
    with Terminal(base, base / "work", columns=100, rows=30, environ=environ) as terminal:
        terminal.wait(lambda: "live" in terminal.lines[-1], "the skills", 30)
        if state.draft:
            terminal.type(state.draft)
            terminal.wait(lambda: "skill-00000" in terminal.popup, "the list of skills", 30)
        _read_for(terminal, settled)
        pid = terminal.child.pid
        before, began = process_state.thread_times(pid), time.perf_counter()
        _read_for(terminal, seconds)
        after, taken = process_state.thread_times(pid), time.perf_counter() - began
        memory = process_state.memory(pid)
    words = f"idle, {size:,} skills, {state.words}"
    shares = _shares(before, after, taken)
    found = [Measure(f"{words}, of one core", sum(shares.values()), "share", target=state.target)]
    for name, share in sorted(shares.items(), key=lambda each: -each[1]):
        if share >= 0.00005:
            found.append(Measure(f"  of it the thread {name}", share, "share"))
    found.append(Measure(f"{words}, resident memory", memory.resident, "MiB", target=_MEMORY))
    found.append(Measure(f"{words}, proportional memory", memory.proportional, "MiB"))
    return found


def _read_for(terminal: Terminal, seconds: float) -> None:
    """Takes in what the program writes, as a terminal does, for so long."""
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        terminal.drain(min(left, 1.0))


def _shares(before: Mapping[int, ThreadTime], after: Mapping[int, ThreadTime], seconds: float) -> dict[str, float]:
    """By the thread's name; threads of one name are taken together."""
    shares: dict[str, float] = {}
    for number, thread in after.items():
        spent = thread.seconds - (before[number].seconds if number in before else 0.0)
        shares[thread.name] = shares.get(thread.name, 0.0) + spent / seconds
    return shares
