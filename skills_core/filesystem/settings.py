"""The settings of a filesystem provider, checked when they are made."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

DISCOVERY_DEPTH_MAX = 6
_POSITIVE = ("watch_stability_threshold_ms", "watch_poll_interval_ms", "watch_max_projects", "discovery_depth")
_SWITCHES = ("watch", "watch_use_polling", "watch_follow_symlinks", "include_default_roots")
_PATHS = ("dsh_home", "agents_home", "bundled_skill_dir")
_PATH_LISTS = ("custom_skill_dirs", "project_skill_dirs")


class FilesystemSettingsError(ValueError):
    """A setting has a value that it cannot have. ``field`` names it."""

    def __init__(self, field: str, must: str, value: object) -> None:
        self.field = field
        self.message = f"{field} must be {must}, not {value!r}"
        self.hint = f"Give {field} a value that is {must}."
        super().__init__(self.message)


@dataclass(frozen=True, slots=True, kw_only=True)
class FilesystemSettings:
    """What a filesystem provider looks at and how it watches.

    ``watch_stability_threshold_ms`` is the wait for half-written files and for deletions, ``watch_poll_interval_ms``
    the pause between two sweeps when nothing reports changes. ``discovery_depth`` counts folders from a root down to
    a SKILL.md, 1 to 6. ``dsh_home`` and ``agents_home`` None mean the environment's ``DSH_HOME`` and
    ``DSH_AGENTS_HOME``, else ``~/.dsh`` and ``~/.agents``. ``custom_skill_dirs`` are the person's own,
    ``project_skill_dirs`` those that a project's settings name: their skills count as the project's.

    Raises FilesystemSettingsError, which names the field, for a value that is out of range or of another type.
    """

    watch: bool = True
    watch_use_polling: bool = False
    watch_stability_threshold_ms: int = 200
    watch_poll_interval_ms: int = 100
    watch_max_projects: int = 128
    watch_follow_symlinks: bool = True
    include_default_roots: bool = True
    dsh_home: str | None = None
    agents_home: str | None = None
    custom_skill_dirs: tuple[str, ...] = ()
    project_skill_dirs: tuple[str, ...] = ()
    bundled_skill_dir: str | None = None
    provider_name: str = "filesystem"
    discovery_depth: int = 1

    def __post_init__(self) -> None:
        values: dict[str, Any] = {field.name: getattr(self, field.name) for field in fields(self)}
        for name in _POSITIVE:
            if type(values[name]) is not int or values[name] < 1:
                raise FilesystemSettingsError(name, "a whole number of at least 1", values[name])
        if self.discovery_depth > DISCOVERY_DEPTH_MAX:
            raise FilesystemSettingsError(
                "discovery_depth", f"a whole number from 1 to {DISCOVERY_DEPTH_MAX}", self.discovery_depth
            )
        for name in _SWITCHES:
            if type(values[name]) is not bool:
                raise FilesystemSettingsError(name, "true or false", values[name])
        for name in _PATHS:
            if values[name] is not None and not _is_path(values[name]):
                raise FilesystemSettingsError(name, "a path, or not set", values[name])
        for name in _PATH_LISTS:
            object.__setattr__(self, name, _paths(name, values[name]))
        if not _is_text(values["provider_name"]) or self.provider_name == "runtime":
            raise FilesystemSettingsError("provider_name", 'a name other than "runtime"', self.provider_name)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and value.strip() != ""


def _is_path(value: object) -> bool:
    return isinstance(value, str) and value.strip() != "" and "\0" not in value


def _paths(name: str, value: object) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise FilesystemSettingsError(name, "a list of paths", value)
    found: list[str] = []
    for path in value:  # pyright: ignore[reportUnknownVariableType]
        if not isinstance(path, str) or not _is_path(path):
            raise FilesystemSettingsError(name, "a list of paths", value)  # pyright: ignore[reportUnknownArgumentType]
        found.append(path)
    return tuple(found)
