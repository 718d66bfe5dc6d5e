"""One turn: steps until the model asks for no more tools, and an end that leaves the log whole whatever happened."""

from __future__ import annotations

import asyncio
import logging

from skills_core.agent.bounded import one_line
from skills_core.agent.hooks import Reject, StepContext
from skills_core.agent.live import Retrying, StepStarted
from skills_core.agent.log_state import closing_of_open_turn, last_turn
from skills_core.agent.model import ModelError, ModelReply, ModelRequest
from skills_core.agent.outcome import TurnOutcome
from skills_core.agent.ports import TurnPorts
from skills_core.agent.reply import PartialReply, assistant_data, tool_calls
from skills_core.agent.request import context_data, tool_schemas
from skills_core.agent.retry import final_error
from skills_core.agent.secret_text import scrubbed_error, secret_values
from skills_core.agent.streaming import stream_reply
from skills_core.agent.uninterrupted import is_cancelled_from_outside
from skills_core.agent.window import near_limit
from skills_core.session.compaction import KEEP_TOKENS
from skills_core.session.error import SessionError
from skills_core.session.event import (
    ASSISTANT_MESSAGE,
    MODEL_RETRY,
    REQUEST_CONTEXT,
    TURN_END,
    TURN_START,
    PendingEvent,
)
from skills_core.words import counted

_log = logging.getLogger(__name__)
_KEPT_AFTER_OVERFLOW = 2000

_REFUSED = "The model refused to answer."
_LENGTH = ("The reply was cut at the model's length limit.", "Ask it to go on.")
_TOO_LARGE = "Start a new session, send less text, or choose a model with a larger window."
_EMPTY = ("The model sent an empty reply.", "Ask again, in other words if need be.")


class _HookError(Exception):
    """A pre-step hook raised or returned something that is no decision."""

    def __init__(self, hook: object, fault: str) -> None:
        self.message = f"{type(hook).__name__} failed before the step: {fault}"
        super().__init__(self.message)


