"""A person's machine with a hostile repository on it, and the program's own runtime opened there."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from app.runtime import Runtime
from app.settings.definition import Settings
from app.settings.loading import FlagValue, load_settings
from skills_core.agent import Agent
from skills_core.agent.approval import ToolAnswer, ToolQuestion, TrustQuestion
from skills_core.agent.models.scripted import ScriptedModel
from skills_core.catalog import read_catalog
from skills_core.filesystem import find_project_root
from skills_core.registry import SkillSnapshot
from skills_core.session import Session
from skills_core.session.event import user_message
from tests.core.agent.support import write_script

DEADLINE = 30.0
SECRET = "pearl-diver-1851"
"""What stands in files that must never be read for a stranger."""


class Person:
    """Answers as told, and keeps what was asked. ``trust`` None leaves the question open."""

    def __init__(self, trust: bool | None = None, tool: ToolAnswer = "no") -> None:
        self.trust = trust
        self.tool: ToolAnswer = tool
        self.trust_questions: list[TrustQuestion] = []
        self.tool_questions: list[ToolQuestion] = []

    async def approve_tool(self, question: ToolQuestion) -> ToolAnswer:
        self.tool_questions.append(question)
        return self.tool

    async def approve_trust(self, question: TrustQuestion) -> bool | None:
        self.trust_questions.append(question)
        return self.trust


class Machine:
    """``home`` is the person's, ``project`` the repository's. The environment is the test's own."""

    def __init__(self, tmp_path: Path) -> None:
        self.tmp_path = tmp_path
        self.home = tmp_path / "home"
        self.project = tmp_path / "repository"
        self.outside = tmp_path / "outside"
        for folder in (self.home, self.project / ".git", self.outside):
            folder.mkdir(parents=True)
        self.secret = self.outside / "secret.txt"
        self.secret.write_text(f"{SECRET}\n")
        self.person = Person()
        self.model: ScriptedModel
        self.session: Session

    @property
    def user_skills(self) -> Path:
        return self.home / ".agents" / "skills"

    @property
    def project_skills(self) -> Path:
        return self.project / ".agents" / "skills"

    @property
    def state(self) -> Path:
        return self.home / "state"

    def user_settings(self, text: str) -> None:
        (self.home / "config").mkdir(exist_ok=True)
        (self.home / "config" / "settings.toml").write_text(text)

    def project_settings(self, text: str) -> None:
        (self.project / ".skilldeck.toml").write_text(text)

    def settings(self, cwd: Path | None = None, **flags: Any) -> Settings:
        where = str(cwd or self.project)
        values = {"bundled_skill_dir": str(self.tmp_path / "no-bundled"), **flags}
        given = [FlagValue(key, value, f"--set {key}") for key, value in values.items()]
        return load_settings(where, find_project_root(where), given)

    @asynccontextmanager
    async def runtime(self, cwd: Path | None = None, *, watch: bool = False, **flags: Any) -> AsyncIterator[Runtime]:
        runtime = await Runtime.open(self.settings(cwd, **flags), str(cwd or self.project), watch=watch)
        try:
            yield runtime
        finally:
            await runtime.aclose()

    async def agent(self, runtime: Runtime, *replies: Mapping[str, Any], session: Session | None = None) -> Agent:
        self.session = session or await runtime.store.create(runtime.cwd)
        self.model = ScriptedModel(write_script(self.tmp_path, replies or [{"text": "ok"}] * 9))
        return runtime.agent_for(self.session, self.person, self.model)

    async def turn(self, agent: Agent, text: str = "hello") -> str:
        outcome = await asyncio.wait_for(agent.run_turn(user_message(text)), DEADLINE)
        return outcome.reason

    @property
    def sent(self) -> str:
        """Everything that the model was ever given in messages, and the system prompts."""
        return "\n".join(
            text for request in self.model.requests for text in (request.system, *map(str, request.messages))
        )

    @property
    def results(self) -> list[str]:
        return [
            "".join(block["text"] for block in event.data["content"])
            for event in self.session.events
            if event.type == "tool/result"
        ]

    def catalogs(self) -> list[dict[str, str]]:
        found: list[dict[str, str]] = []
        for event in self.session.of_source("skill-catalog"):
            entries = read_catalog(event.data)
            assert entries is not None
            found.append({entry.name: entry.description for entry in entries})
        return found


async def call(machine: Machine, runtime: Any, tool: str, **arguments: Any) -> str:
    """One tool call by the real agent in a session of its own; the text of its result."""
    agent = await machine.agent(runtime, {"tool_calls": [{"name": tool, "arguments": arguments}]}, {"text": "ok"})
    try:
        assert await machine.turn(agent) == "done"
        return machine.results[-1]
    finally:
        await machine.session.aclose()


def skill(folder: Path, name: str, description: str = "Does it.", body: str = "Do it.", **extra: str) -> Path:
    path = folder / name / "SKILL.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    more = "".join(f"{key}: {value}\n" for key, value in extra.items())
    path.write_text(f"---\nname: {name}\ndescription: {description}\n{more}---\n{body}\n")
    return path


def names(snapshot: SkillSnapshot) -> dict[str, str]:
    """Each skill's source by its name."""
    return {skill.name: skill.source for skill in snapshot.skills}


async def until(condition: Callable[[], Awaitable[bool]], what: str, seconds: float = DEADLINE) -> None:
    end = time.monotonic() + seconds
    while not await condition():
        assert time.monotonic() < end, f"waited {seconds} s for {what}"
        await asyncio.sleep(0.02)


def clean_environment(tmp_path: Path, setenv: Callable[[str, str], None], delenv: Callable[[str], None]) -> None:
    for name in list(os.environ):
        if name.startswith(("SKILLDECK_", "DSH_", "XDG_")) or name.endswith("_API_KEY"):
            delenv(name)
    home = tmp_path / "home"
    setenv("HOME", str(home))
    setenv("SKILLDECK_CONFIG_DIR", str(home / "config"))
    setenv("SKILLDECK_STATE_DIR", str(home / "state"))
