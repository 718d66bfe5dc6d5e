"""``skilldeck config``: every effective setting, and where it came from."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from app.context import CommandContext
from app.output import Style
from app.process import DONE


def run(context: CommandContext) -> int:
    from app.settings.listing import setting_rows

    rows = setting_rows(context.settings())
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
