"""The tools of an ordinary agent."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from skills_core.access.policy import SkillAccess
from skills_core.agent.tool import Tool
from skills_core.agent.tools.change import FileChanger
from skills_core.agent.tools.edit import EditTool
from skills_core.agent.tools.list import ListTool
from skills_core.agent.tools.read import ReadTool
from skills_core.agent.tools.readable_folders import ReadableFolders
from skills_core.agent.tools.search import SearchTool
from skills_core.agent.tools.shell import ShellTool
from skills_core.agent.tools.skill import SkillTool
from skills_core.agent.tools.text_file import FileLedger
from skills_core.agent.tools.write import WriteTool

if TYPE_CHECKING:
    from skills_core.filesystem import FilesystemProvider
    from skills_core.registry.registry import SkillRegistry


def default_tools(
    cwd: str,
    provider: FilesystemProvider | None,
    registry: SkillRegistry,
    access: SkillAccess,
    *,
    project_root: str | None = None,
    without: Iterable[str] = (),
    hidden_variables: Collection[str] | None = None,
) -> tuple[Tool, ...]:
    """`skill`, `read`, `list`, `search`, `write`, `edit` and `shell`, less the names in ``without``.

    One set belongs to one agent: `edit` and `write` refuse what changed since that agent read it. ``provider`` is told
    about each file that they change; None when no skills come from files. Without ``project_root`` the project is
    found from ``cwd``. ``hidden_variables`` of the environment are kept from commands of `shell`: those that hold keys
    of model providers, when it is None.
    """
    from skills_core.filesystem import find_project_root

    folders = ReadableFolders(project_root or find_project_root(cwd), provider, registry, access)
    ledger = FileLedger()
    changer = FileChanger(ledger, provider)
    tools: tuple[Tool, ...] = (
        SkillTool(registry, access),
        ReadTool(folders, ledger),
        ListTool(folders),
        SearchTool(folders),
        WriteTool(changer, folders),
        EditTool(changer, folders),
        ShellTool(hidden_variables=hidden_variables),
    )
    left_out = frozenset(without)
    return tuple(tool for tool in tools if tool.schema.name not in left_out)
