"""The screen: from a key to the painted popup, and from the start to the first frame."""

from __future__ import annotations

import asyncio
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from textual import events

from tests.app.support import Deck, skill
from tests.bench.session_bench import store_session

_WORDS = "hem towel label jar tie knot code review deploy write test plan send fold brew paint wall draw chart"
_DRAFTS = ("/code", "/skill:rev", "/tkt", "/skill:hemtow", "/zzz", "/skill:e", "see /plan", "/review chart")
_KEYS = {"/": "slash", ":": "colon", " ": "space"}
_STARTS = 9
_LONG = 100_000
_FIRST_WORDS = "Ask for something"
_EMPTY_APP = """
from textual.app import App
from textual.widgets import Static
class Empty(App[None]):
    def compose(self):
        yield Static("Ask for something")
Empty().run()
"""


def main(sizes: Sequence[int] = (100, 1_000, 10_000)) -> dict[str, float]:
    """Seconds, by what was measured."""
    found: dict[str, float] = {}
    for size in sizes:
        found.update(asyncio.run(_keys(size)))
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder)
        installed = Path(sys.executable).with_name("skilldeck")
        command = [str(installed)] if installed.exists() else [sys.executable, "-m", "app.cli"]
        script = base / "empty.py"
        script.write_text(_EMPTY_APP)
        found["start to first frame, this program"] = _shown(base, command, _FIRST_WORDS)
        found["start to first frame, an empty Textual app"] = _shown(base, [sys.executable, str(script)], _FIRST_WORDS)
        id = store_session(base / "state" / "sessions", str(base), _LONG)
        found[f"start to the end of a session of {_LONG:,} events"] = _shown(
            base, [*command, "--resume", id], "I will look"
        )
    return found


async def _keys(size: int) -> dict[str, float]:
    """Types drafts key by key; each time runs from the key handler's start until it has painted."""
    random.seed(1)
    words = _WORDS.split()
    names = ["-".join(random.sample(words, 3)) + f"-{number}" for number in range(size)]
    skills = [skill(name, " ".join(random.choices(words, k=30))) for name in names]
    taken: list[float] = []
    with tempfile.TemporaryDirectory() as state:
        deck = Deck(Path(state), trust="yes")
        async with deck.app.run_test(size=(120, 40)):
            await deck.ready()
            deck.shelf.put(*skills)
            await deck.seen(2)
            composer = deck.chat.composer
            for draft in _DRAFTS * 3:
                for character in draft:
                    key = events.Key(_KEYS.get(character, character), character)
                    before = time.perf_counter()
                    await composer._on_message(key)
                    taken.append(time.perf_counter() - before)
                    await asyncio.sleep(0.01)
                composer.clear()
                await asyncio.sleep(0.01)
    taken.sort()
    name = f"key to popup painted, {size:,} skills"
    return {f"{name}, median": statistics.median(taken), f"{name}, p95": taken[int(len(taken) * 0.95)]}


def _shown(base: Path, command: list[str], words: str) -> float:
    """From the start of the process until a terminal was sent the words."""
    import pexpect

    environ = {
        **os.environ,
        "TERM": "xterm-256color",
        "HOME": str(base / "home"),
        "SKILLDECK_STATE_DIR": str(base / "state"),
        "PYTHONPATH": str(Path(__file__).resolve().parents[2]),
    }
    (base / "home").mkdir(exist_ok=True)
    taken: list[float] = []
    for _ in range(_STARTS):
        before = time.perf_counter()
        child = pexpect.spawn(command[0], command[1:], cwd=str(base), env=environ, dimensions=(30, 100))
        child.expect(words, timeout=30)
        taken.append(time.perf_counter() - before)
        child.kill(9)
        child.close(force=True)
    return statistics.median(taken)
