"""``skilldeck config``: every effective setting, and where it came from."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from app.context import CommandContext
from app.output import Style
from app.process import DONE

if TYPE_CHECKING:
    from app.settings.definition import Settings


def run(context: CommandContext) -> int:
    from app.settings.listing import setting_rows

    settings = context.settings()
    _tell_theme(context, settings)
    rows = setting_rows(settings)
    if context.arguments.format == "json":
        context.output.json([asdict(row) for row in rows])
        return DONE
    table: list[list[str | tuple[str, Style]]] = []
    for row in rows:
        changed = row.value != row.default
        table.append([(row.key, "bold" if changed else ""), _shown(row.value), (row.source, "" if changed else "dim")])
    context.output.table(table)
    context.output.line()
    from app.settings.files import USER_FILE, config_dir

    context.output.line((f"Your settings file: {config_dir() / USER_FILE}", "dim"))
    context.output.line(("skilldeck help settings says what each one does.", "dim"))
    return DONE


def _shown(value: Any) -> str:
    if value is None:
        return "-"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _tell_theme(context: CommandContext, settings: Settings) -> None:
    from app.settings.theme_names import theme_fault

    fault = theme_fault(settings.theme) if settings.origin("theme").kind != "default" else None
    if fault is not None:
        context.output.failure(f"{settings.origin('theme').place}: {fault[0]}", fault[1])
