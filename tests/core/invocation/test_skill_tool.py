from pathlib import Path
from typing import Any

import pytest

from skills_core.agent.tool import ToolContext, ToolOutcome
from skills_core.agent.tools.skill import SkillTool
from skills_core.filesystem import FilesystemSettings, filesystem_provider
from skills_core.registry import Scope, SkillRegistry
from skills_core.skill import DirectoryBase, OpaqueBase, UrlBase
from tests.core.catalog.support import MODEL_ONLY, USER_ONLY, Access, Steps, skill, within
from tests.core.registry.support import add, candidate, definition


async def load(tool: SkillTool, name: Any, *, cwd: str = "/project", scope: Scope | None = None) -> ToolOutcome:
    context = ToolContext(cwd=cwd, scope=scope, call_id="1", report=lambda text: None)
    arguments = {} if name is ... else {"name": name}
    assert tool.question(arguments, context) is None
    return await within(tool.run(arguments, context), "the skill tool")


@pytest.fixture
def registry():
    return SkillRegistry()


@pytest.fixture
def tool(registry: SkillRegistry):
    return SkillTool(registry, Access())


async def test_schema_and_title_and_a_catalog_while_the_agent_has_it(registry: SkillRegistry, tool: SkillTool):
    assert tool.schema.name == "skill"
    assert tool.schema.description == (
        "Load the full instructions for an available skill. Call this with the exact skill name from the session skill"
        " catalog before acting on a task that names or clearly matches that skill."
    )
    assert tool.schema.parameters["required"] == ["name"]
    assert tool.schema.parameters["properties"] == {
        "name": {"type": "string", "description": "The exact skill name from the available skills list."}
    }
    assert tool.title({"name": "project-skill"}) == "Load skill project-skill"
    registry.register(skill("project-skill"))
    steps = Steps(registry, tools=[tool])
    assert len(await steps.step()) == 1
    assert len(steps.session.surface.messages()) == 1
    assert await Steps(registry, tools=()).step() == ()
    assert len(await Steps(registry, tools=[tool]).step()) == 1


@pytest.mark.parametrize("arguments", [{}, {"name": 3}, {"name": None}, {"name": "x" * 5000}, {"name": "a\x1b[2J\nb"}])
def test_title_of_any_arguments_is_one_short_printable_line(tool: SkillTool, arguments):
    title = tool.title(arguments)
    assert title.startswith("Load skill") and title.isprintable() and len(title) < 120


async def test_loads_a_project_skill_for_the_folder_it_is_called_from(tmp_path: Path):
    project = tmp_path / "project"
    bundle = project / ".dsh" / "skills" / "project-skill"
    bundle.mkdir(parents=True)
    (project / ".git").mkdir()
    path = bundle / "SKILL.md"
    path.write_text("---\nname: project-skill\ndescription: Of the project.\n---\nProject instructions.\n")
    settings = FilesystemSettings(watch=False, dsh_home=str(tmp_path / "dsh"), agents_home=str(tmp_path / "agents"))
    registry = SkillRegistry()
    registration = registry.register_provider(filesystem_provider(settings))
    try:
        outcome = await load(SkillTool(registry, Access()), "project-skill", cwd=str(project))
        assert outcome.text == (
            '<skill_content name="project-skill">\n'
            "<skill_resources>\n"
            f"Base directory for this skill: {bundle}\n"
            "Resolve relative paths mentioned by this skill against the base directory before using them."
            " Load referenced resources only as needed.\n"
            "</skill_resources>\n"
            "\n"
            "<skill_instructions>\n"
            "Project instructions.\n"
            "</skill_instructions>\n"
            "</skill_content>"
        )
        assert outcome.details == {
            "name": "project-skill",
            "provider": "filesystem",
            "path": str(path),
            "source": "project-dsh",
            "resource_base": {"kind": "directory", "path": str(bundle)},
        }
        assert (await load(SkillTool(registry, Access()), "project-skill", cwd=str(tmp_path))).is_error
    finally:
        registration.close()
        await registry.aclose()


async def test_a_skill_that_has_just_been_made_or_renamed_is_known_without_a_watcher(tmp_path: Path):
    bundle = tmp_path / "agents" / "skills" / "first"
    bundle.mkdir(parents=True)
    (bundle / "SKILL.md").write_text("---\nname: first\ndescription: The first.\n---\nDo it.\n")
    settings = FilesystemSettings(watch=False, dsh_home=str(tmp_path / "dsh"), agents_home=str(tmp_path / "agents"))
    registry = SkillRegistry()
    registration = registry.register_provider(filesystem_provider(settings))
    tool = SkillTool(registry, Access())
    try:
        assert not (await load(tool, "first", cwd=str(tmp_path))).is_error
        bundle.rename(bundle.with_name("second"))
        (bundle.with_name("second") / "SKILL.md").write_text("---\nname: second\ndescription: It.\n---\nDo it so.\n")
        assert "Do it so." in (await load(tool, "second", cwd=str(tmp_path))).text
        gone = await load(tool, "first", cwd=str(tmp_path))
        assert gone.text == 'Error: skill "first" is unknown or no longer available'
    finally:
        registration.close()
        await registry.aclose()


