"""The sources of settings as layers, and where each value of a layer stands."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource

LayerKind: TypeAlias = Literal["default", "user", "project", "environment", "flag"]


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a value came from. ``place`` is for a person: ``FILE:LINE``, ``SKILLDECK_MODEL``, ``--set model``."""

    kind: LayerKind
    place: str

    @staticmethod
    def default() -> Origin:
        return Origin("default", "default")


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsLayer:
    """What one source says. ``origins`` has a key for each setting and, for tables, for each dotted entry."""

    kind: LayerKind
    values: Mapping[str, Any] = field(default_factory=dict[str, Any])
    origins: Mapping[str, Origin] = field(default_factory=dict[str, Origin])


class LayerSource(PydanticBaseSettingsSource):
    """A layer, as pydantic-settings wants it."""

    def __init__(self, settings_cls: type[BaseSettings], layer: SettingsLayer) -> None:
        super().__init__(settings_cls)
        self._layer = layer

    def get_field_value(self, field: FieldInfo, field_name: str) -> tuple[Any, str, bool]:
        return self._layer.values.get(field_name), field_name, False

    def __call__(self) -> dict[str, Any]:
        return dict(self._layer.values)


_layers: ContextVar[tuple[SettingsLayer, ...]] = ContextVar("settings_layers", default=())


@contextmanager
def layers(*nearest_first: SettingsLayer) -> Generator[None]:
    """Within it, a Settings object is made from these layers."""
    token = _layers.set(nearest_first)
    try:
        yield
    finally:
        _layers.reset(token)


def layers_in_use() -> tuple[SettingsLayer, ...]:
    return _layers.get()
