"""Reads every source, checks each, and joins them into the effective settings."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
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
    setting_names,
)
from app.settings.explain import explained
from app.settings.files import PROJECT_FILE, USER_FILE, config_dir, read_layer, resolve_paths
from app.settings.sources import LayerKind, Origin, SettingsLayer, layers
from app.settings.value_types import list_of_paths

NOT_SETTINGS = ("SKILLDECK_CONFIG_DIR", "SKILLDECK_STATE_DIR")
"""Variables of the program that name folders, and are read before any setting."""


@dataclass(frozen=True, slots=True)
class FlagValue:
    """A setting that a flag sets. ``place`` is the flag as typed; text values are read as the environment's are."""

    key: str
    value: Any
    place: str


@dataclass(frozen=True, slots=True)
class SettingsReading:
    """The settings that could be read, without those that have a fault, and every fault in the order of the sources."""

    settings: Settings
    faults: tuple[UsageError, ...]


def load_settings(
    cwd: str, project_root: str, flags: Iterable[FlagValue] = (), skill_dirs: tuple[str, ...] = ()
) -> Settings:
    """The effective settings: defaults, user file, project file, environment, flags, each overriding the one before.

    ``skill_dirs`` are the absolute folders of ``--skills-dir``: they join the custom ones and replace none.
    Raises UsageError, with every place, for an unknown key, a bad value and an unreadable file.
    """
    reading = read_settings(cwd, project_root, flags, skill_dirs)
    if reading.faults:
        first, *others = reading.faults
        raise UsageError(first.message, first.hint, tuple(others))
    return reading.settings


def read_settings(
    cwd: str, project_root: str, flags: Iterable[FlagValue] = (), skill_dirs: tuple[str, ...] = ()
) -> SettingsReading:
    """Like ``load_settings``, but goes on without what has a fault."""
    faults: list[UsageError] = []
    user_file = _user_file(faults)
    user = _file_layer(user_file, faults)
    project = _project_layer(Path(project_root), user_file, faults)
    environment = _environment_layer(Path(cwd), faults)
    nearest_first = (_flag_layer(tuple(flags), Path(cwd), faults), environment, project, user)
    settings = _make(nearest_first, faults).with_skill_dirs(skill_dirs)
    if project.values:
        settings.with_own(_make(tuple(layer for layer in nearest_first if layer is not project), faults))
    return SettingsReading(settings, tuple({(fault.message, fault.hint): fault for fault in faults}.values()))


def _user_file(faults: list[UsageError]) -> Path | None:
    try:
        return config_dir() / USER_FILE
    except UsageError as error:
        faults.append(error)
        return None


def _file_layer(path: Path | None, faults: list[UsageError]) -> SettingsLayer:
    def check(key: str, place: str) -> None:
        _known(key, place)
        if key in SECRET_KEYS:
            raise UsageError(
                f"{place}: {key} may not be kept in a file",
                f"set {ENVIRONMENT_PREFIX}{key.upper()}, or api_key_command to a command that prints it",
            )

    if path is None:
        return SettingsLayer(kind="user")
    layer = _without_faults(_read(path, "user", faults), check, faults)
    return _sound(_with_absolute_paths(layer, path.parent), faults)


def _project_layer(project_root: Path, user_file: Path | None, faults: list[UsageError]) -> SettingsLayer:
    layer = _read(project_root / PROJECT_FILE, "project", faults)

    def check(key: str, place: str) -> None:
        _known(key, place, PROJECT_KEYS)
        if key not in PROJECT_KEYS:
            raise UsageError(f"{place}: a project may not set {key}", f"set it in {user_file or USER_FILE}")
        if key == "model" and _is_file_or_address(layer.values[key]):
            raise UsageError(f"{place}: a project may name a model, but no file and no address")

    return _sound(_with_absolute_paths(_without_faults(layer, check, faults), project_root), faults)


def _is_file_or_address(model: object) -> bool:
    return isinstance(model, str) and (model.strip().lower().startswith("script:") or "://" in model)


def _read(path: Path, kind: LayerKind, faults: list[UsageError]) -> SettingsLayer:
    try:
        return read_layer(path, kind)
    except UsageError as error:
        faults.append(error)
        return SettingsLayer(kind=kind)


def _environment_layer(cwd: Path, faults: list[UsageError]) -> SettingsLayer:
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
            faults.append(UsageError(f"{variable}: there is no such setting", near))
            continue
        origins.setdefault(field, Origin("environment", variable))
        origins[".".join([field, *inner])] = Origin("environment", variable)
    values = _environment_values(names, origins, faults)
    layer = SettingsLayer(kind="environment", values=values, origins=origins)
    return _sound(_with_absolute_paths(layer, cwd), faults)


