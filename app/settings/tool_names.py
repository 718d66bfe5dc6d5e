"""The names of the program's own tools, which the setting allow_tools and the flag --allow-tools take.

They stand here and not with the tools, so that a command can check a name without importing the agent.
"""

from __future__ import annotations

TOOL_NAMES = ("skill", "read", "list", "search", "write", "edit", "shell")
