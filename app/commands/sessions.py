"""``skilldeck sessions``: the stored sessions, newest first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.context import CommandContext
from app.output import Style
from app.process import DONE, run_async
from skills_core.words import counted

if TYPE_CHECKING:
    from skills_core.session import SessionInfo


def run(context: CommandContext) -> int:
    async def main() -> int:
        from app.stored_sessions import session_store

        infos = await session_store().list(None if context.arguments.all else context.cwd)
        if context.arguments.format == "json":
            context.output.json([session_object(info) for info in infos])
        else:
            _print(context, infos)
        return DONE

    return run_async(main)


def session_object(info: SessionInfo) -> dict[str, Any]:
    return {
        "id": info.id,
        "title": info.title or None,
        "cwd": info.cwd or None,
        "created": info.created,
        "updated": info.updated,
        "events": info.events,
        "model": info.model,
        "parent": info.parent,
        "path": str(info.path),
    }


def _print(context: CommandContext, infos: list[SessionInfo]) -> None:
    rows: list[list[str | tuple[str, Style]]] = []
    for info in infos:
        when = info.updated[:16].replace("T", " ")
        row: list[str | tuple[str, Style]] = [(info.id, "bold"), when, counted(info.events, "event")]
        if context.arguments.all:
            row.append((info.cwd, "dim"))
        rows.append([*row, info.title or "untitled"])
    context.output.table(rows)
    if not rows:
        where = "" if context.arguments.all else " of this folder; --all shows those of every folder"
        context.output.line(f"No stored sessions{where}.")
