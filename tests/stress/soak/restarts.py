"""The core and the whole screen are opened, used and closed again and again; nothing may stay behind."""

from __future__ import annotations

import asyncio
import gc
import os
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, TypeAlias

from textual._styles_cache import StylesCache

from app.main import SkilldeckApp
from app.options import ScreenOptions
from app.runtime import Runtime
from app.screens.chat import ChatScreen
from app.settings.definition import Settings
from skills_core.agent import Agent
from skills_core.filesystem import FilesystemProvider
from skills_core.registry import SkillRegistry
from skills_core.session import Session
from skills_core.session.event import user_message
from tests.stress.soak.part import Clock, Report, Task
from tests.stress.soak.resources import Held, held_now

SKILLS = 20
WARM_UP = 3
LEAST_ROUNDS = 5
DEADLINE = 20.0
KINDS = (Runtime, SkillRegistry, FilesystemProvider, Session, Agent, SkilldeckApp, ChatScreen)


class Shop:
    """A project with skills, and the settings that a person would start with."""

    def __init__(self, folder: Path) -> None:
        self.project = folder / "shop"
        self.root = self.project / ".agents" / "skills"
        (self.project / ".git").mkdir(parents=True)
        for number in range(SKILLS):
            self.write(f"shelf-{number}", f"Fills shelf {number}.")
        os.environ.update(HOME=str(folder / "home"), SKILLDECK_STATE_DIR=str(folder / "state"))
        self.settings = Settings().model_copy(
            update={
                "trust": "yes",
                "motion": False,
                "dsh_home": str(folder / "home" / ".dsh"),
                "agents_home": str(folder / "home" / ".agents"),
            }
        )

    def write(self, name: str, description: str) -> None:
        path = self.root / name / "SKILL.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"---\nname: {name}\ndescription: {description}\n---\n\nDo it well.\n", encoding="utf-8")


Round: TypeAlias = Callable[[Shop, int], Coroutine[Any, Any, None]]


async def until(holds: Callable[[], object], what: str) -> None:
    deadline = asyncio.get_running_loop().time() + DEADLINE
    while not holds():
        if asyncio.get_running_loop().time() > deadline:
            raise AssertionError(f"waited {DEADLINE} s for {what}")
        await asyncio.sleep(0.005)


async def core_round(shop: Shop, number: int) -> None:
    """Opens the core, sees a change of the disk, runs a turn that loads a skill, and closes."""
    from app.controllers.questions import QuestionDesk

    runtime = await Runtime.open(shop.settings, str(shop.project))
    try:
        first = await runtime.settled()
        changed = asyncio.Event()
        unsubscribe = runtime.registry.subscribe(changed.set)
        shop.write("shelf-0", f"Fills the first shelf, round {number}.")
        async with asyncio.timeout(DEADLINE):
            await changed.wait()
        unsubscribe()
        assert first.complete, first.reason
        session = await runtime.store.create(runtime.cwd)
        try:
            agent = runtime.agent_for(session, QuestionDesk(), await runtime.open_model("offline"))
            outcome = await agent.run_turn(user_message("/skill:shelf-1 please"))
            assert outcome.reason == "done", outcome
        finally:
            await session.aclose()
    finally:
        await runtime.aclose()


async def screen_round(shop: Shop, number: int) -> None:
    """Starts the screen without a terminal, opens the popup, sends a message, and leaves."""

    async def open_runtime() -> Runtime:
        return await Runtime.open(shop.settings, str(shop.project))

    app = SkilldeckApp(ScreenOptions(cwd=str(shop.project), settings=shop.settings), open_runtime)
    async with app.run_test(size=(100, 30)) as pilot:
        chat = app.chat
        await until(lambda: chat.session.skill_view.snapshot is not None, "the first view of the skills")
        await until(
            lambda: chat.session.conversation is not None and chat.session.conversation.agent is not None, "the session"
        )
        chat.composer.insert("/skill:shel")
        await pilot.press("f")
        await until(lambda: chat.completion.open, "the popup")
        chat.composer.clear()
        chat.composer.insert(f"/skill:shelf-2 round {number}")
        chat.composer.insert(" ")
        await pilot.press("enter")
        await until(lambda: any(row.kind == "user" for row in chat.transcript.rows), "the message")
        await until(lambda: not chat.session.busy, "the end of the turn")
        await app.leave(0)


async def once(round: Round, shop: Shop, number: int) -> None:
    """One round in a task, with a context of its own: Textual keeps its app in a context variable."""
    await asyncio.create_task(round(shop, number))
    # Textual keeps what the last thousand widgets drew in a cache of fixed size: it is no leak, but hides one.
    StylesCache.get_inner_outer.cache_clear()
    gc.collect()


async def repeat(round: Round, shop: Shop, seconds: float, report: Report, name: str) -> None:
    """Rounds until the time is over; the counts after a few of them are compared with those after the last."""
    for number in range(WARM_UP):
        await once(round, shop, number)
    before = await quiet()
    clock = Clock(seconds)
    rounds = 0
    while rounds < LEAST_ROUNDS or clock.left > 0:
        await once(round, shop, rounds)
        rounds += 1
    after = await quiet(before)
    report.failures += [f"{name}: {leak}" for leak in after.leaks_since(before, rounds)]
    report.facts |= {f"{name} rounds": rounds, f"{name} threads": after.threads, f"{name} files": after.files}
    report.facts |= {f"{name} inotify": after.inotify, f"{name} tasks": after.tasks, f"{name} objects": after.objects}
    if before.memory is not None and after.memory is not None:
        report.facts[f"{name} memory, MiB"] = f"{before.memory:.1f} → {after.memory:.1f}"


async def quiet(before: Held | None = None, within: float = 2.0) -> Held:
    """The counts once they are no more than ``before``, or when ``within`` seconds are over."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + within
    while True:
        held = held_now(*KINDS)
        if loop.time() > deadline or (before is not None and not held.leaks_since(before, 0)):
            return held
        await asyncio.sleep(0.1)


def run(task: Task) -> Report:
    clock = Clock(task.seconds)
    report = Report("restarts", task.seed)
    shop = Shop(task.folder)

    async def both() -> None:
        await repeat(core_round, shop, task.seconds / 2, report, "core")
        await repeat(screen_round, shop, task.seconds / 2, report, "screen")

    try:
        asyncio.run(both())
    except (AssertionError, Exception) as error:
        report.failures.append(f"{type(error).__name__}: {error}")
    report.seconds = clock.taken
    return report
