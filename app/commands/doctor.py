"""``skilldeck doctor``: whether everything is in order here."""

from __future__ import annotations

from dataclasses import asdict

from app.context import CommandContext
from app.output import Style
from app.process import DONE, NOT_SO, run_async

_COLOURS: dict[str, Style] = {"ok": "green", "warning": "yellow", "error": "red"}


def run(context: CommandContext) -> int:
    settings = context.settings()

    async def main() -> int:
        from app.diagnosis import diagnose

        async with context.runtime(settings, tell_fault=False) as runtime:
            findings = await diagnose(runtime)
        if context.arguments.format == "json":
            context.output.json([asdict(finding) for finding in findings])
        else:
            rows: list[list[str | tuple[str, Style]]] = []
            for finding in findings:
                told = finding.detail if finding.hint is None else f"{finding.detail} ({finding.hint})"
                rows.append([(finding.status, _COLOURS[finding.status]), (finding.check, "bold"), told])
            context.output.table(rows)
        return NOT_SO if any(finding.status == "error" for finding in findings) else DONE

    return run_async(main)
