"""Every setting: its name, its default, its range, and a sentence that says what it does."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, PrivateAttr, SecretStr
from pydantic_settings import BaseSettings, NoDecode, PydanticBaseSettingsSource, SettingsConfigDict

from app.nearest import did_you_mean
from app.settings.binding_ids import BINDING_IDS
from app.settings.sources import Layer, LayerSource, Origin, layers_in_use

ENVIRONMENT_PREFIX = "SKILLDECK_"

PROJECT_KEYS = (
    "custom_skill_dirs",
    "discovery_depth",
    "catalog_description_max_length",
    "disabled_skills",
    "model",
)
"""What a project's ``.skilldeck.toml`` may set: nothing that could reach outside the project or spend in silence."""

TOOL_NAMES = ("skill", "read", "list", "search", "write", "edit", "shell")
"""The tools of the program's own agent."""

PATH_KEYS = ("dsh_home", "agents_home", "custom_skill_dirs", "bundled_skill_dir")
"""Settings that hold paths: ``~`` is the home folder, and a relative path belongs to the place that names it."""

SECRET_KEYS = ("api_key",)
"""Read from the environment only, and never shown."""


def _no_truth_value(value: object) -> object:
    if isinstance(value, bool):
        raise ValueError("must be a whole number")
    return value


def _list_from_text(value: object, separator: str) -> object:
    if not isinstance(value, str):
        return value
    if value.lstrip().startswith("["):
        try:
            return json.loads(value)
        except (ValueError, RecursionError) as error:
            raise ValueError("looks like a JSON list but is not one") from error
    return tuple(part.strip() for part in re.split(separator, value) if part.strip())


def _words(value: object) -> object:
    return _list_from_text(value, r"[,\s]+")


def list_of_paths(value: object) -> object:
    """Text as the environment and flags hold it (folders joined as in PATH, or a JSON list) as a list of folders."""
    return _list_from_text(value, re.escape(os.pathsep))


def _not_blank(value: str) -> str:
    if not value.strip():
        raise ValueError("must not be blank")
    if "\0" in value:
        raise ValueError("must not hold a NUL character")
    return value.strip()


def _address(value: str) -> str:
    try:
        parts = urlsplit(value)
        whole = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        whole = False
    if not whole or not value.isprintable() or " " in value:
        raise ValueError("must be an address such as http://localhost:8080/v1")
    return value


def _no_reserved_name(value: str) -> str:
    if value == "runtime":
        raise ValueError('"runtime" is reserved for skills that a program registers itself')
    return value


def _known_tool(name: str) -> str:
    if name not in TOOL_NAMES:
        near = did_you_mean(name, TOOL_NAMES)
        raise ValueError(f'there is no tool "{name}"; {near or "the tools are " + ", ".join(TOOL_NAMES)}')
    return name


def _known_binding(name: str) -> str:
    if name not in BINDING_IDS:
        hint = did_you_mean(name, BINDING_IDS) or "F1 in the chat lists the keys"
        raise ValueError(f"there is no key binding of this id; {hint}")
    return name


def _window_entry(entry: str) -> str:
    name, equals, tokens = entry.rpartition("=")
    tokens = tokens.strip().replace("_", "")
    if not tokens.isascii() or not tokens.isdecimal() or not 1000 <= int(tokens) <= 100_000_000:
        raise ValueError(f'"{entry}": write MODEL=TOKENS, such as ollama:qwen3=32768')
    if equals and not name.strip():
        raise ValueError(f'"{entry}": names no model')
    return f"{name.strip()}={int(tokens)}" if equals else str(int(tokens))


