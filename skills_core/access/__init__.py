"""Who may use a skill beyond what its own file says: switched on or off, and trusted or not."""

from skills_core.access.answers import AnswersError
from skills_core.access.policy import OPEN_ACCESS, SkillAccess, model_may_use, user_may_use
from skills_core.access.refresh import AccessRefresh
from skills_core.access.store import AccessStore, TrustMode

__all__ = [
    "OPEN_ACCESS",
    "AccessRefresh",
    "AccessStore",
    "AnswersError",
    "SkillAccess",
    "TrustMode",
    "model_may_use",
    "user_may_use",
]
