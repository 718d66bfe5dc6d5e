"""How a run without a screen answers questions: it cannot ask, so it refuses and says so."""

from __future__ import annotations

from app.output import Output
from skills_core.agent.approval import Answer, ToolQuestion, TrustQuestion


class HeadlessApprover:
    """Refuses every tool that the settings and flags do not allow, and every project that is not trusted."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._told: set[str] = set()

    async def approve_tool(self, question: ToolQuestion) -> Answer:
        self._output.message(
            f"skilldeck: refused: {question.summary} (--allow-tools {question.tool} lets it run without a question)"
        )
        return "no"

    async def approve_trust(self, question: TrustQuestion) -> bool | None:
        self.tell_untrusted(question.project_root)
        return None

    def tell_untrusted(self, project_root: str) -> None:
        """Says once for each project that its skills stay out."""
        if project_root in self._told:
            return
        self._told.add(project_root)
        self._output.message(
            f"skilldeck: the skills of {project_root} are not trusted and stay out (--trust yes lets them in)"
        )
