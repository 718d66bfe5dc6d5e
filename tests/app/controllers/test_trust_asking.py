"""When the question of trust is asked, and what one question is about."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from app.controllers.skill_view import SkillView
from app.controllers.trust_asking import TrustAsking
from skills_core.agent.approval import TrustQuestion
from skills_core.agent.instruction_files import InstructionFiles, read_instructions
from skills_core.registry.snapshot import SkillSnapshot
from skills_core.skill import SkillSummary

DEADLINE = 20.0


class Asking:
    """Trust asking over a real project folder. The answers come when ``release`` is set."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.trust: dict[str, bool] = {}
        self.questions: list[TrustQuestion] = []
        self.answer: bool | None = True
        self.release = asyncio.Event()
        self.looks = 0
        self.hold = threading.Event()
        self.hold.set()
        self.asking = TrustAsking(self, self, self.remember, str(root), self.read, interval=0.02)  # type: ignore[arg-type]

    def read(self) -> InstructionFiles:
        self.hold.wait(DEADLINE)
        self.looks += 1
        return read_instructions(str(self.root), str(self.root))

    def trust_of(self, project_root: str) -> bool | None:
        return self.trust.get(project_root)

    async def approve_trust(self, question: TrustQuestion) -> bool | None:
        self.questions.append(question)
        await self.release.wait()
        return self.answer

    async def remember(self, project_root: str, answer: bool) -> None:
        self.trust[project_root] = answer

    def see(self, *names: str) -> None:
        skills = tuple(
            SkillSummary(
                name=name,
                description="Does it.",
                source="project-agents",
                provider="filesystem",
                rank=200,
                project_root=str(self.root),
            )
            for name in names
        )
        self.asking.see(SkillView(snapshot=SkillSnapshot(skills=skills)))

    @property
    def asked(self) -> list[tuple[list[str], list[str]]]:
        return [([s.name for s in q.skills], [f.path for f in q.instructions]) for q in self.questions]


async def until(condition: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < end, f"waited {DEADLINE} s for {what}"
        await asyncio.sleep(0.005)


@pytest.fixture
async def asking(tmp_path: Path) -> AsyncIterator[Asking]:
    (tmp_path / ".git").mkdir()
    made = Asking(tmp_path)
    made.asking.start()
    yield made
    made.hold.set()
    await made.asking.aclose()
    left = [task.get_name() for task in asyncio.all_tasks() if task.get_name().startswith("trust-")]
    assert left == []


async def test_one_question_names_skills_and_instructions(asking: Asking, tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("Be kind.")
    # The skills are there first; the question waits for the look at the files.
    asking.hold.clear()
    asking.see("hem", "sew")
    await asyncio.sleep(0)
    assert asking.questions == []
    asking.hold.set()
    await until(lambda: bool(asking.questions), "the question")
    asking.see("hem", "sew")
    looks = asking.looks
    asking.release.set()
    await until(lambda: bool(asking.trust), "the answer")
    assert asking.asked == [(["hem", "sew"], ["AGENTS.md"])]
    assert asking.looks <= looks + 1


async def test_before_the_first_look_at_the_skills_nothing_is_asked(asking: Asking, tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("Be kind.")
    asking.asking.see(SkillView())
    for _ in range(5):
        await asyncio.sleep(0.02)
    assert asking.looks == 0
    asking.see()
    await until(lambda: bool(asking.questions), "the question")
    assert asking.asked == [([], ["AGENTS.md"])]


async def test_instructions_that_come_later_are_asked_about(asking: Asking, tmp_path: Path) -> None:
    asking.see()
    await until(lambda: asking.looks >= 2, "two looks")
    assert asking.questions == []
    (tmp_path / "AGENTS.md").write_text("Be kind.")
    await until(lambda: bool(asking.questions), "the question")
    assert asking.asked == [([], ["AGENTS.md"])]


async def test_an_open_answer_is_not_asked_for_again_and_the_looking_ends(asking: Asking, tmp_path: Path) -> None:
    asking.answer = None
    asking.release.set()
    (tmp_path / "AGENTS.md").write_text("Be kind.")
    asking.see()
    await until(lambda: bool(asking.questions), "the question")
    looks = asking.looks
    for _ in range(5):
        await asyncio.sleep(0.02)
        asking.see("hem")
    assert len(asking.questions) == 1
    assert asking.looks == looks
    assert asking.trust == {}


@pytest.mark.parametrize("answer", [True, False])
async def test_an_answered_project_is_asked_about_only_on_request(asking: Asking, tmp_path: Path, answer: bool) -> None:
    asking.trust[str(tmp_path)] = answer
    (tmp_path / "AGENTS.md").write_text("Be kind.")
    asking.see("hem")
    for _ in range(5):
        await asyncio.sleep(0.02)
    assert (asking.questions, asking.looks) == ([], 0)
    assert await asking.asking.ask_again() is True
    await until(lambda: bool(asking.questions), "the question")
    assert asking.asked == [(["hem"], ["AGENTS.md"])]


async def test_a_project_that_brings_nothing_is_not_asked_about(asking: Asking, tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text(" \n")
    asking.see()
    assert await asking.asking.ask_again() is False
    await until(lambda: asking.looks >= 2, "two looks")
    assert asking.questions == []
