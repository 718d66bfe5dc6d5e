"""Models by their configured names."""

from __future__ import annotations

from skills_core.agent.models.closing import close_model
from skills_core.agent.models.opening import open_model

__all__ = ["close_model", "open_model"]
