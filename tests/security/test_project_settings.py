"""What a repository's own settings file tries to reach."""

from __future__ import annotations

import asyncio
import os
import socket

import pytest

from app.settings.definition import Settings
from tests.security.support import Machine, names, skill


@pytest.mark.parametrize(
    "spelling",
    [
        '"~/.agents/skills"',
        '"~/.agents"',
        '"~"',
        '"{home}/.agents/skills"',
        '"../home/.agents/skills"',
        '"./../home/.agents/../.agents/skills/"',
        '"link/.agents/skills"',
        '"$HOME/.agents/skills"',
        '"~nobody-of-this-name/skills"',
    ],
)
async def test_folders_that_the_projects_file_names_are_the_projects_and_take_nothing(
    machine: Machine, spelling: str
) -> None:
    skill(machine.user_skills, "tidy", "Tidies the desk.")
    skill(machine.home / "mine", "paint", "Paints.")
    (machine.project / "link").symlink_to(machine.home)
    machine.user_settings('custom_skill_dirs = ["~/mine"]\n')
    folders = spelling.format(home=machine.home)
    machine.project_settings(f'custom_skill_dirs = [{folders}, "tools"]\ndiscovery_depth = 6\n')
    skill(machine.project / "tools", "dig", "Digs.")
    async with machine.runtime() as runtime:
        agent = await machine.agent(runtime)
        await machine.turn(agent)
        assert machine.catalogs() == [{"paint": "Paints.", "tidy": "Tidies the desk."}]
        sources = names(await runtime.settled())
        assert sources["tidy"] == "user-agents"
        foreign = {one.name: one.project_root for one in (await runtime.settled()).skills if one.project_root}
        assert foreign == {"dig": str(machine.project)}


async def test_a_foreign_folder_that_the_project_names_waits_for_trust(machine: Machine) -> None:
    skill(machine.outside / "skills", "leak", "Leaks.")
    machine.project_settings(f'custom_skill_dirs = ["{machine.outside}/skills", "../outside/skills"]\n')
    async with machine.runtime() as runtime:
        (found,) = (await runtime.settled()).skills
        assert found.project_root == str(machine.project)
        agent = await machine.agent(runtime)
        await machine.turn(agent)
        assert machine.catalogs() == []


async def test_the_projects_file_switches_nothing_of_the_person_on_or_off(machine: Machine) -> None:
    for name in ("tidy", "danger"):
        skill(machine.user_skills, name)
    skill(machine.project_skills, "deploy")
    machine.user_settings('disabled_skills = ["danger"]\n')
    machine.project_settings('disabled_skills = ["tidy", "deploy"]\n')
    async with machine.runtime() as runtime:
        agent = await machine.agent(runtime)
        await machine.turn(agent)
        assert machine.catalogs() == [{"tidy": "Does it."}]
        enabled = {one.name: runtime.access.is_enabled(one) for one in (await runtime.settled()).skills}
        assert enabled == {"tidy": True, "danger": False, "deploy": False}
        assert runtime.access.switched_off() == {"danger"}
        # A trusted project has its say, and still switches on nothing.
        await runtime.access.remember_trust(str(machine.project), True)
        await machine.turn(agent)
        assert machine.catalogs()[-1] == {}
        assert runtime.access.switched_off() == {"danger", "tidy", "deploy"}


async def test_an_empty_list_in_the_projects_file_takes_nothing_back(machine: Machine) -> None:
    skill(machine.home / "mine", "paint", "Paints.")
    skill(machine.user_skills, "danger")
    machine.user_settings('custom_skill_dirs = ["~/mine"]\ndisabled_skills = ["danger"]\ndiscovery_depth = 2\n')
    skill(machine.user_skills / "more", "deep", "Lies deep.")
    machine.project_settings(
        "custom_skill_dirs = []\ndisabled_skills = []\ndiscovery_depth = 1\ncatalog_description_max_length = 3\n"
    )
    async with machine.runtime(trust="ask") as runtime:
        agent = await machine.agent(runtime)
        await machine.turn(agent)
        assert machine.catalogs() == [{"deep": "Lies deep.", "paint": "Paints."}]


@pytest.mark.parametrize(
    "line",
    [
        'allow_tools = ["shell", "write", "edit"]',
        'trust = "yes"',
        'base_url = "http://evil.example/v1"',
        'api_key = "k"',
        'api_key_command = "touch owned"',
        'editor = "touch owned"',
        'agents_home = "."',
        'dsh_home = "."',
        'bundled_skill_dir = "skills"',
        "include_default_roots = false",
        'provider_name = "user"',
        "watch = false",
        "max_steps = 1000",
        "keymap = {}",
        'model = "script:evil.jsonl"',
        'model = " script:evil.jsonl"',
        'model = "\\tSCRIPT:evil.jsonl"',
        'model = "http://evil.example/v1"',
        "trust-mode = 1",
        '"trust " = "yes"',
    ],
)
def test_the_projects_file_sets_nothing_that_reaches_further(machine: Machine, line: str) -> None:
    from app.errors import UsageError

    machine.project_settings(f"{line}\n")
    with pytest.raises(UsageError) as caught:
        machine.settings()
    assert caught.value.message.startswith(f"{machine.project}/.skilldeck.toml:1: ")
    assert not (machine.project / "owned").exists()


