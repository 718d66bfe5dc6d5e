"""Words that are not a task: greetings, thanks, and questions about the model and its skills."""

from __future__ import annotations

import re
from functools import cache

from skills_core.agent.models.offline.data import data_file
from skills_core.agent.models.offline.words import fold

_ABOUT = re.compile(
    r"\b(?:who|what) are you\b|\bwhat can you do\b|\bwhat do you do\b|\bhow do you work\b|\bwhat is skilldeck\b"
    r"|^help(?: me)?$"
    r"|\b(?:what|which|list|show|any)\b.{0,40}\bskills?\b.{0,30}$"
    r"|\bwer bist du\b|\bwas kannst du\b|\bwelche skills\b|\bqui es tu\b|\bque (?:peux tu|sais tu) faire\b"
    r"|\bquel(?:le)?s (?:skills|competences)\b|\bquien eres\b|\bque (?:puedes|sabes) hacer\b|\bque habilidades\b"
    r"|\bchi sei\b|\bcosa sai fare\b|\bquem e voce\b|\bкто ты\b|\bчто ты умеешь\b|\bкакие (?:навыки|умения|скиллы)\b"
    r"|你是谁|你能做什么|你会什么|(?:有|哪些).{0,6}(?:技能|skill)|あなたは誰|何ができ|どんなスキル"
    r"|누구(?:세요|야|니)|무엇을 할 수|뭘 할 수"
    r"|من انت|ماذا يمكنك|คุณคือใคร|ทำอะไรได้"
)
_EDGE = re.compile(r"^[\W_]+|[\W_]+$")
_INNER = re.compile(r"[\s,.!?;:'’\"-]+")
_ABOUT_LONGEST = 120


def _tidy(text: str) -> str:
    return _INNER.sub(" ", _EDGE.sub("", fold(text)))


@cache
def _greetings() -> frozenset[str]:
    lines = (line for line in data_file("greetings.txt").splitlines() if not line.startswith("#"))
    return frozenset(_tidy(phrase) for phrase in " ".join(lines).split(","))


def is_greeting(text: str) -> bool:
    """Whether the words are nothing but a greeting or thanks."""
    return _tidy(text) in _greetings()


def asks_about_skills(text: str) -> bool:
    """Whether the words ask what the model is or which skills there are. Long requests are tasks."""
    tidy = _tidy(text)
    return len(tidy) <= _ABOUT_LONGEST and _ABOUT.search(tidy) is not None
