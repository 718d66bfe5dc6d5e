"""The pre-step hooks of an ordinary agent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skills_core.access.policy import SkillAccess
from skills_core.access.refresh import AccessRefresh
from skills_core.access.store import AccessStore
from skills_core.agent.approval import Approver
from skills_core.agent.hooks import PreStepHook
from skills_core.agent.instructions import ProjectInstructions
from skills_core.catalog.entry import DESCRIPTION_MAX_LENGTH
from skills_core.catalog.publisher import CatalogPublisher
from skills_core.invocation.loader import InvocationLoader
from skills_core.registry.settle import STEP_SETTLE_SECONDS

if TYPE_CHECKING:
    from skills_core.registry.registry import SkillRegistry


def default_hooks(
    registry: SkillRegistry,
    approver: Approver,
    access: SkillAccess,
    *,
    project_root: str | None = None,
    description_max_length: int = DESCRIPTION_MAX_LENGTH,
    budget_tokens: int | None = None,
    settle_timeout: float = STEP_SETTLE_SECONDS,
) -> tuple[PreStepHook, ...]:
    """What a step gets beside the user's messages: project instructions, the catalog, and the skills that were invoked.

    They are in the order in which they must run: answers are reread and a question of trust is asked before the
    instructions and the catalog are published, so that a yes brings both in the same step. What a project brings is
    left out as long as ``access`` does not trust it. Without ``project_root`` the project of `AGENTS.md` is found from
    the session's folder. The other options are those of
    CatalogPublisher and InvocationLoader; ``settle_timeout`` is in seconds.
    """
    invocations = InvocationLoader(registry, access, approver, project_root=project_root, settle_timeout=settle_timeout)
    publisher = CatalogPublisher(
        registry,
        access,
        description_max_length=description_max_length,
        settle_timeout=settle_timeout,
        budget_tokens=budget_tokens,
    )
    refresh = (AccessRefresh(access),) if isinstance(access, AccessStore) else ()
    return (*refresh, invocations.gate, ProjectInstructions(access, project_root), publisher, invocations)
