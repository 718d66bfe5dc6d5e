"""One row of the transcript: which events it shows, and what it says closed and open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, cast

from app.controllers.catalog_rows import catalog_parts, catalog_title, readable_catalog
from app.controllers.context_source import (
    context_label,
    context_source,
    read_catalog_form,
    read_instructions,
)
from app.controllers.row_body import (
    Fact,
    Heading,
    ListLine,
    Part,
    Prose,
    Verbatim,
    bounded,
    content_parts,
    field_text,
    joined_text,
    source_fields,
    unknown_block,
)
from app.controllers.text_layout import Piece, Role, counted
from skills_core.session import event as kinds
from skills_core.session.event import SessionEvent

RowKind: TypeAlias = Literal["user", "assistant", "tool", "context", "note"]
"""``user`` and ``assistant`` are always open; the others open on demand."""

LIVE_OUTPUT_LIMIT = 8_000
SHORT_RESULT = 80
"""Code points up to which a result of one line is part of the closed row."""


@dataclass(slots=True, eq=False)
class Row:
    """``event`` is the record shown; None while a reply is still coming in, whose text is in ``live_text``.

    ``result`` is a tool's result, and ``request`` what the model asked for when that call was never begun. ``before``
    is the newest readable catalog ahead of this one.
    """

    kind: RowKind
    event: SessionEvent | None = None
    result: SessionEvent | None = None
    request: Mapping[str, Any] | None = None
    before: SessionEvent | None = None
    expanded: bool = False
    live_text: list[str] = field(default_factory=list)
    live_thinking: list[str] = field(default_factory=list)
    version: int = 0
    _size: tuple[int, int] = (-1, 0)

    @property
    def live(self) -> bool:
        return self.event is None

    @property
    def foldable(self) -> bool:
        return self.kind in ("tool", "context") or (self.kind == "note" and bool(row_parts(self)))

    def size(self) -> int:
        """How many code points its own words have; counted once for each version."""
        if self._size[0] != self.version:
            self._size = (self.version, len(self.text()))
        return self._size[1]

    def text(self) -> str:
        """The row's own words, for copying."""
        if self.event is None:
            return "".join(self.live_text)
        if self.kind in ("user", "assistant", "context"):
            return joined_text(self.event.data.get("content"))
        if self.result is not None:
            return joined_text(self.result.data.get("content"))
        return "".join(piece.text for piece in row_title(self))


def row_title(row: Row) -> tuple[Piece, ...]:
    """The closed line of a row that folds or has no body. Not inert yet: it may hold anything that was stored."""
    if row.event is None:
        return ()
    data = row.event.data
    if row.kind == "tool":
        return _tool_title(row, data)
    if row.kind == "context":
        return _context_title(row, data)
    return _note_title(row.event, data)


def row_parts(row: Row) -> tuple[Part, ...]:
    """The body of a row, whole. Not inert yet."""
    if row.event is None:
        return (Verbatim("".join(row.live_text)),) if row.kind == "user" else _live_parts(row)
    data = row.event.data
    if row.kind == "user":
        return content_parts(data.get("content"))
    if row.kind == "assistant":
        return _assistant_parts(row, data)
    if row.kind == "tool":
        return _tool_parts(row, data)
    if row.kind == "context":
        return _context_parts(row, data)
    return _note_parts(row.event, data)


def _live_parts(row: Row) -> tuple[Part, ...]:
    parts: list[Part] = []
    if row.live_thinking and not row.live_text:
        thought = "".join(row.live_thinking)
        parts.append(Verbatim(thought[-1000:], "muted"))
    parts.append(Prose("".join(row.live_text)))
    return tuple(parts)


def _assistant_parts(row: Row, data: Mapping[str, Any]) -> tuple[Part, ...]:
    parts: list[Part] = []
    for block in _blocks(data.get("content")):
        kind = block.get("type")
        text = block.get("text")
        if kind == "text" and isinstance(text, str):
            if parts and isinstance(parts[-1], Prose):
                parts[-1] = Prose(parts[-1].text + text)
            else:
                parts.append(Prose(text))
        elif kind == "thinking" and isinstance(text, str):
            words = counted(len(text.split()), "word")
            parts.append(Verbatim(bounded(text) if row.expanded else f"Thought, {words}: Enter shows it", "muted"))
        elif kind != "tool_call":
            parts.append(unknown_block(block))
    stopped = {
        "cut": "Stopped here.",
        "length": "Stopped at the model's length limit.",
        "refused": "The model refused.",
    }
    reason = data.get("stop_reason")
    if isinstance(reason, str) and reason in stopped:
        parts.append(Verbatim(stopped[reason], "warning"))
    return tuple(parts)


