from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from skills_core.access import AccessRefresh, AccessStore, AnswersError, model_may_use, user_may_use
from skills_core.access.answers import AnswersFile
from skills_core.skill import InvocationPolicy, SkillSummary


def skill(name: str = "demo", project: str | None = None, *, model: bool = True, user: bool = True) -> SkillSummary:
    return SkillSummary(
        name=name,
        description="Text.",
        source="project-agents" if project else "user-agents",
        provider="filesystem",
        rank=200,
        project_root=project,
        invocation=InvocationPolicy(model, user),
    )


def store(path: Path, **settings) -> AccessStore:
    return AccessStore(path, cwd_project=settings.pop("cwd_project", "/project"), **settings)


def test_a_project_is_not_trusted_until_it_was_answered(tmp_path: Path):
    access = store(tmp_path)
    own, foreign = skill(), skill(project="/project")
    assert access.trust_of("/project") is None
    assert access.is_trusted(own) and not access.is_trusted(foreign)
    assert model_may_use(own, access) and not model_may_use(foreign, access) and user_may_use(foreign, access)
    access.set_trust("/project", True)
    assert model_may_use(foreign, access) and store(tmp_path).trust_of("/project") is True
    assert store(tmp_path).trust_of("/project/below") is None
    access.set_trust("/project", False)
    assert store(tmp_path).trust_of("/project") is False and not model_may_use(foreign, access)
    access.set_trust("/project", None)
    assert store(tmp_path).trust_of("/project") is None


def test_a_project_may_be_met_for_the_first_time_while_the_answers_are_reread(tmp_path: Path, monkeypatch):
    access = store(tmp_path)
    access.trust_of("/one")
    real, met = os.path.realpath, []

    def meeting(path: str) -> str:
        if not met:
            met.append(path)
            access.trust_of("/another")
        return real(path)

    monkeypatch.setattr(os.path, "realpath", meeting)
    access.reload()
    assert met == ["/one"]
    assert access.trust_of("/another") is None


def test_an_answer_given_while_the_file_is_reread_is_not_lost(tmp_path: Path, monkeypatch):
    access = store(tmp_path)
    access.set_trust("/project", True)
    read, release, real = threading.Event(), threading.Event(), AnswersFile.read

    def slow(file: AnswersFile):
        answers = real(file)
        if not read.is_set():
            read.set()
            assert release.wait(20), "waited 20 s to be released"
        return answers

    monkeypatch.setattr(AnswersFile, "read", slow)
    rereading = threading.Thread(target=access.reload)
    rereading.start()
    assert read.wait(20), "waited 20 s for the file to be read"
    answering = threading.Thread(target=access.set_trust, args=("/project", False))
    answering.start()
    answering.join(0.1)
    release.set()
    for thread in (rereading, answering):
        thread.join(20)
        assert not thread.is_alive()
    assert access.trust_of("/project") is False


@pytest.mark.parametrize(("mode", "answer"), [("yes", True), ("no", False)])
def test_an_override_decides_for_this_process_alone(tmp_path: Path, mode, answer):
    store(tmp_path).set_trust("/project", not answer)
    assert store(tmp_path, trust=mode).trust_of("/project") is answer
    assert store(tmp_path).trust_of("/project") is not answer


def test_an_answer_given_here_ends_the_override(tmp_path: Path):
    access = store(tmp_path, trust="no")
    access.set_trust("/project", True)
    assert access.trust_of("/project") is True


def test_the_projects_switch_wins_over_the_users_and_both_over_the_settings(tmp_path: Path):
    access = store(tmp_path, disabled_skills=["demo"])
    assert not access.is_enabled(skill()) and access.switched_off() == {"demo"}
    access.set_enabled("demo", True, user=True)
    assert access.is_enabled(skill()) and access.switched_off() == frozenset()
    access.set_enabled("demo", False, user=False)
    assert not access.is_enabled(skill())
    assert store(tmp_path, cwd_project="/elsewhere").is_enabled(skill())
    access.set_enabled("demo", True, user=True)
    assert access.is_enabled(skill())


def test_off_is_off_for_model_and_user(tmp_path: Path):
    access = store(tmp_path)
    access.set_enabled("demo", False, user=False)
    assert not model_may_use(skill(), access) and not user_may_use(skill(), access)


def test_a_skills_own_policy_is_never_widened(tmp_path: Path):
    access = store(tmp_path, trust="yes")
    assert not model_may_use(skill(model=False), access) and not user_may_use(skill(user=False), access)


@pytest.mark.parametrize("text", ["", "{", "\ud800".encode("utf-8", "surrogatepass").decode("latin-1"), "[" * 100_000])
def test_a_damaged_file_trusts_nothing_and_says_so(tmp_path: Path, text: str):
    (tmp_path / "answers.json").write_text(text, encoding="latin-1")
    access = store(tmp_path)
    assert access.fault is not None and "answers.json" in access.fault.message and access.fault.hint
    assert not access.is_trusted(skill(project="/project"))
    with pytest.raises(AnswersError):
        access.set_trust("/project", True)
    assert (tmp_path / "answers.json").read_text(encoding="latin-1") == text


@pytest.mark.parametrize(
    "stored", [[], 1, None, {"trust": []}, {"trust": {"/project": "yes"}}, {"switches": {"user": 1}}]
)
def test_values_of_other_types_answer_nothing(tmp_path: Path, stored):
    (tmp_path / "answers.json").write_text(json.dumps(stored))
    access = store(tmp_path)
    assert access.trust_of("/project") is None and access.is_enabled(skill())


def test_a_file_that_becomes_unreadable_keeps_the_last_answers(tmp_path: Path):
    access = store(tmp_path)
    access.set_trust("/project", True)
    (tmp_path / "answers.json").write_text("{")
    assert not access.reload() and access.fault is not None
    assert access.trust_of("/project") is True


def test_the_file_is_private_and_nothing_else_is_left(tmp_path: Path):
    state = tmp_path / "state"
    store(state).set_trust("/project", True)
    assert (state / "answers.json").stat().st_mode & 0o777 == 0o600
    assert state.stat().st_mode & 0o777 == 0o700
    assert {path.name for path in state.iterdir()} <= {"answers.json", "answers.json.lock"}


def test_two_programs_do_not_undo_each_others_answers(tmp_path: Path):
    script = (
        "import sys; from pathlib import Path; from skills_core.access import AccessStore\n"
        "store = AccessStore(Path(sys.argv[1]), cwd_project='/p')\n"
        "for n in range(20): store.set_enabled(f's{sys.argv[2]}-{n}', False, user=True)\n"
    )
    root = Path(__file__).resolve().parents[3]
    running = [
        subprocess.Popen([sys.executable, "-c", script, str(tmp_path), str(n)], cwd=root, env={**os.environ})
        for n in range(3)
    ]
    assert [process.wait(timeout=60) for process in running] == [0, 0, 0]
    assert len(store(tmp_path).switched_off()) == 60


async def test_another_programs_answer_is_followed(tmp_path: Path):
    access = store(tmp_path)
    heard: list[int] = []
    unsubscribe = access.subscribe(lambda: heard.append(1))
    refresh = AccessRefresh(access)
    assert not await refresh.refresh() and heard == []
    store(tmp_path).set_enabled("demo", False, user=False)
    assert await refresh.refresh() and heard == [1] and not access.is_enabled(skill())
    unsubscribe()
    store(tmp_path).set_enabled("demo", True, user=False)
    assert await refresh.refresh() and heard == [1]
