"""Reads every source, checks each, and joins them into the effective settings."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_settings import EnvSettingsSource
from pydantic_settings import SettingsError as SourceError

from app.errors import UsageError
from app.nearest import did_you_mean
from app.settings.definition import (
    ENVIRONMENT_PREFIX,
    PATH_KEYS,
    PROJECT_KEYS,
    SECRET_KEYS,
    Settings,
    list_of_paths,
    setting_names,
)
from app.settings.explain import explained
from app.settings.files import PROJECT_FILE, USER_FILE, config_dir, read_layer, resolve_paths
from app.settings.sources import Layer, Origin, layers

NOT_SETTINGS = ("SKILLDECK_CONFIG_DIR", "SKILLDECK_STATE_DIR")
"""Variables of the program that name folders, and are read before any setting."""


@dataclass(frozen=True, slots=True)
class FlagValue:
    """A setting that a flag sets. ``place`` is the flag as typed; text values are read as the environment's are."""

    key: str
    value: Any
    place: str


def load_settings(
    cwd: str, project_root: str, flags: Iterable[FlagValue] = (), skill_dirs: tuple[str, ...] = ()
) -> Settings:
    """The effective settings: defaults, user file, project file, environment, flags, each overriding the one before.

    ``skill_dirs`` are the absolute folders of ``--skills-dir``: they join the custom ones and replace none.
    Raises UsageError, with the place, for an unknown key, a bad value and an unreadable file.
    """
    user_file = config_dir() / USER_FILE
    project = _project_layer(Path(project_root), user_file)
    nearest_first = (
        _flag_layer(tuple(flags), Path(cwd)),
        _environment_layer(Path(cwd)),
        project,
        _file_layer(user_file),
    )
    for layer in reversed(nearest_first):
        _make(layer)
    settings = _make(*nearest_first).with_skill_dirs(skill_dirs)
    if project.values:
        settings.with_own(_make(*(layer for layer in nearest_first if layer is not project)))
    return settings


def _file_layer(path: Path) -> Layer:
    layer = read_layer(path, "user")
    for key in layer.values:
        _known(key, _place(layer, key))
    for key in SECRET_KEYS:
        if key in layer.values:
            raise UsageError(
                f"{_place(layer, key)}: {key} may not be kept in a file",
                f"set {ENVIRONMENT_PREFIX}{key.upper()}, or api_key_command to a command that prints it",
            )
    return _with_absolute_paths(layer, path.parent)


def _project_layer(project_root: Path, user_file: Path) -> Layer:
    layer = read_layer(project_root / PROJECT_FILE, "project")
    for key in layer.values:
        place = _place(layer, key)
        _known(key, place, PROJECT_KEYS)
        if key not in PROJECT_KEYS:
            raise UsageError(f"{place}: a project may not set {key}", f"set it in {user_file}")
    model = layer.values.get("model")
    if isinstance(model, str) and (model.strip().lower().startswith("script:") or "://" in model):
        raise UsageError(f"{_place(layer, 'model')}: a project may name a model, but no file and no address")
    return _with_absolute_paths(layer, project_root)


def _environment_layer(cwd: Path) -> Layer:
    names = setting_names()
    origins: dict[str, Origin] = {}
    for variable, text in os.environ.items():
        upper = variable.upper()
        if not upper.startswith(ENVIRONMENT_PREFIX) or upper in NOT_SETTINGS or not text:
            continue
        key = upper.removeprefix(ENVIRONMENT_PREFIX).lower()
        field, *inner = key.split("__")
        if field not in names or (inner and field != "keymap"):
            near = did_you_mean(variable, [ENVIRONMENT_PREFIX + name.upper() for name in names])
            raise UsageError(f"{variable}: there is no such setting", near)
        origins.setdefault(field, Origin("environment", variable))
        origins[".".join([field, *inner])] = Origin("environment", variable)
    try:
        values = EnvSettingsSource(Settings)()
    except SourceError as error:
        field = next((name for name in names if f'"{name}"' in str(error)), "keymap")
        place = origins.get(field, Origin.default()).place
        raise UsageError(f"{place}: must be a JSON object") from None
    return _with_absolute_paths(Layer(kind="environment", values=values, origins=origins), cwd)


def _flag_layer(flags: tuple[FlagValue, ...], cwd: Path) -> Layer:
    values: dict[str, Any] = {}
    origins: dict[str, Origin] = {}
    for flag in flags:
        key, _, inner = flag.key.partition(".")
        _known(key, flag.place)
        if key in SECRET_KEYS:
            raise UsageError(
                f"{flag.place}: a secret on the command line can be read by everyone on this machine",
                f"set {ENVIRONMENT_PREFIX}{key.upper()} instead",
            )
        if inner and key == "keymap":
            values[key] = {**values.get(key, {}), inner: flag.value}
        elif inner:
            raise UsageError(f"{flag.place}: {key} has no part named {inner}")
        else:
            values[key] = flag.value
        origins[key] = origins[flag.key] = Origin("flag", flag.place)
    return _with_absolute_paths(Layer(kind="flag", values=values, origins=origins), cwd)


def _with_absolute_paths(layer: Layer, base: Path) -> Layer:
    values = dict(layer.values)
    for key in PATH_KEYS:
        value = values.get(key)
        if isinstance(value, str) and key == "custom_skill_dirs":
            value = list_of_paths(value)
        if value is not None:
            values[key] = resolve_paths(value, base)
    return replace(layer, values=values)


def _make(*nearest_first: Layer) -> Settings:
    try:
        with layers(*nearest_first):
            return Settings().with_origins(nearest_first)
    except ValidationError as error:
        raise explained(error.errors(include_url=False)[0], nearest_first) from None


def _known(key: str, place: str, suggested: Iterable[str] | None = None) -> None:
    names = setting_names()
    if key in names:
        return
    hint = did_you_mean(key, names if suggested is None else suggested) or did_you_mean(key, names)
    raise UsageError(f'{place}: there is no setting "{key}"', hint)


def _place(layer: Layer, key: str) -> str:
    origin = layer.origins.get(key)
    return origin.place if origin else layer.kind
