"""A day's worth of events: written, shown, closed, and read again."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Iterator

from app.controllers.transcript import Transcript
from app.controllers.transcript_row import row_title
from skills_core.catalog import visible_catalog
from skills_core.session import Session, SessionStore
from skills_core.session.event import COMPACTION, TURN_START, PendingEvent, text_block, user_message
from tests.bench.session_bench import catalog_event, conversation
from tests.stress.soak.in_use import InUse, in_use
from tests.stress.soak.part import Clock, Report, Task
from tests.stress.soak.resources import resident_mib

EVENTS = 100_000
BATCH = 50
CATALOG_EVERY = 2_000
COMPACT_EVERY = 20_000
DAYS = 3
"""The first day may make the process larger, the later ones may not."""


def day(events: int) -> Iterator[PendingEvent]:
    """Turns with a tool call each, a new catalog now and then, and none that asks for a range: see ``replay``."""
    for event in conversation(events):
        if event.seq % CATALOG_EVERY == 1:
            made = catalog_event(event.seq, 10 + event.seq // CATALOG_EVERY % 20)
            yield PendingEvent(made.type, made.data)
        else:
            yield PendingEvent(event.type, event.data)


def titles(transcript: Transcript) -> list[str]:
    return ["".join(piece.text for piece in row_title(row)) + "\0" + row.text()[:80] for row in transcript.rows]


async def replay(store: SessionStore, events: int) -> list[str]:
    """Writes one session with the screen's rows beside it, then reads it; returns what differs."""
    wrong: list[str] = []
    session = await store.create("/somewhere")
    shown = Transcript()
    session.subscribe(shown.event)
    for batch in _batches(day(events)):
        await session.append(*batch)
        session.surface.messages()
        if len(session.events) % COMPACT_EVERY == 0:
            await _compact(session)
    await session.append(PendingEvent(TURN_START, {"turn": 1}), user_message("the last words"))
    written = (len(session.events), [event.seq for event in session.surface.visible], session.surface.messages())
    catalog = visible_catalog(session)
    await session.aclose()
    again = await store.open(session.id)
    try:
        read = (len(again.events), [event.seq for event in again.surface.visible], again.surface.messages())
        names = ("number of events", "visible events", "messages for the model")
        wrong += [
            f"the {name} differ after reading"
            for name, one, other in zip(names, written, read, strict=True)
            if one != other
        ]
        if again.damage:
            wrong.append(f"the log is said to be damaged: {again.damage}")
        if visible_catalog(again) != catalog:
            wrong.append("the visible catalog differs after reading")
        loaded = Transcript()
        loaded.load(again.events)
        if titles(loaded) != titles(shown):
            wrong.append("the rows of the transcript differ after reading")
    finally:
        await again.aclose()
    if again.path is not None:
        again.path.unlink()
    return wrong


def _batches(events: Iterator[PendingEvent]) -> Iterator[tuple[PendingEvent, ...]]:
    while batch := tuple(itertools.islice(events, BATCH)):
        yield batch


async def _compact(session: Session) -> None:
    """Puts a summary in the place of everything but the last 100 visible events."""
    visible = session.surface.visible
    first, last = visible[0].seq, visible[-100].seq
    summary = {"summary": "So far.", "first": first, "last": last, "tokens_before": None}
    await session.append(PendingEvent(COMPACTION, {**summary, "content": [text_block("So far.")]}))


def run(task: Task, events: int = EVENTS, days: int = DAYS) -> Report:
    clock = Clock(task.seconds)
    report = Report("day", task.seed)
    store = SessionStore(task.folder / "sessions", "soak")
    sizes: list[float] = []
    held: list[InUse] = []

    async def all_days() -> None:
        for _ in range(days):
            report.failures.extend(await replay(store, events))
            held.append(in_use())
            sizes.append(resident_mib() or 0.0)

    try:
        asyncio.run(all_days())
    except (AssertionError, Exception) as error:
        report.failures.append(f"{type(error).__name__}: {error}")
    if held:
        report.failures.extend(held[-1].growth_since(held[0]))
    report.facts = {"days": len(sizes), "events a day": events}
    report.facts |= {"resident, MiB": " → ".join(f"{size:.0f}" for size in sizes)}
    report.facts |= {"blocks in use": " → ".join(f"{each.blocks:,}" for each in held)}
    report.seconds = clock.taken
    return report
