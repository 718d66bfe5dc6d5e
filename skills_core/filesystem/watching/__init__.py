"""Watching folders: hints that something may have changed, natively where the system can, by looking where not."""

from skills_core.filesystem.watching.folder_watch import FolderWatch, WatchSettings
from skills_core.filesystem.watching.status import WatchMode, WatchStatus

__all__ = ["FolderWatch", "WatchMode", "WatchSettings", "WatchStatus"]
