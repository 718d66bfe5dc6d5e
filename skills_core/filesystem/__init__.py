"""Skills that lie in folders: where they are looked for, how they are observed, and the provider that lists them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skills_core.lazy import lazy_names

if TYPE_CHECKING:
    from skills_core.filesystem.homes import agents_home, dsh_home
    from skills_core.filesystem.loading import SkillReadError
    from skills_core.filesystem.provider import FilesystemProvider, ProviderClosedError, filesystem_provider
    from skills_core.filesystem.roots import RootStatus, find_project_root
    from skills_core.filesystem.settings import FilesystemSettings, FilesystemSettingsError
    from skills_core.filesystem.watching.status import WatchStatus

__all__ = [
    "FilesystemProvider",
    "FilesystemSettings",
    "FilesystemSettingsError",
    "ProviderClosedError",
    "RootStatus",
    "SkillReadError",
    "WatchStatus",
    "agents_home",
    "dsh_home",
    "filesystem_provider",
    "find_project_root",
]

__getattr__ = lazy_names(
    __name__,
    globals(),
    {
        "homes": "agents_home dsh_home",
        "loading": "SkillReadError",
        "provider": "FilesystemProvider ProviderClosedError filesystem_provider",
        "roots": "RootStatus find_project_root",
        "settings": "FilesystemSettings FilesystemSettingsError",
        "watching.status": "WatchStatus",
    },
)
