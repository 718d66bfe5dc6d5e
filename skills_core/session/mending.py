"""What is done about a damaged log when it is opened for writing, and what the person is told."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from skills_core.session.error import SessionError
from skills_core.session.event import NOTICE, PendingEvent, SessionEvent
from skills_core.session.log_file import LogFile, damaged_path
from skills_core.session.plain import items, mapping
from skills_core.session.reading import Damage, LogReading
from skills_core.words import counted

_NAMED = 5
"""How many damaged lines a notice names."""


def mend_tail(log: LogFile, reading: LogReading) -> PendingEvent | None:
    """Makes the end of an open log fit to be appended to; returns the notice that says what was done.

    A record that lacks only its line end is kept. Anything else behind the last line end is moved to a file beside the
    log, or, when that cannot be written, left where it is as a line of its own.
    """
    if not reading.tail:
        return None
    if reading.tail_event is not None:
        log.end_line_first()
        return None
    size = counted(len(reading.tail), "byte")
    try:
        log.cut(reading.whole_size, reading.tail)
    except SessionError as error:
        log.end_line_first()
        return _notice(f"The last record of this session was incomplete ({size}) and stays there: {error.message}")
    place = damaged_path(log.path).name
    return _notice(f"The last record of this session was incomplete ({size}) and was moved to {place}.")


def damage_notice(damage: Sequence[Damage], events: Iterable[SessionEvent]) -> PendingEvent | None:
    """The notice about damaged lines that no earlier notice in the log has named yet."""
    told = {line for event in events if event.type == NOTICE for line in _told_lines(event.data.get("damage"))}
    new = [each for each in damage if each.line not in told]
    if not new:
        return None
    named = "; ".join(f"line {each.line}: {each.reason}" for each in new[:_NAMED])
    more = f"; and {len(new) - _NAMED} more" if len(new) > _NAMED else ""
    return _notice(
        f"This session's file is damaged, and the rest of it was read ({named}{more}). The file keeps those lines.",
        [{"line": each.line, "reason": each.reason} for each in new],
    )


def _notice(text: str, damage: list[dict[str, Any]] | None = None) -> PendingEvent:
    data: dict[str, Any] = {"text": text, "level": "warning"}
    if damage is not None:
        data["damage"] = damage
    return PendingEvent(NOTICE, data)


def _told_lines(damage: object) -> list[int]:
    lines = [mapping(entry).get("line") for entry in items(damage)]
    return [line for line in lines if type(line) is int]