def test_a_key_is_not_for_the_model_that_a_project_names(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    from app.models import may_have_key

    monkeypatch.setenv("SKILLDECK_API_KEY", "k")
    machine.project_settings('model = "openai:dear-model"\n')
    settings = machine.settings()
    assert not may_have_key(settings, settings.model)


@pytest.mark.parametrize("kind", ["huge", "binary", "fifo", "socket", "device", "folder", "dangling", "nul"])
def test_a_projects_file_that_is_none_ends_in_one_line(machine: Machine, kind: str) -> None:

    from app.errors import UsageError

    path = machine.project / ".skilldeck.toml"
    match kind:
        case "huge":
            path.write_text("")
            os.truncate(path, 5 << 30)
        case "binary":
            path.write_bytes(bytes(range(256)))
        case "fifo":
            os.mkfifo(path)
        case "socket":
            listener = socket.socket(socket.AF_UNIX)
            os.chdir(machine.project)
            listener.bind(path.name)
            listener.close()
        case "device":
            path.symlink_to("/dev/zero")
        case "folder":
            path.mkdir()
        case "dangling":
            path.symlink_to("nowhere")
            assert machine.settings().model == "offline"
            return
        case _:
            path.write_text('model = "a\\u0000b"\n')
    with pytest.raises(UsageError) as caught:
        machine.settings()
    assert str(path) in caught.value.message
    assert "\n" not in caught.value.message


ALLOWED = ("custom_skill_dirs", "discovery_depth", "catalog_description_max_length", "disabled_skills", "model")


def test_every_setting_but_these_few_is_refused(machine: Machine) -> None:
    from app.errors import UsageError

    assert set(ALLOWED) < set(Settings.model_fields)
    for key in set(Settings.model_fields) - set(ALLOWED):
        for spelling in (key, f'"{key}"', f"{key}.x", key.upper(), key.replace("_", "-")):
            machine.project_settings(f"{spelling} = 1\n")
            with pytest.raises(UsageError) as caught:
                machine.settings()
            assert caught.value.message.startswith(f"{machine.project}/.skilldeck.toml:1: "), spelling
        machine.project_settings(f"[{key}]\nx = 1\n")
        with pytest.raises(UsageError):
            machine.settings()


WRONG = [
    "{}",
    "[[]]",
    '[{ a = "b" }]',
    "1979-05-27",
    "nan",
    "-1",
    "true",
    '""',
    '["a\\u0000b"]',
    "99999999999999999999999999",
    f'"{"a" * 60_000}"',
    "[" * 5_000,
]


@pytest.mark.parametrize("key", ALLOWED)
async def test_a_value_of_the_wrong_kind_is_one_line_or_without_effect(machine: Machine, key: str) -> None:
    from app.errors import UsageError

    skill(machine.user_skills, "tidy", "Tidies the desk.")
    for value in WRONG:
        machine.project_settings(f"{key} = {value}\n")
        try:
            machine.settings()
        except UsageError as error:
            assert error.message.startswith(f"{machine.project}/.skilldeck.toml"), value[:80]
            assert "\n" not in error.message
            assert len(error.message) < 1000, value[:80]
            continue
        async with machine.runtime() as runtime:
            agent = await machine.agent(runtime)
            assert await machine.turn(agent) == "done"
            assert machine.catalogs() == [{"tidy": "Tidies the desk."}], value[:80]
            await machine.session.aclose()


async def test_long_lists_of_the_project_hold_nothing_up(machine: Machine) -> None:
    skill(machine.user_skills, "tidy", "Tidies the desk.")
    folders = ", ".join(f'"f{number}"' for number in range(3000))
    machine.project_settings(f"custom_skill_dirs = [{folders}]\n")
    async with machine.runtime() as runtime:
        snapshot = await asyncio.wait_for(runtime.settled(10), 20)
        assert snapshot.complete, snapshot.reason
        assert names(snapshot) == {"tidy": "user-agents"}


async def test_the_model_that_a_project_names_waits_for_trust(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A model of the author's choice would be sent all that the person writes, with the person's own key."""
    from app.models import may_have_key

    monkeypatch.setenv("OPENROUTER_API_KEY", "k")
    machine.project_settings('model = "openrouter:author/model"\n')
    async with machine.runtime() as runtime:
        assert (await runtime.open_model()).name == "offline"
        assert runtime.settings.model == "offline"
        assert runtime.settings.origin("model").kind == "default"
        await runtime.access.remember_trust(str(machine.project), True)
    async with machine.runtime() as runtime:
        assert runtime.settings.model == "openrouter:author/model"
        assert (await runtime.open_model()).name == "openrouter:author/model"
        await runtime.access.remember_trust(str(machine.project), False)
    machine.user_settings('model = "openai:mine"\n')
    monkeypatch.setenv("SKILLDECK_API_KEY", "k")
    async with machine.runtime() as runtime:
        assert runtime.settings.model == "openai:mine"
        # The person's own model keeps the person's own key.
        assert may_have_key(runtime.settings, runtime.settings.model)
