"""The chat on a runtime of the tests: the real registry, access, sessions and agent; skills that a test publishes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

from rich.segment import Segment

from app.controllers.marks import UNICODE
from app.main import SkilldeckApp
from app.options import ScreenOptions
from app.settings.definition import Settings
from skills_core.access import AccessStore
from skills_core.registry import Lookup, SkillRegistry
from skills_core.registry.provider import IncompleteReason, ProviderControl, ProviderListing
from skills_core.session import Session, SessionStore
from skills_core.skill import InvocationPolicy, SkillCandidate, SkillDefinition

NOON = datetime(2026, 1, 1, 12, 0, 0, tzinfo=UTC)


def skill(name: str, description: str = "", **facts: Any) -> SkillCandidate:
    """A candidate of the tests' provider; a user's skill unless said otherwise."""
    values: dict[str, Any] = {
        "source": "user-agents",
        "provider": "shelf",
        "rank": 500,
        "path": f"/home/ada/.agents/skills/{name}/SKILL.md",
    }
    values.update(facts)
    return SkillCandidate(name=name, description=description or f"Does {name}.", **values)


def user_only(name: str, description: str = "") -> SkillCandidate:
    return skill(name, description, invocation=InvocationPolicy(model_invocable=False))


def project_skill(name: str, description: str = "", root: str = "/home/shop") -> SkillCandidate:
    path = f"{root}/.agents/skills/{name}/SKILL.md"
    return skill(name, description, source="project-agents", rank=200, project_root=root, path=path)


class Shelf:
    """A provider whose listing the test sets; ``put`` publishes and invalidates at once."""

    name = "shelf"

    def __init__(self, control: ProviderControl) -> None:
        self.control = control
        self.listing = ProviderListing()
        self.bodies: dict[str, str] = {}

    async def list(self, lookup: Lookup) -> ProviderListing:
        return self.listing

    async def get(self, candidate: SkillCandidate, lookup: Lookup) -> SkillDefinition | None:
        found = next((each for each in self.listing.candidates if each.name == candidate.name), None)
        if found is None:
            return None
        facts = {field: getattr(found, field) for field in _FACTS}
        return SkillDefinition(**facts, content=self.bodies.get(found.name, f"Do {found.name} well."))

    def put(
        self, *skills: SkillCandidate, complete: bool = True, reason: str = "", problems: Sequence[Any] = ()
    ) -> None:
        reasons = () if complete else (IncompleteReason("shelf", "failed", reason or "a folder cannot be read"),)
        self.listing = ProviderListing(candidates=skills, complete=complete, reasons=reasons, problems=tuple(problems))
        self.control.invalidate()


_FACTS = (
    "name", "description", "source", "provider", "rank", "invocation", "when_to_use", "argument_hint", "label",
    "resource_base", "path", "real_path", "project_root",
)  # fmt: skip


class ShelfRuntime:
    """What the screen needs of a runtime, over a ``Shelf``."""

    def __init__(self, state: Path, settings: Settings, cwd: str) -> None:
        self.settings = settings
        self.cwd = cwd
        self.project_root = cwd
        self.registry = SkillRegistry()
        self.filesystem = None
        provider = self.registry.register_provider(Shelf).provider
        assert isinstance(provider, Shelf)
        self.shelf = provider
        self.access = AccessStore(state, cwd_project=cwd, trust=settings.trust)
        self.store = SessionStore(state / "sessions", "1.0.0")
        self.lookup = Lookup(cwd=cwd)
        self.model: Any = None

    async def open_model(self, name: str | None = None) -> Any:
        from skills_core.agent.models.offline import OfflineModel

        return self.model or OfflineModel()

    def agent_for(self, session: Session, approver: Any, model: Any = None) -> Any:
        from skills_core.agent import Agent
        from skills_core.agent.tools.skill import SkillTool
        from skills_core.catalog import CatalogPublisher
        from skills_core.invocation import InvocationLoader

        return Agent(
            session=session,
            model=model,
            tools=(SkillTool(self.registry, self.access), *self.tools),
            hooks=(
                CatalogPublisher(self.registry, self.access),
                InvocationLoader(self.registry, self.access, approver),
            ),
            approver=approver,
            system_prompt="You are a test.",
            **self.agent_options,
        )

    tools: tuple[Any, ...] = ()
    agent_options: Mapping[str, Any] = MappingProxyType({})

    async def aclose(self) -> None:
        await self.registry.aclose()


class Deck:
    """An app under test with its runtime, and waiting on conditions."""

    def __init__(self, state: Path, *, cwd: str = "/home/shop", **settings: Any) -> None:
        values: dict[str, Any] = {"motion": False, "theme": "skilldeck-dark", "trust": "ask", **settings}
        options = ScreenOptions(cwd=cwd, settings=Settings().model_copy(update=values))
        self.runtime = ShelfRuntime(state, options.settings, cwd)
        self.app = SkilldeckApp(options, self._open, marks=UNICODE, home="/home/ada", clock=lambda: NOON)

    @property
    def shelf(self) -> Shelf:
        return self.runtime.shelf

    @property
    def chat(self) -> Any:
        return self.app.chat

    async def _open(self) -> Any:
        return self.runtime

    async def ready(self) -> None:
        """Until the first snapshot is shown and the session is open."""
        await self.until(lambda: self.chat.session.skill_view.snapshot is not None, "the first snapshot")
        await self.until(
            lambda: self.chat.session.conversation is not None and self.chat.session.conversation.agent is not None,
            "the session",
        )

    async def until(self, holds: Callable[[], object], what: str, timeout: float = 5.0) -> None:
        deadline = asyncio.get_running_loop().time() + timeout
        while not holds():
            if asyncio.get_running_loop().time() > deadline:
                raise AssertionError(f"waited {timeout} s for {what}")
            await asyncio.sleep(0.01)

    async def seen(self, number: int) -> None:
        await self.until(lambda: self.chat.session.skill_view.number >= number, f"view #{number}")

    def text(self) -> str:
        """The screen as text, line by line."""
        rows = self.app.screen._compositor.render_strips()
        return "\n".join(strip.text.rstrip() for strip in rows)

    def on_ground(self, y: int, ground: str) -> list[str]:
        """The pieces of text that have this ground, such as ``#2b3a57``, in one line of the screen."""
        strip = self.app.screen._compositor.render_strips()[y]
        return [segment.text for segment in strip if _ground(segment) == ground]


def _ground(segment: Segment) -> str | None:
    color = segment.style.bgcolor if segment.style else None
    return color.triplet.hex if color is not None and color.triplet is not None else None
