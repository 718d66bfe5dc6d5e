"""One line of a log: text to record and back, losing nothing that a newer version may have put there."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping
from typing import Any, NoReturn, TypeAlias, cast

from skills_core.session.event import PendingEvent, SessionEvent, SessionHeader
from skills_core.session.plain import mapping

HEADER_TYPE = "session"

Record: TypeAlias = dict[str, Any]


class MalformedRecordError(ValueError):
    """A line is not a record. The text says why, in a few words."""


def _refuse_constant(constant: str) -> NoReturn:
    raise MalformedRecordError(f"{constant} is not JSON")


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    raise TypeError(f"{type(value).__name__} is not JSON")


def _finite(number: str) -> float:
    value = float(number)
    if math.isinf(value):
        raise MalformedRecordError("a number is too large")
    return value


_decoder = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=_finite)
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_plain)
_ASCII_ENCODER = json.JSONEncoder(ensure_ascii=True, allow_nan=False, separators=(",", ":"), default=_plain)


def encode_json(value: Any) -> bytes:
    """Compact JSON on one line. Text stays readable; only what UTF-8 cannot hold is escaped.

    Raises TypeError or ValueError for what JSON cannot hold, RecursionError for a structure that is too deep.
    """
    try:
        return _ENCODER.encode(value).encode()
    except UnicodeEncodeError:
        return _ASCII_ENCODER.encode(value).encode()


def decode_json(text: str) -> Any:
    """The one JSON value that ``text`` is. Raises MalformedRecordError, whatever the text."""
    try:
        value, end = _decoder.raw_decode(text)
        return value if text[end:] in ("\n", "") else _decoder.decode(text)
    except MalformedRecordError:
        raise
    except (ValueError, RecursionError) as error:
        raise MalformedRecordError(_reason(error)) from error


def decode_prefix(text: str, start: int) -> tuple[Any, int]:
    """The JSON value that begins at ``start``, and where it ends. Raises MalformedRecordError."""
    try:
        return _decoder.raw_decode(text, start)
    except MalformedRecordError:
        raise
    except (ValueError, RecursionError) as error:
        raise MalformedRecordError(_reason(error)) from error


def _reason(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"not JSON at character {error.pos + 1}"
    if isinstance(error, RecursionError):
        return "nested too deeply"
    return "a number is too long"


def encode_header(header: SessionHeader) -> bytes:
    """The first line, with its line end."""
    record: Record = {
        "type": HEADER_TYPE,
        "format_version": header.format_version,
        "id": header.id,
        "cwd": header.cwd,
        "created": header.created,
        "program_version": header.program_version,
    }
    if header.parent_id is not None:
        record["parent_id"] = header.parent_id
        record["parent_seq"] = header.parent_seq
    return encode_json(record | dict(header.extra or {})) + b"\n"


_HEADER_KEYS = frozenset(
    {"type", "format_version", "id", "cwd", "created", "program_version", "parent_id", "parent_seq"}
)


def decode_header(text: str) -> SessionHeader:
    """Reads a first line. Raises MalformedRecordError."""
    fields = mapping(decode_json(text))
    if fields.get("type") != HEADER_TYPE:
        raise MalformedRecordError("not a session's header")
    for key in ("id", "cwd", "created", "program_version"):
        if not isinstance(fields.get(key), str):
            raise MalformedRecordError(f"the header has no {key}")
    version = fields.get("format_version")
    if type(version) is not int or version < 1:
        raise MalformedRecordError("the header has no format_version")
    parent_id, parent_seq = fields.get("parent_id"), fields.get("parent_seq")
    if not (parent_id is None or isinstance(parent_id, str)) or not (parent_seq is None or type(parent_seq) is int):
        raise MalformedRecordError("the header names its parent unreadably")
    extra = {key: value for key, value in fields.items() if key not in _HEADER_KEYS}
    return SessionHeader(
        id=fields["id"],
        cwd=fields["cwd"],
        created=fields["created"],
        program_version=fields["program_version"],
        format_version=version,
        parent_id=parent_id,
        parent_seq=parent_seq,
        extra=extra or None,
    )


def encode_pending(pending: PendingEvent, seq: int, time: str) -> bytes:
    """One event's line, with its line end. Raises as encode_json does, and TypeError for data that is no mapping."""
    return encode_event(SessionEvent(seq, time, pending.type, dict(pending.data)))


def encode_event(event: SessionEvent) -> bytes:
    """One event's line, with its line end."""
    record: Record = {"seq": event.seq, "time": event.time, "type": event.type, "data": event.data}
    if event.extra:
        record |= event.extra
    return encode_json(record) + b"\n"


def event_of(record: Any) -> SessionEvent:
    """The event that a decoded line is. Raises MalformedRecordError."""
    try:
        seq, time, kind, data = record["seq"], record["time"], record["type"], record["data"]
    except (TypeError, KeyError, IndexError) as error:
        raise MalformedRecordError("not an event: seq, time, type or data is missing") from error
    if type(seq) is not int or type(time) is not str or type(kind) is not str or type(data) is not dict or seq < 1:
        raise MalformedRecordError("not an event: seq, time, type or data is of another kind")
    event_data = cast("Record", data)
    if len(record) == 4:
        return SessionEvent(seq, time, sys.intern(kind), event_data)
    extra = {key: value for key, value in record.items() if key not in ("seq", "time", "type", "data")}
    return SessionEvent(seq, time, sys.intern(kind), event_data, extra)
