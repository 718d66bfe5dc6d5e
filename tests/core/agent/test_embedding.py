"""The examples of the document on embedding, extracted from it and run."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from skills_core.access import OPEN_ACCESS
from skills_core.catalog import CatalogPublisher, read_catalog
from skills_core.registry import Lookup, SkillRegistry
from skills_core.session.event import user_message
from tests.core.agent.support import Bench, call, within

ROOT = Path(__file__).parents[3]
DOCUMENT = ROOT / "app" / "docs" / "embedding.md"


def example(name: str) -> str:
    for block in re.findall(r"```python\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL):
        if block.startswith(f"# {name}\n"):
            return block
    raise AssertionError(f"no example {name}")


def run_agent(folder: Path, home: Path, *words: str, answers: str = "") -> str:
    program = folder.parent / "agent.py"
    program.write_text(example("agent.py"), encoding="utf-8")
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(home), "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"}
    ran = subprocess.run(
        [sys.executable, str(program), *words],
        cwd=folder,
        env=environment,
        input=answers,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stderr == ""
    return ran.stdout


def test_the_agent_has_fewer_than_forty_lines_and_live_skills(tmp_path: Path) -> None:
    code = [line for line in example("agent.py").splitlines() if line.strip() and not line.startswith("#")]
    assert len(code) < 40
    project, home = tmp_path / "project", tmp_path / "home"
    (project / ".git").mkdir(parents=True)
    home.mkdir()
    before = run_agent(project, home, "Please greet the guests by name")
    assert "greet-guests" not in before
    skill = project / ".agents" / "skills" / "greet-guests" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("---\nname: greet-guests\ndescription: Greets guests by name.\n---\n1. Ask for their names.\n")
    (project / "AGENTS.md").write_text("Be kind.\n")
    refused = run_agent(project, home, "Please greet the guests by name", answers="n\n")
    assert f"Trust {project} (greet-guests, AGENTS.md)? [y/N] " in refused
    assert "Ask for their names" not in refused
    after = run_agent(project, home, "Please greet the guests by name", answers="y\n")
    assert "greet-guests" in after
    assert "Ask for their names" in after
    # The answer is remembered: no question comes.
    invoked = run_agent(project, home, "/skill:greet-gests now")
    assert "greet-gests" in invoked


class SkillServer:
    """The server that the provider of the document expects."""

    def __init__(self) -> None:
        self.skills: dict[str, tuple[str, str]] = {}
        self.failing = False
        self._changed = threading.Event()
        self._closed = threading.Event()
        self.url = ""

    def change(self, **skills: tuple[str, str]) -> None:
        self.skills = skills
        self._changed.set()

    @contextmanager
    def running(self) -> Iterator[SkillServer]:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                status, body = outer.answer(self.path)
                self.send_response(status)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self._closed.set()
            self._changed.set()
            server.shutdown()
            thread.join()
            server.server_close()

    def answer(self, path: str) -> tuple[int, bytes]:
        if path == "/changed":
            self._changed.wait(30)
            self._changed.clear()
            return 200, b"" if self._closed.is_set() else b"yes"
        if self.failing:
            return 500, b""
        if path == "/skills":
            entries = [{"name": name, "description": facts[0]} for name, facts in self.skills.items()]
            return 200, json.dumps(entries).encode()
        facts = self.skills.get(path.removeprefix("/skills/"))
        return (200, facts[1].encode()) if facts else (404, b"")


async def test_a_provider_of_ones_own_is_invalidated_when_its_server_says_so(bench: Bench) -> None:
    names: dict[str, Any] = {}
    exec(compile(example("provider.py"), "provider.py", "exec"), names)
    with SkillServer().running() as server:
        server.skills = {"first": ("The first skill.", "Do the first thing.")}
        registry = SkillRegistry(strict=False)
        changed = asyncio.Event()
        registry.subscribe(changed.set)
        registration = registry.register_provider(lambda control: names["ServerSkills"](control, server.url))
        from skills_core.agent.tools.skill import SkillTool

        agent = await bench.agent(
            {"tool_calls": [call("skill", name="first")]},
            {"text": "One."},
            {"text": "Two."},
            {"text": "Three."},
            tools=[SkillTool(registry, OPEN_ACCESS)],
            hooks=[CatalogPublisher(registry, OPEN_ACCESS)],
        )

        def catalogs() -> list[list[str]]:
            found = [read_catalog(event.data) for event in bench.session.of_source("skill-catalog")]
            return [[entry.name for entry in entries] for entries in found if entries is not None]

        await within(agent.run_turn(user_message("Hello")), "the first turn")
        assert catalogs() == [["first"]]
        assert "Do the first thing." in bench.results()[0]
        assert "Base URL for this skill: " + server.url in bench.results()[0]

        changed.clear()
        server.change(first=("The first skill.", "x"), second=("The second skill.", "y"))
        await within(changed.wait(), "the notification of the change")
        await within(agent.run_turn(user_message("And now?")), "the second turn")
        assert catalogs() == [["first"], ["first", "second"]]

        server.failing = True
        changed.clear()
        server.change()
        await within(changed.wait(), "the notification of the failure")
        await within(agent.run_turn(user_message("And now?")), "the third turn")
        assert len(catalogs()) == 2
        server.failing = False
        assert await within(registry.get("gone", Lookup(cwd=str(bench.cwd))), "a skill that is not there") is None
        registration.close()
        await registry.aclose()
