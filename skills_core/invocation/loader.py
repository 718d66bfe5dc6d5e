"""The step hook that loads the skills a user named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from skills_core.access.policy import SkillAccess, user_may_use
from skills_core.agent.approval import Approver, TrustQuestion
from skills_core.agent.hooks import Batch, Reject, StepContext
from skills_core.invocation.content import render_skill_content
from skills_core.invocation.draft import gesture_problem
from skills_core.invocation.gesture import Gesture, find_gestures
from skills_core.registry.errors import render_error
from skills_core.registry.lookup import Lookup
from skills_core.registry.settle import settled_snapshot
from skills_core.registry.snapshot import SkillSnapshot
from skills_core.session.event import (
    SOURCE_SKILL_INVOCATION,
    SOURCE_USER,
    USER_MESSAGE,
    PendingEvent,
    source_kind,
    user_message,
)
from skills_core.skill import SkillDefinition, SkillFacts

if TYPE_CHECKING:
    from skills_core.registry.registry import SkillRegistry

SETTLE_TIMEOUT = 0.3


class InvocationLoader:
    """Adds the instructions of each skill that the step's user messages name, after everything else in the batch.

    ``/NAME`` is left as words when there is no such skill, when a user may not invoke it, or when the person does
    not trust its project; ``/skill:NAME`` then rejects the step. A skill that is there but cannot be loaded rejects
    the step in both forms, since the user asked for it. ``settle_timeout`` (seconds) is how long a name that is
    missing only because a file is being written is waited for.
    """

    def __init__(
        self,
        registry: SkillRegistry,
        access: SkillAccess,
        approver: Approver,
        *,
        settle_timeout: float = SETTLE_TIMEOUT,
    ) -> None:
        self._registry = registry
        self._access = access
        self._approver = approver
        self._settle_timeout = settle_timeout

    async def before_step(self, context: StepContext, batch: Batch) -> Batch | Reject:
        gestures = claimed_gestures(context.claimed)
        if not gestures:
            return batch
        loading = _Loading(
            self._registry, self._access, self._approver, context, await self._snapshot(context, gestures)
        )
        loaded: list[PendingEvent] = []
        for gesture in gestures:
            outcome = await loading.load(gesture)
            if isinstance(outcome, Reject):
                return outcome
            if outcome is not None:
                loaded.append(invocation_message(outcome))
        return (*batch, *loaded)

    async def _snapshot(self, context: StepContext, gestures: Sequence[Gesture]) -> SkillSnapshot:
        lookup = Lookup(cwd=context.cwd, scope=context.scope, fresh=True)
        snapshot = await self._registry.snapshot(lookup)
        if not snapshot.complete and any(gesture.name not in snapshot.by_name for gesture in gestures):
            return await settled_snapshot(self._registry, lookup, self._settle_timeout, only_in_flight=True)
        return snapshot


def claimed_gestures(claimed: Sequence[PendingEvent]) -> tuple[Gesture, ...]:
    """One gesture for each name in the user's own text blocks, in order of appearance.

    A name counts as explicit when any of its gestures is.
    """
    found: dict[str, Gesture] = {}
    for pending in claimed:
        if pending.type != USER_MESSAGE or source_kind(pending.data) != SOURCE_USER:
            continue
        for text in _texts(pending.data):
            for gesture in find_gestures(text):
                known = found.get(gesture.name)
                if known is None or (gesture.explicit and not known.explicit):
                    found[gesture.name] = gesture
    return tuple(found.values())


def invocation_message(definition: SkillDefinition) -> PendingEvent:
    """The instructions as a message of their own, whose source says which skill they are."""
    return user_message(
        render_skill_content(definition),
        {
            "kind": SOURCE_SKILL_INVOCATION,
            "form": "instructions",
            "name": definition.name,
            "path": definition.path,
            "source": definition.source,
        },
    )


class _Loading:
    """One step's invocations: what is there, and which projects the person said yes or no to."""

    def __init__(
        self,
        registry: SkillRegistry,
        access: SkillAccess,
        approver: Approver,
        context: StepContext,
        snapshot: SkillSnapshot,
    ) -> None:
        self._registry = registry
        self._access = access
        self._approver = approver
        self._lookup = Lookup(cwd=context.cwd, scope=context.scope)
        self._snapshot = snapshot
        self._answers: dict[str | None, bool] = {}

    async def load(self, gesture: Gesture) -> SkillDefinition | Reject | None:
        """The definition; None when the gesture is words; Reject when the step must not take place."""
        skill = self._snapshot.by_name.get(gesture.name)
        if skill is None or not user_may_use(skill, self._access):
            return self._refused(gesture)
        if not await self._trusted(skill):
            return _untrusted(gesture, skill)
        try:
            definition = await self._registry.get(gesture.name, self._lookup)
        except Exception as error:
            return Reject(f'The skill "{gesture.name}" could not be loaded: {render_error(error)}')
        if definition is None:
            return self._gone(gesture)
        # The file may have changed, or another provider's skill taken the name, since the snapshot.
        if not definition.invocation.user_invocable:
            return self._changed(gesture, "its file no longer lets a user invoke it")
        if not self._access.is_enabled(definition):
            return self._changed(gesture, "it has been switched off")
        if not await self._trusted(definition):
            return _untrusted(gesture, definition)
        return definition

    async def _trusted(self, skill: SkillFacts) -> bool:
        if self._access.is_trusted(skill):
            return True
        root = skill.project_root
        if root not in self._answers:
            self._answers[root] = await self._ask(root, skill.name)
        return self._answers[root]

    async def _ask(self, root: str | None, invoking: str) -> bool:
        if root is None:
            return False
        skills = tuple(skill for skill in self._snapshot.skills if skill.project_root == root)
        question = TrustQuestion(project_root=root, skills=skills, invoking=invoking)
        return await self._approver.approve_trust(question) is True

    def _refused(self, gesture: Gesture) -> Reject | None:
        if not gesture.explicit:
            return None
        problem = gesture_problem(gesture, self._snapshot, self._access)
        return None if problem is None else Reject(problem.message, problem.hint)

    def _gone(self, gesture: Gesture) -> Reject | None:
        return self._changed(gesture, "it is no longer there")

    def _changed(self, gesture: Gesture, why: str) -> Reject | None:
        return Reject(f'The skill "{gesture.name}" was not loaded: {why}') if gesture.explicit else None


def _untrusted(gesture: Gesture, skill: SkillFacts) -> Reject | None:
    if not gesture.explicit:
        return None
    return Reject(
        f'The skill "{skill.name}" was not loaded: the skills of this project are not trusted',
        f"It comes from {skill.project_root}. Trust the project to use its skills.",
    )


def _texts(data: Mapping[str, Any]) -> list[str]:
    """The text blocks of a message; blocks of other and unreadable kinds are passed over."""
    content = data.get("content")
    if not isinstance(content, Sequence) or isinstance(content, (str, bytes)):
        return []
    texts: list[str] = []
    for block in cast(Sequence[object], content):
        if isinstance(block, Mapping):
            fields = cast(Mapping[str, object], block)
            text = fields.get("text")
            if fields.get("type") == "text" and isinstance(text, str):
                texts.append(text)
    return texts
