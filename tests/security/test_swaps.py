"""Files and folders that change between a look, a question and a read."""

from __future__ import annotations

import asyncio
import time

import pytest

from skills_core.agent.instruction_files import read_instructions
from skills_core.registry import Lookup
from tests.security.support import DEADLINE, SECRET, Machine, skill
from tests.security.swapping import RACE_SECONDS, Swap, swapping


async def test_swapping_a_projects_skill_file_never_yields_the_secret(machine: Machine) -> None:
    """Its file is by turns itself, a link to a secret file, and a pipe, while it is listed, loaded and invoked."""
    machine.secret.write_text(f"---\nname: peek\ndescription: {SECRET}\n---\n{SECRET}\n")
    path = skill(machine.project_skills, "peek", "Harmless.", "Harmless body.")
    text = path.read_text()
    swap = Swap(path)
    async with machine.runtime(trust="yes") as runtime:
        fresh = Lookup(cwd=runtime.cwd, fresh=True)
        end = time.monotonic() + RACE_SECONDS
        listed = loaded = 0
        with swapping(lambda: swap.link(machine.secret), lambda: swap.file(text), swap.pipe, lambda: swap.file(text)):
            while time.monotonic() < end or not (listed and loaded):
                assert time.monotonic() < end + DEADLINE, "waited for a look that saw the skill itself"
                snapshot = await asyncio.wait_for(runtime.registry.snapshot(fresh), 10)
                assert SECRET not in str(snapshot.skills)
                assert SECRET not in str([(one.message, one.hint) for one in snapshot.problems])
                listed += len(snapshot.skills)
                definition = await asyncio.wait_for(runtime.registry.get("peek", fresh), 10)
                if definition is not None:
                    loaded += 1
                    assert definition.content.strip() == "Harmless body."
                    assert definition.description == "Harmless."


async def test_swapping_the_instructions_never_yields_the_secret(machine: Machine) -> None:
    path = machine.project / "AGENTS.md"
    path.write_text("Be kind.\n")
    swap = Swap(path)
    end = time.monotonic() + RACE_SECONDS
    read = 0
    with swapping(lambda: swap.link(machine.secret), lambda: swap.file("Be kind.\n"), swap.pipe):
        while time.monotonic() < end or not read:
            assert time.monotonic() < end + DEADLINE, "waited for a look that saw the file itself"
            found = await asyncio.to_thread(read_instructions, str(machine.project))
            assert SECRET not in str(found)
            read += "Be kind" in str(found)


async def test_reading_while_the_path_is_swapped_never_yields_the_secret(machine: Machine) -> None:
    path = machine.project / "notes.txt"
    path.write_text("mine\n")
    folder = machine.project / "folder"
    inner = machine.project / "inner"
    inner.mkdir()
    (inner / "secret.txt").write_text("mine\n")
    folder.symlink_to(inner)
    notes, parent = Swap(path), Swap(folder)
    end = time.monotonic() + RACE_SECONDS * 2
    seen = 0
    async with machine.runtime() as runtime:
        agent_calls = [
            {"name": "read", "arguments": {"path": "notes.txt"}},
            {"name": "read", "arguments": {"path": "folder/secret.txt"}},
            {"name": "list", "arguments": {"path": "folder"}},
        ]
        replies = [{"tool_calls": agent_calls * 10}, {"text": "ok"}] * 200
        agent = await machine.agent(runtime, *replies)
        with swapping(
            lambda: notes.link(machine.secret),
            lambda: notes.file("mine\n"),
            notes.pipe,
            lambda: parent.link(machine.outside),
            lambda: parent.link(inner),
        ):
            while time.monotonic() < end or not seen:
                assert time.monotonic() < end + DEADLINE, "waited for a call that read the file itself"
                assert await machine.turn(agent) == "done"
                seen += any(result == "mine" for result in machine.results)
        assert not any(SECRET in result for result in machine.results)
        await machine.session.aclose()


