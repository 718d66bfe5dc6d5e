"""A long transcript: from a key to the painted page, and the repaint for each piece of a reply that is streamed in.

Each time is taken in turns with the same in a transcript of a tenth of the rows: the length must not matter.
"""

from __future__ import annotations

import asyncio
import os
import select
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from app.controllers.transcript import Transcript
from skills_core.agent.model import TextDelta
from tests.app.support import Deck
from tests.bench.measure import Measure, percentile_95
from tests.bench.session_bench import conversation, store_session
from tests.pty.terminal import Terminal

_ROWS_A_TURN, _EVENTS_A_TURN = 3, 5

_FRAME = 0.016
_PAGE = 2 * _FRAME
"""Textual collects what changes for one frame, and then draws it."""

_QUIET = 0.05
"""Seconds without output after which a painting is over."""

_LOADED = 1.5
"""Seconds without output after which a stored session is there wholly."""

_DEADLINE = 10.0
_PAGE_UP, _PAGE_DOWN, _HOME, _END, _TAB = "\x1b[5~", "\x1b[6~", "\x1b[H", "\x1b[F", "\t"
_PIECE = "and then it says what was left as it was, "


def main(quick: bool = False) -> list[Measure]:
    rows, pages, jumps, rounds, pieces = (1_000, 2, 1, 1, 3) if quick else (10_000, 100, 10, 4, 60)
    with tempfile.TemporaryDirectory(prefix="skills-bench-") as folder:
        return [
            *_paging(Path(folder), rows, pages, jumps),
            *asyncio.run(_streaming(Path(folder), rows, rounds, pieces)),
        ]


def _events(rows: int) -> int:
    """Whole turns that make so many rows."""
    return -(-rows // _ROWS_A_TURN) * _EVENTS_A_TURN


def _paging(base: Path, rows: int, pages: int, jumps: int) -> list[Measure]:
    """In a terminal, from the key until the program has sent the last byte of what it paints."""
    with _stored(base / "short", rows // 10) as short, _stored(base / "long", rows) as long:
        both = (short, long)
        for terminal in both:
            _last_output(terminal, _LOADED, _LOADED)
        turned = {terminal: list[float]() for terminal in both}
        jumped = {terminal: list[float]() for terminal in both}
        for _ in range(pages):
            for terminal in both:
                turned[terminal].append(_painted(terminal, _PAGE_UP))
        for terminal in both:
            _painted(terminal, _TAB)
        for _ in range(jumps):
            for terminal in both:
                jumped[terminal] += [_painted(terminal, _END), _painted(terminal, _HOME)]
        for _ in range(pages):
            for terminal in both:
                turned[terminal].append(_painted(terminal, _PAGE_DOWN))
    return [
        *_beside(f"page up or down to the painted page, {rows:,} rows", rows, turned[long], turned[short], _PAGE),
        *_beside(f"to the first or last of {rows:,} rows, painted", rows, jumped[long], jumped[short]),
    ]


def _stored(base: Path, rows: int) -> Terminal:
    cwd = base / "work"
    cwd.mkdir(parents=True)
    id = store_session(base / "state" / "sessions", str(cwd), _events(rows))
    terminal = Terminal(base, cwd, "--resume", id, columns=100, rows=30)
    terminal.wait(lambda: "live" in terminal.lines[-1] and "I will look" in terminal.text, "the session's end", 30)
    return terminal


def _painted(terminal: Terminal, key: str) -> float:
    """Seconds from the key to the last byte; the reading does nothing else, as the time must not be its own."""
    before = time.perf_counter()
    terminal.child.send(key)
    last = _last_output(terminal, _DEADLINE, _QUIET)
    if last is None:
        raise RuntimeError(f"waited {_DEADLINE:g} s for what {key!r} paints")
    return last - before


def _last_output(terminal: Terminal, first: float, quiet: float) -> float | None:
    """When the last byte came before ``quiet`` seconds without one; None when none came within ``first`` seconds."""
    last: float | None = None
    descriptor = terminal.child.child_fd
    until = time.monotonic() + _DEADLINE
    while time.monotonic() < until:
        ready, _, _ = select.select([descriptor], [], [], first if last is None else quiet)
        if not ready:
            break
        os.read(descriptor, 65536)
        last = time.perf_counter()
    return last


async def _streaming(base: Path, rows: int, rounds: int, pieces: int) -> list[Measure]:
    """Without a terminal: takes in one piece, lays out, draws, and encodes for the terminal what has changed."""
    times = {rows // 10: list[float](), rows: list[float]()}
    for turn in range(rounds):
        for count, taken in times.items():
            deck = Deck(base / f"state-{count}-{turn}", trust="yes")
            async with deck.app.run_test(size=(100, 30)):
                await deck.ready()
                deck.chat.transcript.adopt(Transcript.of(conversation(_events(count))))
                assert count <= len(deck.chat.transcript.rows) < count + _ROWS_A_TURN
                for number in range(pieces):
                    taken.append(await _repaint(deck, number))
    words = f"a piece of a streamed reply to its repaint, {rows:,} rows"
    return _beside(words, rows, times[rows], times[rows // 10], _FRAME)


async def _repaint(deck: Deck, number: int) -> float:
    view, screen = deck.chat.view, deck.app.screen
    piece = TextDelta(_PIECE + ("\n\n" if number % 8 == 7 else ""))
    before = time.perf_counter()
    deck.chat.transcript.live(piece)
    view._paint_changed()
    _paint(deck.app, screen, view)
    taken = time.perf_counter() - before
    await asyncio.sleep(0.02)
    return taken


def _paint(app: Any, screen: Any, view: Any) -> None:
    compositor = screen._compositor
    compositor.update_widgets({view})
    update = compositor.render_update()
    assert update is not None, "a piece of a reply changes what is seen"
    assert update.render_segments(app.console)


def _beside(
    what: str, rows: int, long: Sequence[float], short: Sequence[float], target: float | None = None
) -> list[Measure]:
    beside = f"{rows // 10:,} rows"
    return [
        Measure(f"{what}, median", statistics.median(long), "seconds", None, statistics.median(short), beside),
        Measure(f"{what}, 95th percentile", percentile_95(long), "seconds", target, percentile_95(short), beside),
    ]
