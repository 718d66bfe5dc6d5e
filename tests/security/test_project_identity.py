"""Which project an answer belongs to."""

from __future__ import annotations

import asyncio
import json
import os
import shutil

import pytest

from skills_core.filesystem import find_project_root
from skills_core.registry import Lookup, settled_snapshot
from tests.security.support import Machine, names, skill


async def test_trust_is_remembered_by_the_real_path(machine: Machine) -> None:
    """A link that the person trusted through leads to another repository later."""
    skill(machine.project_skills, "deploy", "Deploys.")
    other = machine.tmp_path / "other"
    (other / ".git").mkdir(parents=True)
    skill(other / ".agents" / "skills", "deploy", "Owned.")
    link = machine.tmp_path / "work"
    link.symlink_to(machine.project)
    async with machine.runtime(link) as runtime:
        await runtime.access.remember_trust(str(link), True)
        assert runtime.access.trust_of(str(machine.project)) is True
        agent = await machine.agent(runtime)
        await machine.turn(agent)
        assert machine.catalogs() == [{"deploy": "Deploys."}]
        link.unlink()
        link.symlink_to(other)
        await machine.turn(agent)
        assert machine.catalogs()[-1] == {}
        assert "Owned" not in machine.sent
    stored = json.loads((machine.state / "answers.json").read_text())
    assert stored["trust"] == {str(machine.project): True}
    async with machine.runtime(machine.project) as runtime:
        assert runtime.access.trust_of(str(machine.project)) is True


async def test_other_spellings_of_a_trusted_path_are_not_trusted(machine: Machine) -> None:
    async with machine.runtime() as runtime:
        await runtime.access.remember_trust(str(machine.project), True)
        for other in (f"{machine.project}x", str(machine.project).upper(), f"{machine.project}\u200b", "/", ""):
            assert runtime.access.trust_of(other) is not True


async def test_a_repository_in_a_trusted_one_is_asked_about_for_itself(machine: Machine) -> None:
    vendored = machine.project / "vendor" / "lib"
    skill(vendored / ".agents" / "skills", "deploy", "Owned.")
    (vendored / ".git").write_text(f"gitdir: {machine.project}/.git\n")
    assert find_project_root(str(vendored)) == str(vendored)
    async with machine.runtime(vendored) as runtime:
        await runtime.access.remember_trust(str(machine.project), True)
        agent = await machine.agent(runtime)
        await machine.turn(agent)
        assert machine.catalogs() == []
    async with machine.runtime() as runtime:
        assert names(await runtime.settled()) == {}


async def test_a_replaced_repository_is_announced_before_its_skills_are_used(machine: Machine) -> None:
    """Trust belongs to the path, so that what is new there comes with a row that names it."""
    skill(machine.project_skills, "deploy", "Deploys.")
    async with machine.runtime() as runtime:
        await runtime.access.remember_trust(str(machine.project), True)
        agent = await machine.agent(runtime)
        await machine.turn(agent)
        shutil.rmtree(machine.project / ".agents")
        skill(machine.project_skills, "harvest", "Harvests keys.")
        await machine.turn(agent)
        assert machine.catalogs()[-1] == {"harvest": "Harvests keys."}
        for request in machine.model.requests:
            shown = [e for e in machine.session.of_source("skill-catalog") if "harvest" in str(e.data)]
            if "Harvests keys" in str(request.messages):
                assert shown, "the model was told before the log"


async def test_answers_that_lie_in_the_project_are_nobodys(machine: Machine) -> None:
    forged = {"version": 1, "trust": {str(machine.project): True}, "switches": {"user": {}, "projects": {}}}
    for place in ("answers.json", "state/answers.json", ".skilldeck/answers.json", ".agents/answers.json"):
        path = machine.project / place
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(forged))
    async with machine.runtime() as runtime:
        assert runtime.access.trust_of(str(machine.project)) is None


@pytest.mark.parametrize("variable", ["SKILLDECK_STATE_DIR", "SKILLDECK_CONFIG_DIR"])
def test_a_relative_state_folder_is_refused(machine: Machine, variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Relative to the working folder, it would be the repository that brings the person's answers and settings."""
    from app.errors import UsageError
    from app.settings.files import config_dir, state_dir

    monkeypatch.setenv(variable, "state")
    with pytest.raises(UsageError, match=f"{variable} must be an absolute path"):
        state_dir() if variable.endswith("STATE_DIR") else config_dir()


@pytest.mark.parametrize("kind", ["fifo", "nul", "loop", "long", "device", "binary"])
async def test_an_odd_git_file_holds_nothing_up(machine: Machine, kind: str) -> None:
    skill(machine.user_skills, "tidy")
    skill(machine.project_skills, "deploy")
    git = machine.project / ".git"
    git.rmdir()
    match kind:
        case "fifo":
            os.mkfifo(git)
        case "nul":
            git.write_bytes(b"gitdir: a\0b\n")
        case "loop":
            git.symlink_to(".git")
        case "long":
            git.write_text("gitdir: " + "a" * 100_000)
        case "device":
            git.symlink_to("/dev/zero")
        case _:
            git.write_bytes(b"gitdir: \xff\xfe\n")
    async with machine.runtime() as runtime:
        assert runtime.project_root == str(machine.project)
        await asyncio.wait_for(runtime.settled(), 10)
        # Something goes, so that the lock is looked for.
        shutil.rmtree(machine.project_skills / "deploy")
        fresh = Lookup(cwd=runtime.cwd, fresh=True)
        snapshot = await asyncio.wait_for(settled_snapshot(runtime.registry, fresh, 3), 10)
        assert snapshot.complete, snapshot.reason
        assert names(snapshot) == {"tidy": "user-agents"}
