"""The step hook that loads the skills a user named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from skills_core.access.policy import SkillAccess, user_may_use
from skills_core.agent.approval import Approver
from skills_core.agent.hooks import Batch, PreStepHook, Reject, StepContext
from skills_core.agent.instruction_files import read_instructions
from skills_core.invocation.content import render_skill_content
from skills_core.invocation.draft import gesture_problem
from skills_core.invocation.gesture import Gesture, find_gestures
from skills_core.invocation.trust import StepTrust
from skills_core.registry.errors import render_error
from skills_core.registry.lookup import Lookup
from skills_core.registry.settle import STEP_SETTLE_SECONDS, settled_snapshot
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


class InvocationLoader:
    """Adds the instructions of each skill that the step's user messages name, after everything else in the batch.

    ``/NAME`` is left as words when there is no such skill, when a user may not invoke it, or when the person does
    not trust its project; ``/skill:NAME`` then rejects the step. A skill that is there but cannot be loaded rejects
    the step in both forms, since the user asked for it. ``settle_timeout`` (seconds) is how long a name that is
    missing only because a file is being written is waited for.

    A skill of a project that is not trusted is asked about first, together with the project's instructions, which
    are looked for below ``project_root`` (None: the project of the working folder). ``gate`` is a hook that asks
    already before anything of the project is published, so that a yes holds for the whole step; put it before the
    hooks that do.
    """

    def __init__(
        self,
        registry: SkillRegistry,
        access: SkillAccess,
        approver: Approver,
        *,
        project_root: str | None = None,
        settle_timeout: float = STEP_SETTLE_SECONDS,
    ) -> None:
        self._registry = registry
        self._access = access
        self._approver = approver
        self._project_root = project_root
        self._settle_timeout = settle_timeout
        self._trust: StepTrust | None = None

    @property
    def gate(self) -> PreStepHook:
        return _TrustGate(self)

    async def before_step(self, context: StepContext, batch: Batch) -> Batch | Reject:
        gestures = claimed_gestures(context.claimed)
        if not gestures:
            return batch
        snapshot = await self._snapshot(context, gestures)
        loading = _Loading(self._registry, self._access, self._trust_of(context), context, snapshot)
        loaded: list[PendingEvent] = []
        for gesture in gestures:
            outcome = await loading.load(gesture)
            if isinstance(outcome, Reject):
                return outcome
            if outcome is not None:
                loaded.append(invocation_message(outcome))
        return (*batch, *loaded)

    async def ask_trust(self, context: StepContext) -> None:
        """Asks about each project that is not trusted and whose skills the step's user messages name."""
        gestures = claimed_gestures(context.claimed)
        if not gestures:
            return
        snapshot = await self._snapshot(context, gestures)
        trust = self._trust_of(context)
        for gesture in gestures:
            skill = snapshot.by_name.get(gesture.name)
            if skill is not None and user_may_use(skill, self._access):
                await trust.allows(skill, snapshot)

    def _trust_of(self, context: StepContext) -> StepTrust:
        if self._trust is None or self._trust.claimed is not context.claimed:
            read = partial(read_instructions, context.cwd, self._project_root)
            self._trust = StepTrust(context.claimed, self._access, self._approver, read)
        return self._trust

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


class _TrustGate:
    """Asks for trust at the beginning of a step, so that all else of that step already follows the answer."""

    def __init__(self, loader: InvocationLoader) -> None:
        self._loader = loader

    async def before_step(self, context: StepContext, batch: Batch) -> Batch:
        await self._loader.ask_trust(context)
        return batch


class _Loading:
    """One step's invocations."""

    def __init__(
        self,
        registry: SkillRegistry,
        access: SkillAccess,
        trust: StepTrust,
        context: StepContext,
        snapshot: SkillSnapshot,
    ) -> None:
        self._registry = registry
        self._access = access
        self._trust = trust
        self._lookup = Lookup(cwd=context.cwd, scope=context.scope)
        self._snapshot = snapshot

    async def load(self, gesture: Gesture) -> SkillDefinition | Reject | None:
        """The definition; None when the gesture is words; Reject when the step must not take place."""
        skill = self._snapshot.by_name.get(gesture.name)
        if skill is None or not user_may_use(skill, self._access):
            return self._refused(gesture)
        if not await self._trust.allows(skill, self._snapshot):
            return _untrusted(gesture, skill)
        try:
            definition = await self._registry.get(gesture.name, self._lookup)
        except Exception as error:
            return Reject(f'The skill "{gesture.name}" could not be loaded: {render_error(error)}')
        if definition is None:
            return self._changed(gesture, "it is no longer there")
        # The file may have changed, or another provider's skill taken the name, since the snapshot.
        if not definition.invocation.user_invocable:
            return self._changed(gesture, "its file no longer lets a user invoke it")
        if not self._access.is_enabled(definition):
            return self._changed(gesture, "it has been switched off")
        if not await self._trust.allows(definition, self._snapshot):
            return _untrusted(gesture, definition)
        return definition

    def _refused(self, gesture: Gesture) -> Reject | None:
        if not gesture.explicit:
            return None
        problem = gesture_problem(gesture, self._snapshot, self._access)
        return None if problem is None else Reject(problem.message, problem.hint)

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
