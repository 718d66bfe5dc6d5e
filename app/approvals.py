"""How a run without a screen answers questions: it cannot ask, so it refuses and says so."""

from __future__ import annotations

from app.output import Output
from skills_core.agent.approval import ToolAnswer, ToolQuestion, TrustQuestion
from skills_core.words import counted

FILES_SHOWN = 5


class HeadlessApprover:
    """Refuses every tool that the settings and flags do not allow, and every project that is not trusted."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._told: set[str] = set()

    async def approve_tool(self, question: ToolQuestion) -> ToolAnswer:
        self._output.message(
            f"skilldeck: refused: {question.summary} (--allow-tools {question.tool} lets it run without a question)"
        )
        return "no"

    async def approve_trust(self, question: TrustQuestion) -> bool | None:
        """Says once for each project what of it stays out."""
        if question.project_root not in self._told:
            self._told.add(question.project_root)
            self._output.message(
                f"skilldeck: {question.project_root} is not trusted: {_brought(question)} stay out "
                "(--trust yes lets them in)"
            )
        return None


def _brought(question: TrustQuestion) -> str:
    """``its 2 skills and its instructions (AGENTS.md)``."""
    parts: list[str] = []
    if question.skills:
        parts.append(f"its {counted(len(question.skills), 'skill')}")
    if question.instructions:
        paths = [file.path for file in question.instructions]
        shown = ", ".join(paths[:FILES_SHOWN])
        more = f" and {len(paths) - FILES_SHOWN} more" if len(paths) > FILES_SHOWN else ""
        parts.append(f"its instructions ({shown}{more})")
    return " and ".join(parts) or "its skills"
