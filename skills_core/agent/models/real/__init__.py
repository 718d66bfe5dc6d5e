"""Real models, through pydantic-ai's model classes and its direct request API. Nothing of it is imported before use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skills_core.lazy import lazy_names

if TYPE_CHECKING:
    from skills_core.agent.models.real.adapter import RealModel
    from skills_core.agent.models.real.opening import open_real_model
    from skills_core.agent.models.real.providers import PROVIDERS, ProviderFacts, ThinkingLevel

__all__ = ["PROVIDERS", "ProviderFacts", "RealModel", "ThinkingLevel", "open_real_model"]

__getattr__ = lazy_names(
    __name__,
    globals(),
    {
        "adapter": "RealModel",
        "opening": "open_real_model",
        "providers": "PROVIDERS ProviderFacts ThinkingLevel",
    },
)
