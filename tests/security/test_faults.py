"""Providers, permissions, disks and clocks that fail under the program: a clear message, and nothing lost."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from app import runtime as runtime_module
from skills_core.access import AnswersError
from skills_core.registry import Lookup, settled_snapshot
from skills_core.skill import SkillCandidate, SkillDefinition
from tests.security.support import DEADLINE, Machine, Person, names, skill

ROOT = Path(__file__).resolve().parents[2]


class OddProvider:
    """A provider of another program, which hangs, floods or raises on demand."""

    name = "odd"

    def __init__(self) -> None:
        self.mode = "calm"
        self.asked = asyncio.Event()

    async def list(self, lookup: Lookup) -> Sequence[SkillCandidate]:
        if self.mode == "hang":
            self.asked.set()
            while True:
                try:
                    await asyncio.Event().wait()
                except asyncio.CancelledError:
                    if self.mode != "hang":
                        raise
        if self.mode == "raise":
            raise RuntimeError("the server said \x1b[2J no")
        count = 20_000 if self.mode == "flood" else 1
        return [
            SkillCandidate(
                name=f"odd-{number}",
                description="Floods. " * (200 if count > 1 else 1),
                source="odd",
                provider="odd",
                rank=300,
            )
            for number in range(count)
        ]

    async def get(self, candidate: SkillCandidate, lookup: Lookup) -> SkillDefinition | None:
        return None


async def test_a_provider_that_raises_floods_or_hangs_harms_no_other(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runtime_module, "PROVIDER_SECONDS", 1.0)
    skill(machine.user_skills, "tidy", "Tidies.", "Tidy body.")
    async with machine.runtime() as runtime:
        provider = OddProvider()
        controls: list[Any] = []
        runtime.registry.register_provider(lambda control: (controls.append(control), provider)[1])
        agent = await machine.agent(runtime, *[{"text": "ok"}] * 20)
        await machine.turn(agent)
        assert list(machine.catalogs()[-1]) == ["odd-0", "tidy"]

        provider.mode = "raise"
        controls[0].invalidate()
        assert await machine.turn(agent) == "done"
        snapshot = await runtime.registry.snapshot(runtime.lookup)
        assert not snapshot.complete
        assert "the server said" in snapshot.reason
        assert list(machine.catalogs()[-1]) == ["odd-0", "tidy"], "the last good catalog stays"
        definition = await runtime.registry.get("tidy", runtime.lookup)
        assert definition is not None
        assert definition.content.strip() == "Tidy body."

        provider.mode = "flood"
        controls[0].invalidate()
        assert await machine.turn(agent) == "done"
        assert len(machine.catalogs()[-1]) == 20_001
        assert all(len(text) <= 500 for text in machine.catalogs()[-1].values())

        provider.mode = "hang"
        controls[0].invalidate()
        assert await machine.turn(agent) == "done"
        snapshot = await asyncio.wait_for(runtime.registry.snapshot(runtime.lookup), DEADLINE)
        assert "did not answer within 1 s" in snapshot.reason
        assert names(snapshot)["tidy"] == "user-agents"

        provider.mode = "calm"
        controls[0].invalidate()
        await machine.turn(agent)
        assert list(machine.catalogs()[-1]) == ["odd-0", "tidy"]


async def test_a_turn_that_waits_for_a_hanging_provider_can_be_stopped(machine: Machine) -> None:
    async with machine.runtime() as runtime:
        provider = OddProvider()
        runtime.registry.register_provider(lambda control: provider)
        agent = await machine.agent(runtime)
        await machine.turn(agent)
        provider.mode = "hang"
        runtime.access.notify()
        turn = asyncio.ensure_future(machine.turn(agent))
        await asyncio.wait_for(provider.asked.wait(), DEADLINE)
        agent.cancel()
        assert await asyncio.wait_for(turn, 5) == "cancelled"
        provider.mode = "calm"
        assert await machine.turn(agent) == "done"


# Disks.


@pytest.mark.parametrize("call", ["fsync", "replace", "open"])
async def test_a_full_disk_keeps_the_old_answers_and_this_runs_new_one(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    from skills_core.access import answers

    skill(machine.project_skills, "deploy")
    async with machine.runtime() as runtime:
        await asyncio.to_thread(runtime.access.set_trust, "/elsewhere", True)
        before = (machine.state / "answers.json").read_bytes()

        def full(*arguments: Any, **options: Any) -> Any:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        with monkeypatch.context() as broken:
            if call == "open":
                broken.setattr(answers.tempfile, "mkstemp", full)
            else:
                broken.setattr(answers.os, call, full)
            with pytest.raises(AnswersError) as caught:
                await runtime.access.remember_trust(str(machine.project), True)
        assert "No space left" in caught.value.message
        assert "SKILLDECK_STATE_DIR" in caught.value.hint
        assert (machine.state / "answers.json").read_bytes() == before
        assert sorted(path.name for path in machine.state.iterdir() if path.name.startswith(".answers")) == []
        # The person was asked and answered: that holds here, whatever the disk says.
        assert runtime.access.trust_of(str(machine.project)) is True
        agent = await machine.agent(runtime)
        await machine.turn(agent)
        assert machine.catalogs() == [{"deploy": "Does it."}]


# Permissions. Root passes over modes, so that the commands run without that privilege.

WITHOUT_PRIVILEGE = (
    ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.getuid() == 0 and shutil.which("setpriv") else []
)
needs_modes = pytest.mark.skipif(
    os.getuid() == 0 and not WITHOUT_PRIVILEGE, reason="root passes over modes, and setpriv is not there"
)


def command(machine: Machine, *words: str, status: int) -> tuple[str, str]:
    done = subprocess.run(
        [*WITHOUT_PRIVILEGE, sys.executable, "-m", "app.cli", *words],
        cwd=machine.project,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "error"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == status, f"{words}: {done.returncode}: {done.stderr}"
    assert "Traceback" not in done.stderr
    return done.stdout, done.stderr


@needs_modes
def test_a_state_folder_that_is_read_only(machine: Machine) -> None:
    skill(machine.user_skills, "tidy")
    machine.state.mkdir()
    (machine.state / "answers.json").write_text(json.dumps({"version": 1, "trust": {str(machine.project): True}}))
    machine.state.chmod(0o500)
    try:
        assert json.loads(command(machine, "skills", "--json", status=0)[0])["complete"]
        for words, status in (
            (("disable", "tidy"), 1),
            (("run", "hello"), 1),
        ):
            _, err = command(machine, *words, status=status)
            assert err.count("\n") == 1
            assert str(machine.state) in err
            assert "ermission denied" in err
        out, err = command(machine, "run", "hello", "--no-save", status=0)
        assert out.strip()
        out, _ = command(machine, "doctor", status=1)
        assert str(machine.state) in out
    finally:
        machine.state.chmod(0o700)
    command(machine, "disable", "tidy", status=0)
    assert json.loads((machine.state / "answers.json").read_text())["trust"] == {str(machine.project): True}


@needs_modes
def test_answers_that_may_not_be_read_trust_nothing_and_are_kept(machine: Machine) -> None:
    skill(machine.project_skills, "deploy")
    machine.state.mkdir()
    answers = machine.state / "answers.json"
    text = json.dumps({"version": 1, "trust": {str(machine.project): True}})
    answers.write_text(text)
    assert json.loads(command(machine, "skills", "--json", status=0)[0])["trusted"] is True
    answers.chmod(0)
    try:
        out, err = command(machine, "skills", "--json", status=0)
        assert json.loads(out)["trusted"] is not True
        assert str(answers) in err
        command(machine, "disable", "deploy", status=1)
    finally:
        answers.chmod(0o600)
    assert answers.read_text() == text


@needs_modes
def test_permission_lost_and_given_back(machine: Machine) -> None:
    one, two = skill(machine.user_skills, "one"), skill(machine.user_skills, "two")
    one.chmod(0)
    try:
        out, err = command(machine, "skills", "--json", status=1)
        listed = json.loads(out)
        offered = {each["name"] for each in listed["skills"]}
        assert "two" in offered, "one locked file hides no other"
        assert "one" not in offered
        assert not listed["complete"]
        assert str(one) in err
        two.parent.chmod(0)
        assert json.loads(command(machine, "skills", "--json", status=1)[0])["skills"] is not None
        machine.user_skills.chmod(0)
        command(machine, "skills", "--json", status=1)
    finally:
        machine.user_skills.chmod(0o755)
        two.parent.chmod(0o755)
        one.chmod(0o644)
    names_now = [each["name"] for each in json.loads(command(machine, "skills", "--json", status=0)[0])["skills"]]
    assert {"one", "two"} <= set(names_now)


# Clocks.


@pytest.mark.parametrize("moment", [0, 1, 4_102_444_800, 2**33])
async def test_files_from_another_time_are_offered_and_followed(machine: Machine, moment: int) -> None:
    path = skill(machine.user_skills, "tidy", "Before.")
    os.utime(path, (moment, moment))
    os.utime(path.parent, (moment, moment))
    (machine.user_skills / "half").mkdir()
    half = machine.user_skills / "half" / "SKILL.md"
    half.write_text("---\nname: half\n")
    os.utime(half, (moment, moment))
    async with machine.runtime() as runtime:
        fresh = Lookup(cwd=runtime.cwd, fresh=True)
        first = await asyncio.wait_for(settled_snapshot(runtime.registry, fresh, 5), 10)
        assert first.complete, first.reason
        assert first.by_name["tidy"].description == "Before."
        skill(machine.user_skills, "tidy", "Beyond.")
        os.utime(path, (moment, moment))
        second = await asyncio.wait_for(settled_snapshot(runtime.registry, fresh, 5), 10)
        assert second.by_name["tidy"].description == "Beyond."


async def test_a_clock_that_jumps_back_loses_nothing_of_a_session(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    from skills_core.session import clock

    skill(machine.user_skills, "tidy")
    now = datetime.now(UTC)
    jumps = iter([now, now - timedelta(days=400), now + timedelta(days=9000), datetime(1970, 1, 1, tzinfo=UTC)] * 400)

    class Jumping(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> datetime:
            return next(jumps)

    monkeypatch.setattr(clock, "datetime", Jumping)
    async with machine.runtime() as runtime:
        agent = await machine.agent(runtime)
        for text in ("one", "two", "three"):
            assert await machine.turn(agent, text) == "done"
        kept = [(event.seq, event.type) for event in machine.session.events]
        identifier = machine.session.id
        await machine.session.aclose()
        opened = await runtime.store.open(identifier)
        try:
            assert [(event.seq, event.type) for event in opened.events] == kept
            agent = await machine.agent(runtime, session=opened)
            assert await machine.turn(agent, "four") == "done"
            assert machine.catalogs() == [{"tidy": "Does it."}]
        finally:
            await opened.aclose()
        assert [one.id for one in await runtime.store.list(None)] == [identifier]


async def test_a_refused_question_leaves_the_next_turn_whole(machine: Machine) -> None:
    """An approver that fails answers nothing."""

    class Broken(Person):
        async def approve_tool(self, question: Any) -> Any:
            raise RuntimeError("the screen is gone")

    machine.person = Broken()
    async with machine.runtime() as runtime:
        calls = [{"name": "shell", "arguments": {"command": "touch owned"}}]
        agent = await machine.agent(runtime, {"tool_calls": calls}, {"text": "ok"}, {"text": "ok"})
        assert await machine.turn(agent) == "done"
        assert machine.results[0].startswith("Error: the call could not be approved")
        assert not (machine.project / "owned").exists()
        assert await machine.turn(agent) == "done"
