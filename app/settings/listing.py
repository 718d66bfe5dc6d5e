"""Every effective setting as a row: its value, its default, where it came from, and what it does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from app.settings.definition import Settings

MASK = "********"


@dataclass(frozen=True, slots=True)
class SettingRow:
    """``value`` and ``default`` are plain JSON; a secret is masked."""

    key: str
    value: Any
    default: Any
    source: str
    description: str


def setting_rows(settings: Settings) -> list[SettingRow]:
    """One row a setting, in the order of the definition."""
    rows: list[SettingRow] = []
    for key, field in Settings.model_fields.items():
        value = getattr(settings, key)
        source = settings.origin(key).place
        if key == "keymap" and value:
            source = ", ".join(dict.fromkeys(settings.origin(f"keymap.{binding}").place for binding in value))
        if key == "custom_skill_dirs" and settings.skill_dirs:
            source = "--skills-dir" if not value else f"{source}, --skills-dir"
            value = (*value, *settings.skill_dirs)
        default = field.get_default(call_default_factory=True, validated_data={})
        rows.append(SettingRow(key, _plain(key, value), _plain(key, default), source, field.description or ""))
    return rows


def _plain(key: str, value: Any) -> Any:
    if value is None:
        return None
    if key == "api_key":
        return MASK
    if key == "base_url":
        return without_password(value)
    return list(value) if isinstance(value, tuple) else value  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]


def without_password(address: str) -> str:
    """An address with what may be secret in it masked: the login, known keys, and what follows the path."""
    from skills_core.agent.secret_text import plain_address, secret_values, without_secrets

    scheme, found, place = plain_address(address).partition("://")
    login = f"{MASK}@" if "@" in address else ""
    rest = "".join(f"{mark}{MASK}" for mark in "?#" if mark in address)
    return without_secrets(f"{scheme}{found}{login}{place}{rest}", secret_values())