async def test_a_path_that_is_swapped_after_the_question_is_not_read(machine: Machine) -> None:
    """Without a race: the link changes while the person, or the program, has already looked."""
    from skills_core.agent.tool import ToolContext
    from skills_core.agent.tools.default import default_tools

    link = machine.project / "notes.txt"
    (machine.project / "real.txt").write_text("mine\n")
    (machine.outside / "harmless.txt").write_text("harmless\n")
    async with machine.runtime() as runtime:
        tools = {
            tool.schema.name: tool
            for tool in default_tools(runtime.cwd, runtime.filesystem, runtime.registry, runtime.access)
        }
        for name, arguments in (("read", {"path": "notes.txt"}), ("search", {"path": "notes.txt", "pattern": "."})):
            context = ToolContext(cwd=runtime.cwd, scope=None, call_id=f"inside-{name}", report=lambda text: None)
            link.unlink(missing_ok=True)
            link.symlink_to("real.txt")
            await tools[name].prepare(arguments, context)  # type: ignore[attr-defined]
            assert tools[name].question(arguments, context) is None
            link.unlink()
            link.symlink_to(machine.secret)
            assert SECRET not in (await tools[name].run(arguments, context)).text
            # The same with a question that was about another file.
            context = ToolContext(cwd=runtime.cwd, scope=None, call_id=f"outside-{name}", report=lambda text: None)
            link.unlink()
            link.symlink_to(machine.outside / "harmless.txt")
            assert tools[name].question(arguments, context) is not None
            assert "harmless" in (await tools[name].run(arguments, context)).text
            link.unlink()
            link.symlink_to(machine.secret)
            assert SECRET not in (await tools[name].run(arguments, context)).text


async def test_a_folder_that_is_swapped_after_the_question_is_not_listed(machine: Machine) -> None:
    from skills_core.agent.tool import ToolContext
    from skills_core.agent.tools.default import default_tools

    link = machine.project / "folder"
    (machine.project / "inner").mkdir()
    link.symlink_to("inner")
    async with machine.runtime() as runtime:
        (tool,) = [
            each
            for each in default_tools(runtime.cwd, runtime.filesystem, runtime.registry, runtime.access)
            if each.schema.name == "list"
        ]
        context = ToolContext(cwd=runtime.cwd, scope=None, call_id="c", report=lambda text: None)
        await tool.prepare({"path": "folder"}, context)  # type: ignore[attr-defined]
        assert tool.question({"path": "folder"}, context) is None
        assert "empty" in (await tool.run({"path": "folder"}, context)).text
        link.unlink()
        link.symlink_to(machine.outside)
        outcome = await tool.run({"path": "folder"}, context)
        assert outcome.is_error
        assert "secret.txt" not in outcome.text


@pytest.mark.parametrize("tool", ["write", "edit"])
async def test_a_path_that_is_swapped_after_the_question_is_not_written(machine: Machine, tool: str) -> None:
    from skills_core.agent.tool import ToolContext
    from skills_core.agent.tools.default import default_tools

    arguments = {"path": "d/a.txt", "content": "new\n"}
    if tool == "edit":
        arguments = {"path": "d/a.txt", "old_text": "old", "new_text": "new"}
    inner = machine.project / "inner"
    for folder in (inner, machine.outside):
        folder.mkdir(exist_ok=True)
        if tool == "edit":
            (folder / "a.txt").write_text("old\n")
    link = machine.project / "d"
    link.symlink_to(inner)
    before = sorted((path.name, path.read_text()) for path in machine.outside.iterdir())
    async with machine.runtime() as runtime:
        tools = {
            each.schema.name: each
            for each in default_tools(runtime.cwd, runtime.filesystem, runtime.registry, runtime.access)
        }
        context = ToolContext(cwd=runtime.cwd, scope=None, call_id="c1", report=lambda text: None)
        question = tools[tool].question(arguments, context)
        assert question is not None
        assert not question.outside
        link.unlink()
        link.symlink_to(machine.outside)
        outcome = await tools[tool].run(arguments, context)
        assert outcome.is_error
        assert "leads elsewhere" in outcome.text
        # What could not be shown then is not changed now, though it could be.
        context = ToolContext(cwd=runtime.cwd, scope=None, call_id="c2", report=lambda text: None)
        link.unlink()
        link.symlink_to("/dev")
        broken = {**arguments, "path": "d/null"}
        assert tools[tool].question(broken, context) is None
        link.unlink()
        link.symlink_to(machine.outside)
        (machine.outside / "null").write_text("old\n")
        outcome = await tools[tool].run(broken, context)
        assert outcome.is_error
        assert (machine.outside / "null").read_text() == "old\n"
        (machine.outside / "null").unlink()
    assert sorted((path.name, path.read_text()) for path in machine.outside.iterdir()) == before
