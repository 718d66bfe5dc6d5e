"""Whether a skill fits a request, by scores that can be shown."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from skills_core.agent.model import ModelRequest
from skills_core.agent.models.offline.conversation import last_asked, read_turn
from skills_core.agent.models.offline.index import Route, index_of
from skills_core.agent.models.offline.smalltalk import asks_about_skills, is_greeting
from skills_core.catalog.entry import CatalogEntry

FIT_SCORE = 0.6
"""A score from which a skill fits: a little more than half a word that only this skill uses."""

CLOSE_SHARE = 0.75
"""A skill whose score is at least this share of the best one's is a runner-up."""

NEAREST_SHOWN = 3
_ROUTES_EXPLAINED = 10

Verdict: TypeAlias = Literal["fits", "none-fits", "greeting", "about", "invoked", "no-skills", "no-words"]


@dataclass(frozen=True, slots=True)
class Decision:
    """What is made of the user's words. ``chosen`` is set when a skill fits; ``runners_up`` came close to it.

    ``routes`` are the best scores, also those below the threshold.
    """

    verdict: Verdict
    words: str
    routes: tuple[Route, ...] = ()
    chosen: Route | None = None
    runners_up: tuple[Route, ...] = ()


def decide(words: str, entries: tuple[CatalogEntry, ...], tried: Container[str] = ()) -> Decision:
    """Routes ``words`` over the catalog; skills that were ``tried`` already for them are left out."""
    if not words:
        return Decision("no-words", words)
    if is_greeting(words):
        return Decision("greeting", words)
    if asks_about_skills(words):
        return Decision("about", words)
    if not entries:
        return Decision("no-skills", words)
    routes = tuple(route for route in index_of(entries).route(words) if route.name not in tried)
    if not routes or routes[0].score < FIT_SCORE:
        return Decision("none-fits", words, routes[:_ROUTES_EXPLAINED])
    best = routes[0]
    close = tuple(
        route for route in routes[1 : 1 + NEAREST_SHOWN] if route.score >= max(FIT_SCORE, CLOSE_SHARE * best.score)
    )
    return Decision("fits", words, routes[:_ROUTES_EXPLAINED], best, close)


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why the newest words went where they went. ``skills`` is how many the catalog held then."""

    decision: Decision
    skills: int
    invoked: tuple[str, ...] = ()
    fit_score: float = FIT_SCORE
    close_share: float = CLOSE_SHARE


def explain(request: ModelRequest) -> Explanation:
    """The scores for the user's newest words, with the catalog that the model had when it answered them."""
    turn = read_turn(last_asked(request))
    entries = turn.catalog or ()
    invoked = tuple(skill.name for skill in turn.invoked)
    decision = decide(turn.asked, entries)
    if invoked:
        decision = Decision("invoked", decision.words, decision.routes)
    return Explanation(decision, len(entries), invoked)


def explain_words(words: str, entries: Iterable[CatalogEntry]) -> Explanation:
    """The scores that a request in these words would get over a catalog."""
    catalog = tuple(entries)
    return Explanation(decide(words, catalog), len(catalog))


def render_explanation(explanation: Explanation) -> str:
    """The explanation as text for a person, one score a line."""
    decision = explanation.decision
    lines = [_verdict_line(explanation)]
    if decision.routes:
        lines.append("")
        width = max(len(route.name) for route in decision.routes)
        lines += [
            f"{route.score:6.2f}  {route.name:<{width}}  {', '.join(route.words)}".rstrip() for route in decision.routes
        ]
        lines += [
            "",
            f"1.00 is one word that only this skill uses. A skill fits from {explanation.fit_score:.2f}; one with at"
            f" least {explanation.close_share:.0%} of the best score is a runner-up.",
        ]
    return "\n".join(lines)


def _verdict_line(explanation: Explanation) -> str:
    decision = explanation.decision
    skills = f"{explanation.skills:,} skill{'' if explanation.skills == 1 else 's'}"
    match decision.verdict:
        case "fits":
            chosen = decision.chosen.name if decision.chosen is not None else ""
            return f"Of {skills}, {chosen} fits best."
        case "none-fits":
            return f"Of {skills}, none fits."
        case "invoked":
            return f"You invoked {', '.join(explanation.invoked)} yourself, so nothing was routed."
        case "greeting":
            return "It was a greeting, so nothing was routed."
        case "about":
            return "It was a question about the skills, so nothing was routed."
        case "no-skills":
            return "There were no skills to route to."
        case "no-words":
            return "There are no words of yours to route."
