"""The roots as a person sees them."""

from __future__ import annotations

import os

from skills_core.filesystem.observing import Observation
from skills_core.filesystem.opening import FOLDER_FLAGS, trouble_of
from skills_core.filesystem.roots import RootSpec, RootState, RootStatus, find_project_root, root_specs
from skills_core.filesystem.settings import FilesystemSettings
from skills_core.filesystem.tree import Presence
from skills_core.filesystem.watching.status import WatchMode


def root_statuses(
    settings: FilesystemSettings, cwd: str | None, latest: Observation | None, mode: WatchMode
) -> tuple[RootStatus, ...]:
    """Every root of a folder's project with its state, as of the latest observation or else as of now."""
    if latest is not None:
        found = latest.presence
    else:
        specs = root_specs(settings, None if cwd is None else find_project_root(cwd))
        found: tuple[tuple[RootSpec, Presence], ...] = tuple((spec, _presence(spec.path)) for spec in specs)
    return tuple(RootStatus(spec.path, spec.source, spec.rank, _state(presence, mode)) for spec, presence in found)


def _state(presence: Presence, mode: WatchMode) -> RootState:
    if presence == "present":
        return "watched" if mode == "native" else "polled" if mode == "polling" else "present"
    return "unreadable" if presence == "failed" else presence


def _presence(path: str) -> Presence:
    try:
        os.close(os.open(path, FOLDER_FLAGS))
    except NotADirectoryError:
        return "not-a-folder" if os.path.lexists(path) else "missing"
    except OSError as error:
        return "missing" if trouble_of(error) in ("gone", "link-loop") else "unreadable"
    return "present"
