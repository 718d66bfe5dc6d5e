"""How a user's words invoke skills: gestures, the draft's check, the frame, and the step hook that loads."""

from skills_core.invocation.content import render_skill_content
from skills_core.invocation.draft import DraftProblem, check_draft
from skills_core.invocation.gesture import Gesture, find_gestures
from skills_core.invocation.loader import InvocationLoader, claimed_gestures, invocation_message
from skills_core.invocation.nearest import nearest_names
from skills_core.invocation.trust import ask_trust, trust_questions

__all__ = [
    "DraftProblem",
    "Gesture",
    "InvocationLoader",
    "ask_trust",
    "check_draft",
    "claimed_gestures",
    "find_gestures",
    "invocation_message",
    "nearest_names",
    "render_skill_content",
    "trust_questions",
]
