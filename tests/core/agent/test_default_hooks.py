"""The hooks of an ordinary agent, in an agent."""

from __future__ import annotations

from pathlib import Path

from skills_core import (
    AccessStore,
    FilesystemSettings,
    SkillRegistry,
    TrustQuestion,
    default_hooks,
    default_tools,
    filesystem_provider,
    user_message,
)
from skills_core.catalog import read_catalog
from skills_core.session.event import source_kind
from tests.core.agent.support import Bench, Person, within


class Trusting(Person):
    def __init__(self) -> None:
        super().__init__()
        self.trust_questions: list[TrustQuestion] = []

    async def approve_trust(self, question: TrustQuestion) -> bool | None:
        self.trust_questions.append(question)
        return True


def write_skill(folder: Path, name: str) -> None:
    (folder / name).mkdir(parents=True)
    (folder / name / "SKILL.md").write_text(f"---\nname: {name}\ndescription: Does {name}.\n---\nBody of {name}.\n")


def settings(folder: Path) -> FilesystemSettings:
    return FilesystemSettings(watch=False, dsh_home=str(folder / "dsh"), agents_home=str(folder / "agents"))


async def test_a_step_gets_everything_in_order_and_one_answer_about_trust_holds_for_all_of_it(
    bench: Bench, tmp_path: Path
) -> None:
    (bench.cwd / "AGENTS.md").write_text("Be brief.")
    write_skill(bench.cwd / ".agents" / "skills", "mend-nets")
    access = AccessStore(tmp_path / "answers", cwd_project=str(bench.cwd))
    registry, person = SkillRegistry(access=access), Trusting()
    provider = registry.register_provider(filesystem_provider(settings(tmp_path))).provider
    agent = await bench.agent(
        {"text": "Yes."},
        person=person,
        tools=default_tools(str(bench.cwd), provider, registry, access),
        hooks=default_hooks(registry, person, access),
    )
    outcome = await within(agent.run_turn(user_message("Please /mend-nets now")), "the turn")
    assert outcome.reason == "done"
    assert [question.invoking for question in person.trust_questions] == ["mend-nets"]
    kinds = [source_kind(data) for data in bench.data("user/message")]
    assert kinds == ["user", "agent-instructions", "skill-catalog", "skill-invocation"]
    catalog = read_catalog(bench.session.of_source("skill-catalog")[0].data)
    assert catalog is not None and [entry.name for entry in catalog] == ["mend-nets"]
    await registry.aclose()
    await provider.aclose()


async def test_an_answer_that_another_process_gave_holds_from_the_next_step(bench: Bench, tmp_path: Path) -> None:
    write_skill(bench.cwd / ".agents" / "skills", "mend-nets")
    access = AccessStore(tmp_path / "answers", cwd_project=str(bench.cwd), trust="ask")
    registry = SkillRegistry(access=access)
    provider = registry.register_provider(filesystem_provider(settings(tmp_path))).provider
    agent = await bench.agent(
        {"text": "One."},
        {"text": "Two."},
        tools=default_tools(str(bench.cwd), provider, registry, access),
        hooks=default_hooks(registry, Person(), access),
    )
    await within(agent.run_turn(user_message("Hello")), "the first turn")
    assert not bench.session.of_source("skill-catalog")
    AccessStore(tmp_path / "answers", cwd_project=str(bench.cwd)).set_trust(str(bench.cwd), True)
    await within(agent.run_turn(user_message("Hello")), "the second turn")
    assert len(bench.session.of_source("skill-catalog")) == 1
    await registry.aclose()
    await provider.aclose()
