"""Every setting: its name, its default, its range, and a sentence that says what it does."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, PrivateAttr, SecretStr
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from app.settings.sources import LayerSource, Origin, SettingsLayer, layers_in_use
from app.settings.value_types import Address, Keymap, Paths, ProviderName, Text, Tools, Whole, Windows, Words

ENVIRONMENT_PREFIX = "SKILLDECK_"

PROJECT_KEYS = (
    "custom_skill_dirs",
    "discovery_depth",
    "catalog_description_max_length",
    "disabled_skills",
    "model",
)
"""What a project's ``.skilldeck.toml`` may set: nothing that could reach outside the project or spend in silence."""

PATH_KEYS = ("dsh_home", "agents_home", "custom_skill_dirs", "bundled_skill_dir")
"""Settings that hold paths: ``~`` is the home folder, and a relative path belongs to the place that names it."""

SECRET_KEYS = ("api_key",)
"""Read from the environment only, and never shown."""


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
    base_url: Address | None = Field(
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
    provider_name: ProviderName = Field(
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

    def with_origins(self, layers: tuple[SettingsLayer, ...]) -> Settings:
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
