"""The screen: from a key to the painted popup, and what a long transcript takes."""

from __future__ import annotations

import asyncio
import random
import tempfile
import time
from pathlib import Path

from textual import events

from tests.app.support import Deck, skill
from tests.bench import transcript_bench
from tests.bench.measure import Measure, median_and_95

_WORDS = "hem towel label jar tie knot code review deploy write test plan send fold brew paint wall draw chart"
_DRAFTS = ("/code", "/skill:rev", "/tkt", "/skill:hemtow", "/zzz", "/skill:e", "see /plan", "/review chart")
_KEYS = {"/": "slash", ":": "colon", " ": "space"}


def main(quick: bool = False) -> list[Measure]:
    found: list[Measure] = []
    for size in (10,) if quick else (100, 1_000, 10_000):
        found += asyncio.run(_keys(size, 1 if quick else 3))
    return [*found, *transcript_bench.main(quick)]


async def _keys(size: int, times: int) -> list[Measure]:
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
            for draft in _DRAFTS * times:
                for character in draft:
                    key = events.Key(_KEYS.get(character, character), character)
                    before = time.perf_counter()
                    await composer._on_message(key)
                    taken.append(time.perf_counter() - before)
                    await asyncio.sleep(0.01)
                composer.clear()
                await asyncio.sleep(0.01)
    return median_and_95(f"key to popup painted, {size:,} skills", taken, percentile=0.016)