def _environment_values(
    names: tuple[str, ...], origins: Mapping[str, Origin], faults: list[UsageError]
) -> dict[str, Any]:
    source = EnvSettingsSource(Settings)
    variables = dict(source.env_vars)
    while True:
        source.env_vars = variables
        try:
            return source()
        except SourceError as error:
            field = next((name for name in names if f'"{name}"' in str(error)), "keymap")
            faults.append(UsageError(f"{origins.get(field, Origin.default()).place}: must be a JSON object"))
            bad = (ENVIRONMENT_PREFIX + field).lower()
            kept = {name: text for name, text in variables.items() if not name.lower().startswith(bad)}
            variables = kept if len(kept) < len(variables) else {}


def _flag_layer(flags: tuple[FlagValue, ...], cwd: Path, faults: list[UsageError]) -> SettingsLayer:
    values: dict[str, Any] = {}
    origins: dict[str, Origin] = {}
    for flag in flags:
        key, _, inner = flag.key.partition(".")
        try:
            _check_flag(flag, key, inner)
        except UsageError as error:
            faults.append(error)
            continue
        values[key] = {**values.get(key, {}), inner: flag.value} if inner else flag.value
        origins[key] = origins[flag.key] = Origin("flag", flag.place)
    return _sound(_with_absolute_paths(SettingsLayer(kind="flag", values=values, origins=origins), cwd), faults)


def _check_flag(flag: FlagValue, key: str, inner: str) -> None:
    _known(key, flag.place)
    if key in SECRET_KEYS:
        raise UsageError(
            f"{flag.place}: a secret on the command line can be read by everyone on this machine",
            f"set {ENVIRONMENT_PREFIX}{key.upper()} instead",
        )
    if inner and key != "keymap":
        raise UsageError(f"{flag.place}: {key} has no part named {inner}")


def _with_absolute_paths(layer: SettingsLayer, base: Path) -> SettingsLayer:
    values = dict(layer.values)
    for key in PATH_KEYS:
        value = values.get(key)
        if isinstance(value, str) and key == "custom_skill_dirs":
            value = list_of_paths(value)
        if value is not None:
            values[key] = resolve_paths(value, base)
    return replace(layer, values=values)


def _without_faults(layer: SettingsLayer, check: Callable[[str, str], None], faults: list[UsageError]) -> SettingsLayer:
    kept: dict[str, Any] = {}
    for key, value in layer.values.items():
        try:
            check(key, _place(layer, key))
        except UsageError as error:
            faults.append(error)
        else:
            kept[key] = value
    return _keeping(layer, kept)


def _keeping(layer: SettingsLayer, values: Mapping[str, Any]) -> SettingsLayer:
    origins = {key: origin for key, origin in layer.origins.items() if key.partition(".")[0] in values}
    return replace(layer, values=values, origins=origins)


def _sound(layer: SettingsLayer, faults: list[UsageError]) -> SettingsLayer:
    """The layer without the values that the definition refuses, also where another layer would override them."""
    try:
        with layers(layer):
            Settings()
    except ValidationError as error:
        wrong = error.errors(include_url=False)
        faults.extend(explained(each, (layer,)) for each in wrong)
        refused = {str(each["loc"][0]) for each in wrong}
        kept = {key: value for key, value in layer.values.items() if key not in refused}
        if len(kept) < len(layer.values):
            return _sound(_keeping(layer, kept), faults)
        return SettingsLayer(kind=layer.kind)
    return layer


def _make(nearest_first: tuple[SettingsLayer, ...], faults: list[UsageError]) -> Settings:
    try:
        with layers(*nearest_first):
            return Settings().with_origins(nearest_first)
    except ValidationError as error:
        # Each layer is sound by itself, so only tables that do not fit together get here.
        faults.extend(explained(each, nearest_first) for each in error.errors(include_url=False))
        with layers():
            return Settings()


def _known(key: str, place: str, suggested: Iterable[str] | None = None) -> None:
    names = setting_names()
    if key in names:
        return
    hint = did_you_mean(key, names if suggested is None else suggested) or did_you_mean(key, names)
    raise UsageError(f'{place}: there is no setting "{key}"', hint)


def _place(layer: SettingsLayer, key: str) -> str:
    origin = layer.origins.get(key)
    return origin.place if origin else layer.kind
