"""What the screen needs of the running program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from app.settings.definition import Settings
    from skills_core.access import AccessStore
    from skills_core.agent import Agent
    from skills_core.agent.approval import Approver
    from skills_core.agent.model import Model
    from skills_core.filesystem import FilesystemProvider
    from skills_core.registry import Lookup, SkillRegistry
    from skills_core.session import Session, SessionStore


class ScreenRuntime(Protocol):
    """The parts that ``app.runtime.Runtime`` holds together."""

    @property
    def settings(self) -> Settings: ...
    @property
    def cwd(self) -> str: ...
    @property
    def project_root(self) -> str: ...
    @property
    def registry(self) -> SkillRegistry: ...
    @property
    def filesystem(self) -> FilesystemProvider | None: ...
    @property
    def access(self) -> AccessStore: ...
    @property
    def store(self) -> SessionStore: ...
    @property
    def lookup(self) -> Lookup: ...

    def agent_for(self, session: Session, approver: Approver, model: Model | None = None) -> Agent: ...

    async def open_model(self, name: str | None = None) -> Model: ...

    async def aclose(self) -> None: ...
