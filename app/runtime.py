"""The assembled core for one working folder: used by every command and by the screen."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from app.assets import bundled_skills, program_version
from app.errors import UsageError
from app.settings.definition import Settings
from app.settings.files import state_dir
from app.system_prompt import system_prompt
from skills_core.access.store import AccessStore
from skills_core.filesystem import (
    FilesystemProvider,
    FilesystemSettings,
    FilesystemSettingsError,
    filesystem_provider,
    find_project_root,
)
from skills_core.registry import Lookup, SkillRegistry, SkillSnapshot, settled_snapshot
from skills_core.session import SessionStore

if TYPE_CHECKING:
    from skills_core.agent import Agent, Approver, Model
    from skills_core.session import Session

SETTLE_SECONDS = 2.0
"""How long a command waits for a complete snapshot."""

STEP_MARGIN_SECONDS = 0.1

PROVIDER_SECONDS = 30.0
"""After how long a source of skills that does not answer, such as a lost network folder, counts as failed."""


class Runtime:
    """Registry, provider, access, sessions and settings, opened together and closed together.

    ``cwd`` and ``project_root`` are absolute. Made by ``Runtime.open``; ``aclose`` may be called twice.
    """

    def __init__(
        self,
        settings: Settings,
        cwd: str,
        *,
        project_root: str,
        registry: SkillRegistry,
        filesystem: FilesystemProvider,
        access: AccessStore,
        store: SessionStore,
    ) -> None:
        self.settings = settings
        self.cwd = cwd
        self.project_root = project_root
        self.registry = registry
        self.filesystem = filesystem
        self.access = access
        self.store = store
        self.lookup = Lookup(cwd=cwd)

    @classmethod
    async def open(cls, settings: Settings, cwd: str, *, watch: bool | None = None) -> Runtime:
        """Assembles the core. ``watch`` overrides the setting: commands that look once do not watch.

        The model that the project's file names counts when the project is trusted already.

        Raises UsageError for a setting that the provider refuses.
        """
        project_root = await asyncio.to_thread(find_project_root, cwd)
        watched = settings if watch is None else settings.model_copy(update={"watch": watch})
        factory = filesystem_provider(filesystem_settings(watched))
        folder = state_dir()

        def access_store() -> AccessStore:
            return AccessStore(
                folder,
                cwd_project=project_root,
                trust=settings.trust,
                disabled_skills=settings.own.disabled_skills,
                project_disabled_skills=settings.project_disabled_skills,
            )

        access = await asyncio.to_thread(access_store)
        if access.trust_of(project_root) is not True:
            # What the person writes would go to a model that whoever wrote the project chose.
            settings = settings.with_own_model()
        registry = SkillRegistry(strict=False, access=access, provider_timeout=PROVIDER_SECONDS)
        provider = registry.register_provider(factory).provider
        return cls(
            settings,
            cwd,
            project_root=project_root,
            registry=registry,
            filesystem=provider,
            access=access,
            store=SessionStore(folder / "sessions", program_version()),
        )

    async def settled(self, timeout: float = SETTLE_SECONDS) -> SkillSnapshot:
        """The newest snapshot, complete if it became so within ``timeout`` seconds."""
        return await settled_snapshot(self.registry, self.lookup, timeout)

    async def open_model(self, name: str | None = None) -> Model:
        """The model of that name, or of the settings. Raises ModelError, with a line for the person.

        Model libraries are imported here, in a thread, and the command that prints the key runs here.
        """
        from app.models import open_configured_model

        return await asyncio.to_thread(open_configured_model, self.settings, name or self.settings.model, self.cwd)

    def agent_for(self, session: Session, approver: Approver, model: Model | None = None) -> Agent:
        """An agent over a session, with this folder's skills, tools and hooks.

        The caller owns session and model. Without a model it opens the settings' one, which may take a moment.
        """
        from app.models import hidden_variables, open_configured_model
        from skills_core.agent import Agent, AgentLimits, default_hooks, default_tools

        settings = self.settings
        return Agent(
            session=session,
            model=model or open_configured_model(settings, settings.model, self.cwd),
            tools=default_tools(
                session.header.cwd,
                self.filesystem,
                self.registry,
                self.access,
                project_root=self.project_root,
                hidden_variables=hidden_variables(settings),
            ),
            hooks=default_hooks(
                self.registry,
                approver,
                self.access,
                project_root=self.project_root,
                description_max_length=self._trusted_settings().catalog_description_max_length,
                budget_tokens=settings.catalog_budget_tokens,
                settle_timeout=settings.watch_stability_threshold_ms / 1000 + STEP_MARGIN_SECONDS,
            ),
            approver=approver,
            system_prompt=system_prompt(session.header.cwd, self.project_root),
            max_steps=settings.max_steps,
            allow_tools=settings.allow_tools,
            limits=AgentLimits(reply_idle=settings.request_timeout, reply_time=settings.reply_timeout),
        )

    def _trusted_settings(self) -> Settings:
        """The settings, without those of the project's file as long as it is not trusted."""
        return self.settings if self.access.trust_of(self.project_root) is True else self.settings.own

    async def aclose(self) -> None:
        """Stops watching and closes the registry."""
        await self.registry.aclose()
        await self.filesystem.aclose()


def filesystem_settings(settings: Settings) -> FilesystemSettings:
    """The part of the settings that the provider takes. Raises UsageError."""
    try:
        return FilesystemSettings(
            watch=settings.watch,
            watch_use_polling=settings.watch_use_polling,
            watch_stability_threshold_ms=settings.watch_stability_threshold_ms,
            watch_poll_interval_ms=settings.watch_poll_interval_ms,
            watch_max_projects=settings.watch_max_projects,
            watch_follow_symlinks=settings.watch_follow_symlinks,
            include_default_roots=settings.include_default_roots,
            dsh_home=settings.dsh_home,
            agents_home=settings.agents_home,
            custom_skill_dirs=settings.user_skill_dirs,
            project_skill_dirs=settings.project_skill_dirs,
            bundled_skill_dir=settings.bundled_skill_dir or str(bundled_skills()),
            provider_name=settings.provider_name,
            # A project may have deeper skills found, but not those of the person overlooked.
            discovery_depth=max(settings.discovery_depth, settings.own.discovery_depth),
        )
    except FilesystemSettingsError as error:
        place = settings.origin(error.field).place
        raise UsageError(f"{place}: {error.message}") from None
