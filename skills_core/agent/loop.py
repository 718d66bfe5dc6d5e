"""The agent: turns over a session with a model, tools, and hooks that run before each step."""

from __future__ import annotations

import asyncio
import logging
import re
from collections import deque
from collections.abc import Callable, Collection, Coroutine, Iterable
from typing import Any, TypeVar

from skills_core.agent.approval import Approver
from skills_core.agent.compaction_run import Compactor
from skills_core.agent.hooks import PreStepHook
from skills_core.agent.limits import AgentLimits
from skills_core.agent.live import Compacting, LiveItem, QueueChanged
from skills_core.agent.log_state import LastContext
from skills_core.agent.model import Model, ModelReply
from skills_core.agent.outcome import AgentBusyError, CompactionOutcome, TurnOutcome
from skills_core.agent.permissions import ToolPermissions
from skills_core.agent.ports import TurnPorts
from skills_core.agent.reply import normalised
from skills_core.agent.request import tool_schemas
from skills_core.agent.retry import RetryPolicy
from skills_core.agent.secret_text import model_keys, without_secrets_inside
from skills_core.agent.tool import Tool
from skills_core.agent.tool_run import ToolRunner
from skills_core.agent.turn import TurnRun
from skills_core.agent.uninterrupted import uninterrupted, waited
from skills_core.registry.lookup import Scope
from skills_core.session.compaction import KEEP_TOKENS
from skills_core.session.error import SessionError
from skills_core.session.event import (
    MODEL_CHANGE,
    SOURCE_SKILL_CATALOG,
    TOOL_RESULT,
    PendingEvent,
    SessionEvent,
    source_kind,
)
from skills_core.session.session import Session
from skills_core.subscribers import Subscribers

_log = logging.getLogger(__name__)
T = TypeVar("T")
_UNUSUAL = re.compile(r"[^A-Za-z0-9_-]")
_ID_LENGTH = 36


class DuplicateToolError(ValueError):
    """Two tools of one agent have the same name."""

    def __init__(self, name: str) -> None:
        super().__init__(f"two tools are named {name!r}")


