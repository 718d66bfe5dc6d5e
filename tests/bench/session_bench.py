"""How long sessions of unusual length take: opening, first screen, and the look for the last catalog."""

from __future__ import annotations

import asyncio
import statistics
import tempfile
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TypeAlias

from skills_core.catalog.history import CatalogHistory
from skills_core.session import Session, SessionEvent, SessionHeader, SessionStore
from skills_core.session.codec import encode_event, encode_header
from skills_core.session.event import (
    ASSISTANT_MESSAGE,
    SOURCE_SKILL_CATALOG,
    TOOL_CALL,
    TOOL_RESULT,
    TURN_END,
    USER_MESSAGE,
    PendingEvent,
    text_block,
)
from skills_core.session.ids import project_folder
from tests.bench.measure import Measure

Numbers: TypeAlias = dict[str, float]

_TIME = "2026-03-01T09:30:00.000Z"
_ID = "20260301-093000-bench2"
_RUNS = 5


def conversation(count: int) -> Iterator[SessionEvent]:
    """``count`` events of turns with one tool call each, about 350 bytes an event."""
    call = {"name": "read", "arguments": {"path": "src/module.py"}}
    for seq in range(1, count + 1):
        match seq % 5:
            case 1:
                data = {"content": [text_block("Please look at this. " * 4)], "source": {"kind": "user"}}
                yield SessionEvent(seq, _TIME, USER_MESSAGE, data)
            case 2:
                content = [text_block("I will look. " * 20), {"type": "tool_call", "id": f"c{seq}", **call}]
                data = {"content": content, "model": "m", "usage": {"input_tokens": 9}, "stop_reason": "tool_calls"}
                yield SessionEvent(seq, _TIME, ASSISTANT_MESSAGE, data)
            case 3:
                yield SessionEvent(seq, _TIME, TOOL_CALL, {"id": f"c{seq - 1}", **call, "title": "Read src/module.py"})
            case 4:
                data = {
                    "id": f"c{seq - 2}",
                    "name": "read",
                    "content": [text_block("a line\n" * 60)],
                    "is_error": False,
                }
                yield SessionEvent(seq, _TIME, TOOL_RESULT, data)
            case _:
                yield SessionEvent(seq, _TIME, TURN_END, {"turn": seq, "reason": "done", "message": None, "hint": None})


def catalog_event(seq: int, skills: int) -> SessionEvent:
    entries = [{"name": f"skill-{number}", "description": f"Does thing {number}."} for number in range(skills)]
    source = {"kind": SOURCE_SKILL_CATALOG, "form": "catalog", "entries": entries}
    return SessionEvent(seq, _TIME, USER_MESSAGE, {"content": [text_block("catalog")], "source": source})


@contextmanager
def stored_session(count: int) -> Generator[SessionStore]:
    """A store that holds one session of ``count`` events, with the id ``_ID``."""
    with tempfile.TemporaryDirectory() as root:
        store_session(Path(root), "/bench", count)
        yield SessionStore(Path(root), "bench")


def store_session(root: Path, cwd: str, count: int) -> str:
    """Puts a session of ``count`` events, held in ``cwd``, into the store at ``root``; returns its id."""
    folder = root / project_folder(cwd)
    folder.mkdir(parents=True)
    header = SessionHeader(id=_ID, cwd=cwd, created=_TIME, program_version="bench")
    with (folder / f"{_ID}.jsonl").open("wb") as file:
        file.write(encode_header(header))
        file.writelines(map(encode_event, conversation(count)))
    return _ID


def measure_opening(count: int = 100_000) -> Numbers:
    """Opening for writing, in seconds, and the longest time that the event loop did not run meanwhile."""

    async def run(store: SessionStore) -> tuple[float, float]:
        stall = 0.0

        async def watch() -> None:
            nonlocal stall
            while True:
                before = time.perf_counter()
                await asyncio.sleep(0.002)
                stall = max(stall, time.perf_counter() - before - 0.002)

        watching = asyncio.create_task(watch())
        began = time.perf_counter()
        session = await store.open(_ID)
        taken = time.perf_counter() - began
        assert len(session.events) == count
        watching.cancel()
        with suppress(asyncio.CancelledError):
            await watching
        await session.aclose()
        return taken, stall

    with stored_session(count) as store:
        runs = [asyncio.run(run(store)) for _ in range(_RUNS)]
    return {
        "open_seconds": statistics.median(taken for taken, _ in runs),
        "open_longest_stall_seconds": statistics.median(stall for _, stall in runs),
    }