class TurnRun:
    """Runs once. ``end`` must follow ``run`` however that ended: it writes what the log still lacks."""

    def __init__(self, ports: TurnPorts, messages: tuple[PendingEvent, ...]) -> None:
        self._ports = ports
        self._messages = messages
        self._claimed: tuple[PendingEvent, ...] = ()
        self._partial = PartialReply()
        self._model = ports.model()
        self._number = 0
        self._step = 0
        self._overflowed = False
        self._compacts = True

    async def run(self) -> TurnOutcome:
        """The steps. Cancellation passes through; everything else that goes wrong is an outcome."""
        try:
            return await self._steps()
        except (ModelError, SessionError) as error:
            return TurnOutcome(reason="failed", message=error.message, hint=error.hint, returned=self._unrecorded())
        except _HookError as error:
            return TurnOutcome(reason="failed", message=error.message, returned=self._unrecorded())
        except Exception as error:
            _log.exception("a turn failed in an unexpected way")
            message = f"The turn failed unexpectedly ({type(error).__name__})."
            return TurnOutcome(reason="failed", message=message, returned=self._unrecorded())

    def cancelled(self) -> TurnOutcome:
        return TurnOutcome(reason="cancelled", returned=self._unrecorded())

    async def end(self, outcome: TurnOutcome) -> TurnOutcome:
        """Records the part of a reply that arrived, results of calls that have none, and the end of the turn."""
        if not self._number:
            return outcome
        runner = self._ports.runner
        events: list[PendingEvent] = []
        if not self._partial.empty:
            cut = self._ports.normalise(self._partial.cut())
            events.append(self._assistant(cut))
            runner.expect(tool_calls(cut.content))
        events.extend(runner.closing_events())
        data = {
            "turn": self._number,
            "reason": outcome.reason,
            "message": outcome.message or None,
            "hint": outcome.hint or None,
        }
        events.append(PendingEvent(TURN_END, data))
        try:
            await self._ports.record(*events)
            await self._ports.session.sync()
        except SessionError as error:
            return TurnOutcome(reason="failed", message=error.message, hint=error.hint, returned=outcome.returned)
        return outcome

    async def _steps(self) -> TurnOutcome:
        ports = self._ports
        while True:
            self._step += 1
            await self._compact_near_limit()
            rejected = await self._begin_step()
            if rejected is not None:
                return rejected
            reply = await self._reply()
            if reply is None:
                continue
            calls = tool_calls(reply.content)
            ports.runner.expect(calls)
            await ports.record(self._assistant(reply))
            self._partial = PartialReply()
            ports.emit(reply)
            if reply.stop_reason == "cut":
                return TurnOutcome(reason="failed", message="The reply broke off.", hint="Ask again.")
            if reply.stop_reason == "refused":
                # Calls in such a reply are not meant to be run.
                return TurnOutcome(reason="done", message=_REFUSED)
            await ports.runner.run()
            if not calls and not (ports.waiting() and self._step < ports.max_steps):
                message, hint = _said_of(reply)
                return TurnOutcome(reason="done", message=message, hint=hint)
            if self._step >= ports.max_steps:
                message = f"The turn reached its limit of {counted(ports.max_steps, 'step')}."
                return TurnOutcome(reason="step-limit", message=message, hint="Send a message to let it go on.")

    async def _begin_step(self) -> TurnOutcome | None:
        """Runs the hooks and records what the step adds; the outcome of a rejection, which records nothing."""
        ports = self._ports
        self._claimed = (*self._messages, *ports.claim())
        self._messages = ()
        batch = await self._decide()
        if isinstance(batch, Reject):
            return TurnOutcome(reason="rejected", message=batch.message, hint=batch.hint, returned=self._unrecorded())
        events: list[PendingEvent] = []
        number = self._number
        if not number:
            stored = ports.session.events
            events.extend(closing_of_open_turn(stored))
            number = last_turn(stored) + 1
            events.append(PendingEvent(TURN_START, {"turn": number}))
        self._model = ports.model()
        events.extend(self._changed_context())
        if events or batch:
            await ports.record(*events, *batch)
        self._number, self._claimed = number, ()
        ports.emit(StepStarted(self._step))
        return None

    async def _decide(self) -> tuple[PendingEvent, ...] | Reject:
        ports = self._ports
        context = StepContext(
            session=ports.session,
            cwd=ports.cwd,
            scope=ports.scope,
            tools=ports.tools,
            claimed=self._claimed,
            step=self._step,
        )
        batch = self._claimed
        for hook in ports.hooks:
            try:
                decision = await hook.before_step(context, batch)
            except SessionError:
                raise
            except asyncio.CancelledError as error:
                if is_cancelled_from_outside():
                    raise
                raise _HookError(hook, "it was cancelled from inside") from error
            except Exception as error:
                _log.exception("a pre-step hook failed")
                words = one_line(scrubbed_error(str(error), secret_values()), 300)
                raise _HookError(hook, words or type(error).__name__) from error
            if isinstance(decision, Reject):
                return decision
            if not _is_batch(decision):
                raise _HookError(hook, "it returned neither messages nor a rejection")
            batch = tuple(decision)
        return batch

    async def _reply(self) -> ModelReply | None:
        """The finished reply; None when the conversation was compacted and the step begins anew."""
        ports = self._ports
        attempt = 0
        while True:
            attempt += 1
            self._partial = PartialReply()
            self._model = ports.model()
            if switched := self._changed_context():
                await ports.record(*switched)
            request = ModelRequest(ports.system_prompt, ports.session.surface.messages(), tool_schemas(ports.tools))
            try:
                reply = await stream_reply(self._model, request, self._partial, ports.limits, ports.emit)
                return ports.normalise(reply)
            except ModelError as error:
                if error.kind == "context-overflow":
                    await self._after_overflow(error)
                    return None
                await self._before_retry(attempt, error)

    async def _after_overflow(self, error: ModelError) -> None:
        if self._overflowed:
            raise ModelError(
                error.kind,
                "The conversation does not fit the model's context window, even after it was compacted.",
                _TOO_LARGE,
            ) from error
        self._overflowed = True
        outcome = await self._ports.compact(_KEPT_AFTER_OVERFLOW)
        if not outcome.compacted:
            # To compact it once more, as the error's own hint may say, would not help.
            raise ModelError(error.kind, f"{error.message} {outcome.message}".strip(), _TOO_LARGE) from error
        self._partial = PartialReply()
        # The step that did not fit is not one more step.
        self._step -= 1

    async def _before_retry(self, attempt: int, error: ModelError) -> None:
        """Waits before the next attempt, visibly; raises the error when there is none."""
        ports = self._ports
        delay = ports.retry.delay(attempt, error)
        if delay is None:
            raise final_error(error, attempt) from error
        discarded = not self._partial.empty
        self._partial = PartialReply()
        data = {
            "attempt": attempt,
            "delay": round(delay, 3),
            "kind": error.kind,
            "message": error.message,
            "discarded": discarded,
        }
        await ports.record(PendingEvent(MODEL_RETRY, data))
        ports.emit(
            Retrying(
                attempt=attempt,
                attempts=ports.retry.attempts,
                delay=delay,
                kind=error.kind,
                message=error.message,
                discarded=discarded,
            )
        )
        await ports.retry.sleep(delay)

    async def _compact_near_limit(self) -> None:
        ports = self._ports
        if self._compacts and near_limit(ports.session, ports.model(), ports.limits.compact_at):
            outcome = await ports.compact(KEEP_TOKENS)
            # What could not be made shorter now will not be in this turn's next step either.
            self._compacts = outcome.compacted

    def _changed_context(self) -> tuple[PendingEvent, ...]:
        """What has to be stored before the next request, when it differs from what was stored last."""
        ports = self._ports
        context = context_data(ports.system_prompt, tool_schemas(ports.tools), self._model.name)
        return (PendingEvent(REQUEST_CONTEXT, context),) if ports.context.is_changed(context) else ()

    def _assistant(self, reply: ModelReply) -> PendingEvent:
        """A reply belongs to the model that was asked, also when another has been chosen meanwhile."""
        return PendingEvent(ASSISTANT_MESSAGE, assistant_data(reply, self._model.name))

    def _unrecorded(self) -> tuple[PendingEvent, ...]:
        return self._claimed or self._messages


def _is_batch(decision: object) -> bool:
    return isinstance(decision, tuple | list) and all(isinstance(item, PendingEvent) for item in decision)  # pyright: ignore[reportUnknownVariableType]


def _said_of(reply: ModelReply) -> tuple[str, str]:
    """What a person has to be told of a reply that ended a turn, and what to do."""
    if reply.stop_reason == "length":
        return _LENGTH
    return ("", "") if reply.content else _EMPTY
