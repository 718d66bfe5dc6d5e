"""A project folder, a folder outside it, and tools called as the loop calls them."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from skills_core.agent.approval import ToolQuestion
from skills_core.agent.tool import PreparedTool, Tool, ToolContext, ToolOutcome
from skills_core.agent.tools.change import FileChanger
from skills_core.agent.tools.edit import EditTool
from skills_core.agent.tools.list import ListTool
from skills_core.agent.tools.read import ReadTool
from skills_core.agent.tools.readable_folders import ReadableFolders
from skills_core.agent.tools.search import SearchTool
from skills_core.agent.tools.shell import ShellTool
from skills_core.agent.tools.text_file import FileLedger
from skills_core.agent.tools.write import WriteTool


class Reports:
    """Stands where the filesystem provider does, and keeps what it was told."""

    def __init__(self) -> None:
        self.paths: list[str] = []

    async def report_change(self, path: str) -> bool:
        assert Path(path).exists()
        self.paths.append(path)
        return True


class Workshop:
    def __init__(self, tmp_path: Path) -> None:
        self.project = tmp_path / "project"
        self.cwd = self.project / "sub"
        self.outside = tmp_path / "outside"
        self.cwd.mkdir(parents=True)
        (self.project / ".git").mkdir()
        self.outside.mkdir()
        self.reports = Reports()
        self.output: list[str] = []
        self.calls = 0
        self.folders = ReadableFolders(str(self.project))
        ledger = FileLedger()
        changer = FileChanger(ledger, self.reports)  # type: ignore[arg-type]
        self.tools: dict[str, Tool] = {
            "read": ReadTool(self.folders, ledger),
            "list": ListTool(self.folders),
            "search": SearchTool(self.folders),
            "write": WriteTool(changer, self.folders),
            "edit": EditTool(changer, self.folders),
            "shell": ShellTool(),
        }

    def context(self) -> ToolContext:
        self.calls += 1
        return ToolContext(cwd=str(self.cwd), scope=None, call_id=f"call-{self.calls}", report=self.output.append)

    async def question(self, name: str, context: ToolContext | None = None, **arguments: Any) -> ToolQuestion | None:
        tool, context = self.tools[name], context or self.context()
        if isinstance(tool, PreparedTool):
            await tool.prepare(arguments, context)
        return await asyncio.to_thread(tool.question, arguments, context)

    async def call(self, name: str, **arguments: Any) -> ToolOutcome:
        """Asks as the loop would, with yes for an answer, and runs."""
        context = self.context()
        await self.question(name, context, **arguments)
        return await asyncio.wait_for(self.tools[name].run(arguments, context), 60)

    async def fails(self, name: str, **arguments: Any) -> str:
        outcome = await self.call(name, **arguments)
        assert outcome.is_error, outcome.text
        assert outcome.text.startswith("Error: "), outcome.text
        return outcome.text
