"""``skilldeck doctor``: whether everything is in order here."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from app.context import CommandContext
from app.errors import UsageError
from app.output import Style
from app.process import DONE, NOT_SO, run_async

if TYPE_CHECKING:
    from app.diagnosis import Finding
    from app.settings.loading import SettingsReading

_COLOURS: dict[str, Style] = {"ok": "green", "warning": "yellow", "error": "red"}


def run(context: CommandContext) -> int:
    reading = context.read_settings()

    async def main() -> int:
        findings = await _findings(context, reading)
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


async def _findings(context: CommandContext, reading: SettingsReading) -> list[Finding]:
    """What is so here; settings with a fault are said, and what they would change is looked at without them."""
    from app.diagnosis import Finding, diagnose, terminal, version
    from app.settings_findings import fault_findings

    try:
        async with context.runtime(reading.settings, tell_fault=False) as runtime:
            return await diagnose(runtime, reading.faults)
    except UsageError as error:
        # The core cannot be put together with these settings or folders; what needs no core is told all the same.
        findings = [version(), terminal(), *fault_findings((*reading.faults, error))]
        return [*findings, Finding("skills", "error", "not looked at, for the settings are wrong")]