_STOPPED = {
    "cut": "Stopped here.",
    "length": "Stopped at the model's length limit.",
    "refused": "The model refused to go on.",
}


def has_words(data: Mapping[str, Any]) -> bool:
    """Whether a reply has anything to show beside its tool calls."""
    if data.get("stop_reason") in ("length", "refused"):
        return True
    for block in _blocks(data.get("content")):
        kind, text = block.get("type"), block.get("text")
        if kind == "text" and isinstance(text, str) and text.strip():
            return True
        if kind not in ("text", "thinking", "tool_call"):
            return True
    return False


def tool_requests(data: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The tool calls that a reply asks for, by their ids."""
    requests: dict[str, Mapping[str, Any]] = {}
    for block in _blocks(data.get("content")):
        call = block.get("id")
        if block.get("type") == "tool_call" and isinstance(call, str):
            requests[call] = block
    return requests


def _tool_title(row: Row, data: Mapping[str, Any]) -> tuple[Piece, ...]:
    title = _text(data.get("title")) or _requested_title(row) or _text(data.get("name")) or "tool"
    name, _, rest = title.partition(" ")
    pieces = [Piece(name, "accent"), Piece(f" {rest}" if rest else "")]
    if row.result is None:
        pieces.append(Piece(" · running", "warning"))
    elif row.result.data.get("is_error") is True:
        text = joined_text(row.result.data.get("content")).strip()
        pieces.append(Piece(f" · {text.splitlines()[0] if text else 'failed'}", "error"))
    else:
        lines = joined_text(row.result.data.get("content")).splitlines()
        said = lines[0] if len(lines) == 1 and len(lines[0]) <= SHORT_RESULT else counted(len(lines), "line")
        pieces.append(Piece(f" · {said}", "muted"))
    return tuple(pieces)


def _requested_title(row: Row) -> str:
    """What a call that was never begun asked for: its tool and its first words."""
    if row.request is None:
        return ""
    arguments: object = row.request.get("arguments")
    values = cast(Mapping[str, object], arguments).values() if isinstance(arguments, Mapping) else ()
    first = next((value for value in values if isinstance(value, str)), "")
    return f"{_text(row.request.get('name'))} {first}".strip()


def _tool_parts(row: Row, data: Mapping[str, Any]) -> tuple[Part, ...]:
    parts: list[Part] = []
    arguments: object = (row.request or data).get("arguments")
    if isinstance(arguments, Mapping):
        parts.extend(Fact(str(key), field_text(value)) for key, value in cast(Mapping[str, object], arguments).items())
    elif arguments is not None:
        parts.append(Fact("arguments", field_text(arguments)))
    if row.result is not None:
        failed = row.result.data.get("is_error") is True
        parts.append(Heading("Error that the model received" if failed else "Result that the model received"))
        parts.extend(content_parts(row.result.data.get("content"), "error" if failed else "text"))
    elif row.live_text:
        parts.append(Heading("Output so far"))
        parts.append(Verbatim("".join(row.live_text)[-LIVE_OUTPUT_LIMIT:], "muted"))
    return tuple(parts)


def _context_title(row: Row, data: Mapping[str, Any]) -> tuple[Piece, ...]:
    entries = read_catalog_form(data)
    if entries is not None:
        return catalog_title(data, entries, readable_catalog(row.before.data if row.before else None))
    source = context_source(data)
    label = context_label(source)
    kind = source.get("kind")
    if kind == kinds.SOURCE_SKILL_INVOCATION:
        from skills_core.catalog import estimate_tokens

        tokens = estimate_tokens(joined_text(data.get("content")))
        where = _text(source.get("source"))
        return (
            Piece("Skill loaded", "accent"),
            Piece(f" · {label}"),
            Piece(f" · {where}" if where else "", "muted"),
            Piece(f" · about {tokens:,} tokens", "muted"),
        )
    if kind == kinds.SOURCE_AGENT_INSTRUCTIONS and read_instructions(source) is not None:
        return (Piece("Project instructions", "accent"), Piece(f" · {label}"))
    if kind == kinds.SOURCE_FILE_MENTION and label != kind:
        return (Piece("File", "accent"), Piece(f" · {label}"))
    name = "Session recall" if kind == "session-reference" else "Context injection"
    return (Piece(name, "accent"), Piece(f" · {label}" if label else ""))


def _context_parts(row: Row, data: Mapping[str, Any]) -> tuple[Part, ...]:
    entries = read_catalog_form(data)
    if entries is not None:
        return catalog_parts(data, entries, readable_catalog(row.before.data if row.before else None))
    source = context_source(data)
    text = content_parts(data.get("content"))
    changes = read_instructions(source)
    if changes is not None:
        marks: dict[str, tuple[str, Role]] = {
            "loaded": ("+", "success"),
            "updated": ("~", "warning"),
            "removed": ("−", "error"),
        }
        listed = [ListLine(*marks[change.action], change.path, change.action) for change in changes]
        fields = source_fields(source, ("form", "changes"))
        return (*listed, *fields, Heading("Exact text that the model received"), *text)
    fields = source_fields(source, ())
    return (*text, Heading("Facts in the log, which the model did not receive"), *fields) if fields else text


def _note_title(event: SessionEvent, data: Mapping[str, Any]) -> tuple[Piece, ...]:
    match event.type:
        case kinds.NOTICE:
            level = data.get("level")
            role: Role = level if level in ("warning", "error") else "muted"
            return (Piece(_text(data.get("text")), role),)
        case kinds.TURN_END:
            return _turn_end_title(data)
        case kinds.MODEL_CHANGE:
            return (Piece("Model", "accent"), Piece(f" · {_text(data.get('model'))}"))
        case kinds.MODEL_RETRY:
            said = f"Attempt {data.get('attempt')} failed: {_text(data.get('message'))} Trying again."
            return (Piece(said, "warning"),)
        case kinds.APPROVAL:
            answers = {"once": "Allowed once", "session": "Allowed for this session", "yes": "Trusted", "no": "Refused"}
            answer = answers.get(_text(data.get("answer")), _text(data.get("answer")))
            return (Piece(answer, "accent"), Piece(f" · {_text(data.get('question'))}", "muted"))
        case kinds.COMPACTION:
            before = data.get("tokens_before")
            tokens = f" · about {before:,} tokens before" if isinstance(before, int) else ""
            said = f" · events {data.get('first')} to {data.get('last')} replaced by a summary{tokens}"
            return (Piece("Compaction", "accent"), Piece(said))
        case kinds.REQUEST_CONTEXT:
            tools: object = data.get("tools")
            count = len(cast(Sequence[object], tools)) if isinstance(tools, Sequence) else 0
            return (
                Piece("Request", "accent"),
                Piece(f" · system prompt and {counted(count, 'tool')} for {_text(data.get('model'))}", "muted"),
            )
        case _:
            return (Piece(event.type, "accent"), Piece(f" · {field_text(data)}", "muted"))


def _turn_end_title(data: Mapping[str, Any]) -> tuple[Piece, ...]:
    reason = _text(data.get("reason"))
    said = _text(data.get("message"))
    hint = _text(data.get("hint"))
    tail = (Piece(f" {hint}" if hint else "", "muted"),)
    if reason == "cancelled":
        return (Piece(said or "Stopped.", "warning"), *tail)
    if reason == "step-limit":
        return (Piece(said or "The turn reached its limit of steps.", "warning"), *tail)
    return (Piece(said or f"The turn ended: {reason}.", "error"), *tail)


def _note_parts(event: SessionEvent, data: Mapping[str, Any]) -> tuple[Part, ...]:
    if event.type == kinds.COMPACTION:
        summary = data.get("summary")
        return (Prose(bounded(summary)),) if isinstance(summary, str) and summary else ()
    if event.type == kinds.REQUEST_CONTEXT:
        parts: list[Part] = [Heading("System prompt"), Verbatim(bounded(_text(data.get("system"))))]
        parts.append(Heading("Tools"))
        parts.extend(
            ListLine("·", "muted", _text(tool.get("name")), _text(tool.get("description")))
            for tool in _blocks(data.get("tools"))
        )
        return tuple(parts)
    if event.type in _ONE_LINERS:
        return ()
    return tuple(Fact(str(key), field_text(value)) for key, value in data.items())


_ONE_LINERS = {kinds.NOTICE, kinds.TURN_END, kinds.MODEL_CHANGE, kinds.MODEL_RETRY, kinds.APPROVAL}


def _blocks(content: object) -> list[Mapping[str, Any]]:
    if not isinstance(content, Sequence) or isinstance(content, (str, bytes)):
        return []
    return [cast(Mapping[str, Any], block) for block in cast(Sequence[object], content) if isinstance(block, Mapping)]


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