async def test_a_body_only_edit_publishes_nothing_and_the_next_load_reads_it(tmp_path: Path):
    bundle = tmp_path / "skills" / "steady"
    bundle.mkdir(parents=True)
    path = bundle / "SKILL.md"
    path.write_text("---\nname: steady\ndescription: Steady.\n---\nold body\n")
    settings = FilesystemSettings(
        watch=False, include_default_roots=False, custom_skill_dirs=(str(tmp_path / "skills"),)
    )
    registry = SkillRegistry()
    registration = registry.register_provider(filesystem_provider(settings))
    tool = SkillTool(registry, Access())
    try:
        steps = Steps(registry, tools=[tool], cwd=str(tmp_path))
        assert len(await steps.step()) == 1
        assert "old body" in (await load(tool, "steady", cwd=str(tmp_path))).text
        path.write_text("---\nname: steady\ndescription: Steady.\n---\nnew body, longer\n")
        assert await steps.step() == ()
        text = (await load(tool, "steady", cwd=str(tmp_path))).text
        assert "new body" in text and "old body" not in text
        assert len(steps.catalogs) == 1
    finally:
        registration.close()
        await registry.aclose()


async def test_scopes(registry: SkillRegistry, tool: SkillTool):
    scope = Scope("agent a")
    registry.register(skill("scoped-skill"), scope)
    assert not (await load(tool, "scoped-skill", scope=scope)).is_error
    assert (await load(tool, "scoped-skill", scope=Scope("agent b"))).is_error


@pytest.mark.parametrize(
    ("base", "lines", "facts"),
    [
        (
            OpaqueBase("archive <bundle>"),
            "Resources for this skill: archive &lt;bundle&gt;\nLoad referenced resources only as needed.",
            {"kind": "opaque", "description": "archive <bundle>"},
        ),
        (
            UrlBase("https://example.test/base/"),
            "Base URL for this skill: https://example.test/base/\nResolve relative URLs mentioned by this skill against"
            " the base URL before using them. Load referenced resources only as needed.",
            {"kind": "url", "url": "https://example.test/base/"},
        ),
        (
            None,
            'Resources for this skill are managed by provider "runtime".\nLoad referenced resources only as needed.',
            None,
        ),
    ],
)
async def test_resource_hints(registry: SkillRegistry, tool: SkillTool, base, lines: str, facts):
    registry.register(skill("remote", resource_base=base))
    outcome = await load(tool, "remote")
    assert f"<skill_resources>\n{lines}\n</skill_resources>\n" in outcome.text
    assert outcome.details is not None and outcome.details["resource_base"] == facts


async def test_an_unknown_kind_of_resource_base_is_an_error(registry: SkillRegistry, tool: SkillTool):
    registry.register(skill("future", resource_base={"kind": "future"}))
    outcome = await load(tool, "future")
    assert outcome.is_error and "resource_base" in outcome.text and "future body" not in outcome.text


async def test_error_texts(registry: SkillRegistry, tool: SkillTool):
    registry.register(skill("hidden-skill", invocation=USER_ONLY))
    registry.register(skill("model-only", invocation=MODEL_ONLY))
    outcomes = {
        name: await load(tool, name)
        for name in ("missing", "Bad_Name", "hidden-skill", "model-only", "", "../../secret")
    }
    assert {name: outcome.text for name, outcome in outcomes.items() if outcome.is_error} == {
        "missing": 'Error: skill "missing" is unknown or no longer available',
        "Bad_Name": 'Error: invalid skill name "Bad_Name"',
        "hidden-skill": 'Error: skill "hidden-skill" is not available for model invocation',
        "": 'Error: invalid skill name ""',
        "../../secret": 'Error: invalid skill name "../../secret"',
    }
    assert "model-only body." in outcomes["model-only"].text


@pytest.mark.parametrize(
    ("name", "shown"), [(..., ""), (3, "3"), (None, "null"), (["a"], '["a"]'), ("a\n", "a\n"), ("日本", "日本")]
)
async def test_a_name_of_another_type_is_invalid(registry: SkillRegistry, tool: SkillTool, name, shown: str):
    assert (await load(tool, name)).text == f'Error: invalid skill name "{shown}"'


async def test_policy_is_checked_before_the_provider_is_asked_and_again_on_what_it_loaded(
    registry: SkillRegistry, tool: SkillTool
):
    provider = add(registry)
    provider.candidates = [
        candidate("denied", invocation=USER_ONLY),
        candidate("policy-race-skill"),
        candidate("vanishing-skill"),
    ]
    provider.load = lambda of: None if of.name == "vanishing-skill" else definition(of, "BODY", invocation=USER_ONLY)
    denied, raced, vanished = [await load(tool, name) for name in ("denied", "policy-race-skill", "vanishing-skill")]
    assert [of.name for of in provider.got] == ["policy-race-skill", "vanishing-skill"]
    for outcome in (denied, raced):
        assert (
            outcome.is_error and "is not available for model invocation" in outcome.text and "BODY" not in outcome.text
        )
    assert vanished.text == 'Error: skill "vanishing-skill" is unknown or no longer available'


@pytest.mark.parametrize("access", [Access(off=["a-skill"]), Access(untrusted=["a-skill"])])
async def test_off_or_untrusted_is_not_available(registry: SkillRegistry, access: Access):
    provider = add(registry, "memory", "a-skill")
    outcome = await load(SkillTool(registry, access), "a-skill")
    assert outcome.text == 'Error: skill "a-skill" is not available for model invocation'
    assert provider.got == []


async def test_a_providers_own_failure_is_its_message(registry: SkillRegistry, tool: SkillTool):
    def fail(of):
        raise OSError("disk on fire")

    add(registry, "memory", "a-skill").load = fail
    outcome = await load(tool, "a-skill")
    assert outcome.is_error and outcome.text == "Error: disk on fire"


async def test_details_name_where_the_skill_came_from(registry: SkillRegistry, tool: SkillTool):
    registry.register(skill("a-skill", path="/x/SKILL.md", source="tests", resource_base=DirectoryBase("/x")))
    assert (await load(tool, "a-skill")).details == {
        "name": "a-skill",
        "provider": "runtime",
        "path": "/x/SKILL.md",
        "source": "tests",
        "resource_base": {"kind": "directory", "path": "/x"},
    }
