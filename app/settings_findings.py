"""What ``skilldeck doctor`` says about the settings."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from app.diagnosis import Finding
from app.errors import UsageError
from app.settings.files import PROJECT_FILE, USER_FILE, config_dir

if TYPE_CHECKING:
    from app.settings.definition import Settings


def settings_findings(settings: Settings, project_root: str, faults: Iterable[UsageError]) -> list[Finding]:
    """One row a fault, or one that names the files; and whether there is such a theme."""
    return [*(fault_findings(faults) or [_files(project_root)]), _theme(settings)]


def fault_findings(faults: Iterable[UsageError]) -> list[Finding]:
    """One row a fault of the settings."""
    return [Finding("settings", "error", fault.message, fault.hint or None) for fault in faults]


def _files(project_root: str) -> Finding:
    own = config_dir() / USER_FILE
    read = [path for path in (own, Path(project_root) / PROJECT_FILE) if path.is_file()]
    detail = ", ".join(str(path) for path in read) if read else f"no file (yours would be {own})"
    return Finding("settings", "ok", detail)


def _theme(settings: Settings) -> Finding:
    from app.settings.theme_names import theme_fault

    fault = theme_fault(settings.theme)
    if fault is None:
        return Finding("theme", "ok", settings.theme)
    message, hint = fault
    return Finding("theme", "warning", f"{settings.origin('theme').place}: {message}", hint)