class Agent:
    """Runs turns, one at a time, over one session that it does not own.

    ``hooks`` run in the given order before each step. ``max_steps`` bounds a turn. ``allow_tools`` are names of tools
    that run without a question. The working folder is that of the session.
    """

    def __init__(
        self,
        *,
        session: Session,
        model: Model,
        tools: Iterable[Tool],
        hooks: Iterable[PreStepHook] = (),
        approver: Approver,
        system_prompt: str,
        scope: Scope | None = None,
        max_steps: int = 50,
        allow_tools: Collection[str] = frozenset(),
        limits: AgentLimits | None = None,
        retry: RetryPolicy | None = None,
    ) -> None:
        self._session = session
        self._model = model
        self._tools: dict[str, Tool] = {}
        for tool in tools:
            name = tool.schema.name
            if name in self._tools:
                raise DuplicateToolError(name)
            self._tools[name] = tool
        self._limits = limits or AgentLimits()
        self._subscribers = Subscribers[[LiveItem]](_log, "the agent")
        self._queue: deque[PendingEvent] = deque()
        self._work: asyncio.Task[Any] | None = None
        self._running = False
        self._idle = asyncio.Event()
        self._idle.set()
        self._call_ids: set[str] | None = None
        self._runner = ToolRunner(
            tools=self._tools,
            permissions=ToolPermissions(session, approver, allow_tools, self._record),
            cwd=session.header.cwd,
            scope=scope,
            limits=self._limits,
            emit=self._emit,
            record=self._record,
        )
        self._compactor = Compactor(session, self._limits, self._record)
        self._ports = TurnPorts(
            session=session,
            cwd=session.header.cwd,
            scope=scope,
            system_prompt=system_prompt,
            tools=self._tools,
            hooks=tuple(hooks),
            runner=self._runner,
            context=LastContext(session.events),
            limits=self._limits,
            retry=retry or RetryPolicy(),
            max_steps=max(1, max_steps),
            model=lambda: self._model,
            claim=self._claim,
            waiting=lambda: bool(self._queue),
            normalise=self._normalise,
            compact=lambda keep_tokens: self._compact(automatic=True, keep_tokens=keep_tokens),
            record=self._record,
            emit=self._emit,
        )

    @property
    def session(self) -> Session:
        return self._session

    @property
    def model(self) -> Model:
        return self._model

    @property
    def busy(self) -> bool:
        """Whether a turn or a compaction is under way."""
        return self._running

    @property
    def queued(self) -> tuple[PendingEvent, ...]:
        """Messages that wait for the next step boundary."""
        return tuple(self._queue)

    def subscribe(self, callback: Callable[[LiveItem], object]) -> Callable[[], None]:
        """Calls back on the loop with each live item; returns the unsubscribe function."""
        return self._subscribers.add(callback)

    def queue(self, *messages: PendingEvent) -> None:
        """Adds messages that the next step takes up, of the running turn or of the next one."""
        if messages:
            self._queue.extend(messages)
            self._emit(QueueChanged(self.queued))

    def take_queued(self) -> tuple[PendingEvent, ...]:
        """Empties the queue, so that its messages can be edited or thrown away."""
        return self._claim()

    async def run_turn(self, *messages: PendingEvent) -> TurnOutcome:
        """Runs a turn that begins with these messages and those that are queued.

        Whatever goes wrong is an outcome. Cancelling the awaiting task stops the turn, leaves the log whole, and then
        raises CancelledError as usual. Raises AgentBusyError during another turn.
        """
        turn = TurnRun(self._ports, messages)
        return await self._exclusively(turn.run(), turn.cancelled, turn.end)

    def cancel(self) -> None:
        """Stops the running turn or compaction; does nothing when there is none."""
        if self._work is not None:
            self._work.cancel()

    async def set_model(self, model: Model) -> None:
        """Uses another model from the next request on and records the change. The caller owns both models.

        Raises SessionError when the change could not be recorded; it holds all the same.
        """
        self._model = model
        await self._session.append(PendingEvent(MODEL_CHANGE, {"model": model.name}))

    async def compact(self) -> CompactionOutcome:
        """Replaces the older part of the conversation by a summary. Raises AgentBusyError during a turn."""

        async def run() -> CompactionOutcome:
            try:
                return await self._compact(automatic=False)
            except SessionError as error:
                return CompactionOutcome(compacted=False, message=error.message, hint=error.hint)

        async def end(outcome: CompactionOutcome) -> CompactionOutcome:
            return outcome

        cancelled = CompactionOutcome(compacted=False, message="Cancelled: nothing was replaced.")
        return await self._exclusively(run(), lambda: cancelled, end)

    async def aclose(self) -> None:
        """Stops what runs and waits for it. The session and the model stay open."""
        self.cancel()
        await self._idle.wait()
        await self._runner.aclose()

    async def _exclusively(
        self, work: Coroutine[Any, Any, T], cancelled: Callable[[], T], end: Callable[[T], Coroutine[Any, Any, T]]
    ) -> T:
        """Runs work that can be cancelled, then its end, which cannot; the caller's own cancellation waits for both."""
        if self._running:
            work.close()
            raise AgentBusyError
        self._running = True
        self._idle.clear()
        try:
            self._work = asyncio.ensure_future(work)
            torn = await waited(self._work, self.cancel)
            outcome = cancelled() if self._work.cancelled() else self._work.result()
            self._work = None
            closing = asyncio.ensure_future(end(outcome))
            torn = await waited(closing) or torn
        finally:
            self._work = None
            self._running = False
            self._idle.set()
        if torn:
            raise asyncio.CancelledError
        return closing.result()

    async def _record(self, *events: PendingEvent) -> tuple[SessionEvent, ...]:
        keys = model_keys()
        return await uninterrupted(self._session.append(*(_without_keys(event, keys) for event in events)))

    async def _compact(self, *, automatic: bool, keep_tokens: int = KEEP_TOKENS) -> CompactionOutcome:
        self._emit(Compacting(automatic))
        return await self._compactor.compact(
            self._model,
            system_prompt=self._ports.system_prompt,
            tools=tool_schemas(self._tools),
            keep_tokens=keep_tokens,
        )

    def _claim(self) -> tuple[PendingEvent, ...]:
        claimed = tuple(self._queue)
        if claimed:
            self._queue.clear()
            self._emit(QueueChanged(()))
        return claimed

    def _normalise(self, reply: ModelReply) -> ModelReply:
        return normalised(reply, self._free_call_id)

    def _free_call_id(self, given: str) -> str:
        """The identifier itself, or a like one when an earlier call has it or not every server would take it."""
        if self._call_ids is None:
            results = (event for event in self._session.events if event.type == TOOL_RESULT)
            self._call_ids = {str(event.data.get("id")) for event in results}
        base = _UNUSUAL.sub("_", given)[:_ID_LENGTH]
        free, number = base, 1
        while not free or free in self._call_ids:
            free = f"{base or 'call'}-{number}"
            number += 1
        self._call_ids.add(free)
        return free

    def _emit(self, item: LiveItem) -> None:
        self._subscribers.tell(item)


def _without_keys(event: PendingEvent, keys: tuple[str, ...]) -> PendingEvent:
    """The event as it goes into the log: no key of a model is written there, whoever wrote it down.

    A catalog is compared with the skills as they are, and would never be like them again.
    """
    if not keys or source_kind(event.data) == SOURCE_SKILL_CATALOG:
        return event
    return PendingEvent(event.type, without_secrets_inside(event.data, keys))