def measure_first_screen(count: int = 100_000, shown: int = 500) -> Numbers:
    """The newest ``shown`` events of a long session, ready to be drawn, in seconds."""

    async def run(store: SessionStore) -> float:
        began = time.perf_counter()
        assert len(await store.recent(_ID, shown)) == shown
        return time.perf_counter() - began

    with stored_session(count) as store:
        return {"recent_500_seconds": statistics.median(asyncio.run(run(store)) for _ in range(_RUNS))}


def measure_catalog_scan(count: int = 1_000_000, skills: int = 100) -> Numbers:
    """The look for the newest visible catalog in a session of ``count`` events, in seconds.

    ``near``: the catalog is among the newest events; ``far``: it is the first of all. The first look reads its entries
    and makes their digest; those that follow find the same event again.
    """
    numbers: Numbers = {}
    for place in ("near", "far"):
        events = [*conversation(count)]
        at = count - 100 if place == "near" else 0
        events[at] = catalog_event(at + 1, skills)
        header = SessionHeader(id=_ID, cwd="/bench", created=_TIME, program_version="bench")
        session = Session(header, events)
        history = CatalogHistory()
        assert history.published(session).event is events[at]
        numbers[f"catalog_{place}_first_seconds"] = _timed(partial(_first_look, session))
        numbers[f"catalog_{place}_repeated_seconds"] = _timed(partial(history.published, session))
    return numbers


def _first_look(session: Session) -> None:
    CatalogHistory().published(session)


def _timed(work: Callable[[], object]) -> float:
    runs: list[float] = []
    for _ in range(200):
        began = time.perf_counter()
        work()
        runs.append(time.perf_counter() - began)
    return statistics.median(runs)


def measure_appending(count: int = 500) -> Numbers:
    """One append that is in the kernel when it returns, and one that is on the disk, in seconds."""

    async def run() -> Numbers:
        with tempfile.TemporaryDirectory() as root:
            session = await SessionStore(Path(root), "bench").create("/bench")
            numbers: Numbers = {}
            for name, sync in (("append_seconds", False), ("append_and_sync_seconds", True)):
                runs: list[float] = []
                for event in conversation(count):
                    began = time.perf_counter()
                    await session.append(PendingEvent(event.type, event.data))
                    if sync:
                        await session.sync()
                    runs.append(time.perf_counter() - began)
                numbers[name] = statistics.median(runs)
            await session.aclose()
            return numbers

    return asyncio.run(run())


def measure_listing(count: int = 1000, events: int = 40) -> Numbers:
    """A list of ``count`` sessions, in seconds."""
    with tempfile.TemporaryDirectory() as root:
        folder = Path(root) / "bench"
        folder.mkdir()
        body = b"".join(map(encode_event, conversation(events)))
        for number in range(count):
            id = f"20260301-093000-{number:06}"
            header = SessionHeader(id=id, cwd="/bench", created=_TIME, program_version="bench")
            (folder / f"{id}.jsonl").write_bytes(encode_header(header) + body)
        store = SessionStore(Path(root), "bench")
        began = time.perf_counter()
        assert len(asyncio.run(store.list())) == count
        return {"list_seconds": time.perf_counter() - began}


def main(quick: bool = False) -> list[Measure]:
    long, log, few = (500, 5_000, 10) if quick else (100_000, 1_000_000, 1_000)
    found = {
        **measure_opening(long),
        **measure_first_screen(long),
        **measure_catalog_scan(log),
        **measure_appending(few // 2),
        **measure_listing(few),
    }
    words = {
        "open_seconds": (f"opening a session of {long:,} events", 2.0),
        "open_longest_stall_seconds": ("  the longest time that the event loop stood still", None),
        "recent_500_seconds": ("  its newest 500 events, ready to be drawn", 0.7),
        "catalog_near_first_seconds": (f"the first look for a catalog at the end of {log:,} events", 0.001),
        "catalog_near_repeated_seconds": ("  at each step after", 0.001),
        "catalog_far_first_seconds": (f"the first look for a catalog at the start of {log:,} events", 0.001),
        "catalog_far_repeated_seconds": ("  at each step after", 0.001),
        "append_seconds": ("appending an event: in the kernel", None),
        "append_and_sync_seconds": ("  on the disk", None),
        "list_seconds": (f"a list of {few:,} sessions", None),
    }
    return [Measure(what, found[key], target=target) for key, (what, target) in words.items()]