def _flat_keymap(value: object) -> object:
    """Turns nested tables into dotted ids, so that ``[keymap] composer.send = "…"`` and the quoted id are the same."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError) as error:
            raise ValueError("must be a table of binding ids and keys") from error
    if not isinstance(value, Mapping):
        return value
    flat: dict[str, object] = {}

    def add(prefix: str, table: Mapping[Any, object]) -> None:
        for name, inner in table.items():
            if isinstance(inner, Mapping):
                add(f"{prefix}{name}.", inner)  # pyright: ignore[reportUnknownArgumentType]
            else:
                flat[f"{prefix}{name}"] = inner

    add("", value)  # pyright: ignore[reportUnknownArgumentType]
    return flat


Whole = Annotated[int, BeforeValidator(_no_truth_value)]
Text = Annotated[str, AfterValidator(_not_blank)]
Words = Annotated[tuple[Text, ...], NoDecode, BeforeValidator(_words)]
Tools = Annotated[tuple[Annotated[Text, AfterValidator(_known_tool)], ...], NoDecode, BeforeValidator(_words)]
Paths = Annotated[tuple[Text, ...], NoDecode, BeforeValidator(list_of_paths)]
Windows = Annotated[tuple[Annotated[Text, AfterValidator(_window_entry)], ...], NoDecode, BeforeValidator(_words)]
Keymap = Annotated[dict[Annotated[str, AfterValidator(_known_binding)], Text], BeforeValidator(_flat_keymap)]


class Settings(BaseSettings):
    """The effective settings of one run; made by ``load_settings``, immutable."""

    model_config = SettingsConfigDict(
        env_prefix=ENVIRONMENT_PREFIX,
        env_nested_delimiter="__",
        env_ignore_empty=True,
        extra="forbid",
        frozen=True,
        validate_default=False,
    )

    model: Text = Field(
        default="offline",
        description="The model: offline (no key, no network), PROVIDER:NAME such as openai:gpt-5 or ollama:qwen3, "
        "or script:FILE. A project's file may name a model, but no file and no address.",
    )
    base_url: Annotated[Text, AfterValidator(_address)] | None = Field(
        default=None,
        description="The address of an OpenAI-compatible server, such as http://localhost:8080/v1. Models of other "
        "providers than that of the setting model do not use it.",
    )
    api_key: SecretStr | None = Field(
        default=None,
        description="The key for the model. Only the environment can set it; the well-known variables of a provider "
        "(OPENAI_API_KEY and so on) work without it. Models of other providers than that of the setting model do not "
        "get it, nor one that a project's file names.",
    )
    api_key_command: Text | None = Field(
        default=None,
        description="A command that prints the key, run without a shell when a model needs it; for example: pass show "
        "openai. A model that a project's file names does not get it.",
    )
    thinking: Literal["default", "off", "minimal", "low", "medium", "high"] = Field(
        default="default",
        description="How much a model that can should think before it answers; default leaves it to the provider.",
    )
    context_windows: Windows = Field(
        default=(),
        description="How many tokens a model takes, for models whose window is not known or is set up smaller: a list "
        "of MODEL=TOKENS, such as ollama:qwen3=32768; a number alone is for every model that the list does not name.",
    )
    request_timeout: Whole = Field(
        default=300,
        ge=1,
        le=86_400,
        description="How many seconds a model may be silent, before its first word and between two pieces; then the "
        "request counts as timed out and is sent again.",
    )
    reply_timeout: Whole = Field(
        default=1800,
        ge=1,
        le=86_400,
        description="How many seconds one whole reply of a model may take before it is stopped.",
    )
    shell_keys: Words = Field(
        default=(),
        description="Variables with keys of model providers, such as OPENAI_API_KEY, that commands of the tool shell "
        "see; they see none of them otherwise.",
    )
    max_steps: Whole = Field(
        default=50,
        ge=1,
        le=1000,
        description="After how many model steps a turn is stopped.",
    )
    trust: Literal["ask", "yes", "no"] = Field(
        default="ask",
        description="Whether what a project brings, its skills and its AGENTS.md files, may reach the model: yes, no, "
        "or ask once for each project and remember the answer.",
    )
    allow_tools: Tools = Field(
        default=(),
        description="Tools that run without asking: write, edit, shell.",
    )
    disabled_skills: Words = Field(
        default=(),
        description="Names of skills that are off for the model and for completion.",
    )
    custom_skill_dirs: Paths = Field(
        default=(),
        description="More folders of skills (rank 300), in order. Named by a project's file they count as the "
        "project's own and need its trust.",
    )
    include_default_roots: bool = Field(
        default=True,
        description="Whether the project's and the user's own skill folders are looked at, besides the custom ones.",
    )
    dsh_home: Text | None = Field(
        default=None,
        description="The folder whose skills folder holds the user's skills of rank 400; DSH_HOME or ~/.dsh "
        "when not set.",
    )
    agents_home: Text | None = Field(
        default=None,
        description="The folder whose skills folder holds the user's skills of rank 500; DSH_AGENTS_HOME or ~/.agents "
        "when not set.",
    )
    bundled_skill_dir: Text | None = Field(
        default=None,
        description="The folder of skills of rank 600; those that come with the program when not set.",
    )
    discovery_depth: Whole = Field(
        default=1,
        ge=1,
        le=6,
        description="How many folders deep below a skill folder SKILL.md files are found.",
    )
    provider_name: Annotated[Text, AfterValidator(_no_reserved_name)] = Field(
        default="filesystem",
        description="The name under which skills from files are listed.",
    )
    watch: bool = Field(
        default=True,
        description="Whether changes on the disk are noticed as they happen; otherwise only before each model step.",
    )
    watch_use_polling: bool = Field(
        default=False,
        description="Whether to look at the disk at intervals instead of being told by the system; for network "
        "folders.",
    )
    watch_poll_interval_ms: Whole = Field(
        default=100,
        ge=10,
        le=60_000,
        description="How often the disk is looked at when polling, in milliseconds.",
    )
    watch_stability_threshold_ms: Whole = Field(
        default=200,
        ge=1,
        le=60_000,
        description="How long a half-written or vanished file is waited for before that counts, in milliseconds.",
    )
    watch_max_projects: Whole = Field(
        default=128,
        ge=1,
        le=10_000,
        description="How many projects are watched at once; those not looked at for longest are released first.",
    )
    watch_follow_symlinks: bool = Field(
        default=True,
        description="Whether the folders that symbolic links lead to are watched as well.",
    )
    catalog_description_max_length: Whole = Field(
        default=500,
        ge=3,
        le=100_000,
        description="How many characters of a skill's description the model's catalog holds.",
    )
    catalog_budget_tokens: Whole | None = Field(
        default=None,
        ge=1,
        description="A warning is shown when the model's catalog costs more tokens than this; nothing is left out.",
    )
    theme: Text = Field(
        default="skilldeck-dark",
        description="The colour theme of the screen.",
    )
    motion: bool = Field(
        default=True,
        description="Whether anything blinks, spins or moves by itself; off also saves a little power.",
    )
    keymap: Keymap = Field(
        default_factory=dict,
        description="Other keys for the screen's bindings: a table from a binding's id to keys, such as "
        '"app.quit" = "ctrl+q".',
    )
    editor: Text | None = Field(
        default=None,
        description="The command that opens a file; VISUAL, then EDITOR when not set.",
    )

    _origins: dict[str, Origin] = PrivateAttr(default_factory=dict[str, Origin])
    _skill_dirs: tuple[str, ...] = PrivateAttr(default=())
    _own: Settings | None = PrivateAttr(default=None)

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """The layers of this load, nearest first; each overrides those after it, field by field."""
        return tuple(LayerSource(settings_cls, layer) for layer in layers_in_use())

    @property
    def skill_dirs(self) -> tuple[str, ...]:
        """The folders of ``--skills-dir``, absolute; they come after ``custom_skill_dirs`` and are the user's."""
        return self._skill_dirs

    @property
    def own(self) -> Settings:
        """What the settings would be without the project's file: what the person chose."""
        return self._own or self

    @property
    def user_skill_dirs(self) -> tuple[str, ...]:
        """Custom folders that the person chose, in order; a project's file adds to them and takes none away."""
        return self.own.custom_skill_dirs + self._skill_dirs

    @property
    def project_skill_dirs(self) -> tuple[str, ...]:
        """Custom folders that the project's file names: they count as the project's own."""
        return self.custom_skill_dirs if self.origin("custom_skill_dirs").kind == "project" else ()

    @property
    def project_disabled_skills(self) -> tuple[str, ...]:
        """Names that the project's file switches off, beside those that the person did."""
        return self.disabled_skills if self.origin("disabled_skills").kind == "project" else ()

    def origin(self, key: str) -> Origin:
        """Where the effective value of a setting (``model``, ``keymap.app.quit``) came from."""
        return self._origins.get(key, Origin.default())

    def with_origins(self, layers: tuple[Layer, ...]) -> Settings:
        """Notes which layer won each key; ``layers`` are nearest first."""
        for layer in reversed(layers):
            self._origins.update(layer.origins)
        return self

    def with_own(self, own: Settings) -> Settings:
        """Notes the settings without the project's file."""
        self._own = own
        return self

    def with_own_model(self) -> Settings:
        """The same with the model that the person chose, also where the project's file names another."""
        if self.origin("model").kind != "project":
            return self
        settings = self.model_copy(update={"model": self.own.model})
        settings._origins = {**self._origins, "model": self.own.origin("model")}
        return settings

    def with_skill_dirs(self, folders: tuple[str, ...]) -> Settings:
        """Adds the folders of ``--skills-dir``."""
        self._skill_dirs = folders
        return self


def setting_names() -> tuple[str, ...]:
    """Every setting's name, in the order of the definition."""
    return tuple(Settings.model_fields)
