"""Who may use a skill beyond what its own file says: switched on or off, and trusted or not."""

from skills_core.access.policy import OPEN_ACCESS, SkillAccess, model_may_use, user_may_use

__all__ = ["OPEN_ACCESS", "SkillAccess", "model_may_use", "user_may_use"]
