"""Paths in tool calls that lead elsewhere than they seem to."""

from __future__ import annotations

import os

import pytest

from tests.security.support import SECRET, Machine, Person, call, skill


async def test_search_follows_no_link_that_leads_outside(machine: Machine) -> None:
    (machine.project / "notes.txt").symlink_to(machine.secret)
    (machine.project / "folder").symlink_to(machine.outside)
    (machine.project / "near.txt").symlink_to("far.txt")
    (machine.project / "far.txt").write_text("pearl of the sea\n")
    async with machine.runtime() as runtime:
        text = await call(machine, runtime, "search", pattern="pearl")
    assert SECRET not in text
    assert "near.txt:1: pearl of the sea" in text
    assert "1 links that lead outside were not followed" in text
    assert machine.person.tool_questions == []


OUTSIDE = [
    "../outside/secret.txt",
    "./.././outside/./secret.txt",
    "{outside}/secret.txt",
    "link",
    "linked/secret.txt",
    "linked/../outside/secret.txt",
    "/proc/self/root{outside}/secret.txt",
    "/proc/self/environ",
    "/proc/self/cwd/../../../../../../../../../../../../etc/passwd",
    "proc/environ",
    "/dev/zero",
    "/dev/stdin",
    "/etc/passwd",
    "~/.ssh/id_ed25519",
    "~root/.profile",
    "skill-link/secret.txt",
    "/proc/1/root/etc/passwd",
    "unreadable/etc/passwd",
    "{outside}/../repository/../outside/secret.txt",
    "../outside//secret.txt",
    "../outside/secret.txt/.",
    "../repository-of-someone/secret.txt",
    "..\\outside\\secret.txt",
    "%2e%2e/outside/secret.txt",
    "\u2024\u2024/outside/secret.txt",
    "\uff0e\uff0e/outside/secret.txt",
    "file://{outside}/secret.txt",
]


@pytest.mark.parametrize("tool", ["read", "list", "search", "write", "edit"])
async def test_nothing_beyond_the_project_is_touched_without_a_question(machine: Machine, tool: str) -> None:
    (machine.project / "link").symlink_to(machine.secret)
    (machine.project / "linked").symlink_to(machine.outside)
    (machine.project / "proc").symlink_to("/proc/self")
    (machine.project / "unreadable").symlink_to("/proc/1/root")
    twin = machine.project.with_name("repository-of-someone")
    twin.mkdir()
    (twin / "secret.txt").write_text(SECRET)
    (machine.home / ".ssh").mkdir()
    (machine.home / ".ssh" / "id_ed25519").write_text(SECRET)
    # An untrusted project's skill that is a link to a folder elsewhere opens that folder to nobody.
    skill(machine.outside, "inner")
    (machine.outside / "SKILL.md").write_text("---\nname: skill-link\ndescription: x\n---\nread ./secret.txt\n")
    machine.project_skills.mkdir(parents=True)
    (machine.project_skills / "skill-link").symlink_to(machine.outside)
    (machine.project / "skill-link").symlink_to(machine.outside)
    more = {"search": {"pattern": "."}, "write": {"content": "x"}, "edit": {"old_text": SECRET, "new_text": "x"}}
    calls = []
    for path in OUTSIDE:
        path = path.format(outside=machine.outside)
        if tool == "list":
            path = os.path.dirname(path) or ".."
        calls.append({"name": tool, "arguments": {"path": path, **more.get(tool, {})}})
    before = machine.secret.read_text()
    machine.person = Person(tool="no")
    async with machine.runtime() as runtime:
        agent = await machine.agent(runtime, {"tool_calls": calls}, {"text": "ok"})
        assert await machine.turn(agent) == "done"
        assert len(machine.results) == len(calls)
        for made, result in zip(calls, machine.results, strict=True):
            assert SECRET not in result
            assert "root:" not in result
            if tool == "list" and made["arguments"]["path"] in ("..", "linked/../outside", "../outside"):
                assert "secret.txt" not in result
            if not result.startswith("Error"):
                assert result == "The person declined this call. It was not run.", made
        await machine.session.aclose()
    assert machine.secret.read_text() == before
    assert not (machine.home / ".ssh" / "id_ed25519.tmp").exists()


@pytest.mark.parametrize("path", ["a\0b", "\0", "a" * 5000, "a/" * 3000, "\ud800", "", "   ", "CON", "a\nb\x1b[2J"])
@pytest.mark.parametrize("tool", ["read", "list", "search", "write", "edit"])
async def test_paths_that_no_system_has_are_errors_in_words(machine: Machine, tool: str, path: str) -> None:
    more = {"search": {"pattern": "."}, "write": {"content": "x"}, "edit": {"old_text": "a", "new_text": "x"}}
    machine.person = Person(tool="no")
    async with machine.runtime() as runtime:
        text = await call(machine, runtime, tool, path=path, **more.get(tool, {}))
        assert text.startswith(("Error: ", "The person declined")), text
        assert "Traceback" not in text


@pytest.mark.parametrize(
    "name", ["Repository", "repository.", "repository ", "\uff52epository", "repository\u200b", "re\u0301pository"]
)
async def test_a_folder_that_is_only_named_like_the_project_is_another_one(machine: Machine, name: str) -> None:
    twin = machine.project.with_name(name)
    if twin.exists():
        pytest.skip("this file system takes both names for one")
    twin.mkdir()
    (twin / "secret.txt").write_text(SECRET)
    async with machine.runtime() as runtime:
        assert "declined" in await call(machine, runtime, "read", path=f"../{name}/secret.txt")
        assert SECRET not in machine.sent


async def test_shell_runs_in_the_working_folder(machine: Machine) -> None:
    machine.person = Person(tool="once")
    async with machine.runtime() as runtime:
        assert str(machine.project) in await call(machine, runtime, "shell", command="pwd -P")
        assert [one.tool for one in machine.person.tool_questions] == ["shell"]
