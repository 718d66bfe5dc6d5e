"""Runs the tool calls of one reply: checks, questions, bounds, and a result for each call whatever happens."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from skills_core.agent.approval import ToolQuestion
from skills_core.agent.bounded import bounded, one_line
from skills_core.agent.call_check import call_arguments, call_fault
from skills_core.agent.limits import AgentLimits
from skills_core.agent.live import LiveItem, ToolFinished, ToolOutput, ToolStarted
from skills_core.agent.permissions import ToolPermissions
from skills_core.agent.reply import storable
from skills_core.agent.secret_stream import SecretFilter
from skills_core.agent.secret_text import secret_values, without_secrets, without_secrets_inside
from skills_core.agent.tool import PreparedTool, Tool, ToolContext, ToolOutcome
from skills_core.agent.uninterrupted import is_cancelled_from_outside, stopped
from skills_core.registry.lookup import Scope
from skills_core.session.error import SessionError
from skills_core.session.event import TOOL_CALL, TOOL_RESULT, Block, PendingEvent, text_block

_log = logging.getLogger(__name__)
INTERRUPTED = "Interrupted: the call was stopped before it had finished."
_NOT_RUN = "Interrupted: the turn was stopped before this call began."
_DECLINED = "The person declined this call. It was not run."
_LIVE_OUTPUT = 400_000
_KEPT_OUTPUT = 4_000


@dataclass(frozen=True, slots=True)
class _Ready:
    """A call that passed its checks."""

    call_id: str
    name: str
    tool: Tool
    arguments: Mapping[str, Any]
    context: ToolContext


class _Output:
    """What a running call reported: shown up to a bound, its end kept for an interrupted result."""

    def __init__(self, call_id: str, secrets: tuple[str, ...], emit: Callable[[LiveItem], None]) -> None:
        self._call_id = call_id
        self._without_secrets = SecretFilter(secrets)
        self._emit = emit
        self._shown = 0
        self.tail = ""

    def report(self, text: str) -> None:
        self._tell(self._without_secrets.piece(text))

    def end(self) -> None:
        """No more comes: tells what waited because it might have become a secret."""
        self._tell(self._without_secrets.rest())

    def _tell(self, text: str) -> None:
        self.tail = (self.tail + text)[-_KEPT_OUTPUT:]
        if text and self._shown < _LIVE_OUTPUT:
            self._shown += len(text)
            self._emit(ToolOutput(self._call_id, text))


class ToolRunner:
    """The tools of one agent. ``record`` appends events to the log; ``emit`` tells subscribers."""

    def __init__(
        self,
        *,
        tools: Mapping[str, Tool],
        permissions: ToolPermissions,
        cwd: str,
        scope: Scope | None,
        limits: AgentLimits,
        emit: Callable[[LiveItem], None],
        record: Callable[[PendingEvent], Awaitable[object]],
    ) -> None:
        self._tools = tools
        self._permissions = permissions
        self._cwd = cwd
        self._scope = scope
        self._limits = limits
        self._emit = emit
        self._record = record
        self._open: dict[str, Block] = {}
        self._secrets: tuple[str, ...] = ()
        self._outputs: dict[str, _Output] = {}
        self._begun: set[str] = set()
        self._finished: dict[str, ToolOutcome] = {}
        self._strays: set[asyncio.Task[Any]] = set()

    def expect(self, calls: tuple[Block, ...]) -> None:
        """Takes up the calls of a reply that is in the log: from here on each of them is owed a result."""
        self._open = {str(call["id"]): call for call in calls}
        self._outputs.clear()
        self._begun.clear()
        self._finished.clear()
        self._secrets = secret_values()

    def closing_events(self) -> tuple[PendingEvent, ...]:
        """A result for each call that has none yet, for a turn that ends before its time."""
        events: list[PendingEvent] = []
        for call_id, call in self._open.items():
            outcome = self._finished.get(call_id) or self._interrupted(call_id)
            events.append(self._result(call_id, str(call.get("name", "")), outcome))
        self._open.clear()
        return tuple(events)

    async def run(self) -> None:
        """Runs the expected calls in order; neighbours that only read and need no question run together."""
        together: list[_Ready] = []
        for call in tuple(self._open.values()):
            call_id = str(call["id"])
            ready = await self._ready(call_id, call)
            question = await self._question(ready) if isinstance(ready, _Ready) else None
            if isinstance(ready, _Ready) and question is None and getattr(ready.tool, "read_only", False) is True:
                together.append(ready)
                continue
            await self._run_together(together)
            together = []
            refused = await self._refused(ready, question) if isinstance(ready, _Ready) else ready
            if isinstance(ready, _Ready) and refused is None:
                await self._run_together([ready])
            elif refused is not None:
                await self._finish(call_id, str(call.get("name", "")), refused)
        await self._run_together(together)

    async def aclose(self) -> None:
        """Waits a last time for tools that did not stop when they were told to."""
        strays = tuple(self._strays)
        for task in strays:
            task.cancel()
        if strays:
            await asyncio.wait(strays, timeout=self._limits.tool_grace)

    async def _ready(self, call_id: str, call: Block) -> _Ready | ToolOutcome:
        fault = call_fault(call, self._tools)
        if fault is not None:
            return ToolOutcome(text=fault, is_error=True)
        name = str(call["name"])
        output = _Output(call_id, self._secrets, self._emit)
        self._outputs[call_id] = output
        context = ToolContext(cwd=self._cwd, scope=self._scope, call_id=call_id, report=output.report)
        tool = self._tools[name]
        arguments = call_arguments(call)
        try:
            if isinstance(tool, PreparedTool):
                await tool.prepare(arguments, context)
        except Exception as error:
            return self._failure(name, error)
        return _Ready(call_id, name, tool, arguments, context)

    async def _question(self, ready: _Ready) -> ToolQuestion | ToolOutcome | None:
        """What has to be asked before the call; an outcome when even that could not be found out."""
        try:
            question = await asyncio.to_thread(ready.tool.question, ready.arguments, ready.context)
        except Exception as error:
            return self._failure(ready.name, error)
        return question if question is not None and self._permissions.needs_answer(question) else None

    async def _refused(self, ready: _Ready, question: ToolQuestion | ToolOutcome | None) -> ToolOutcome | None:
        """The result that says why the call may not run, or None when it may."""
        if not isinstance(question, ToolQuestion):
            return question
        try:
            answer = await self._permissions.ask(question, ready.call_id)
        except SessionError:
            raise
        except asyncio.CancelledError:
            if is_cancelled_from_outside():
                raise
            # Whoever asks took the question back without an answer.
            return ToolOutcome(text=_DECLINED, is_error=True, details={"declined": True})
        except Exception as error:
            _log.exception("the question about a tool could not be asked")
            return ToolOutcome(text=f"Error: the call could not be approved ({_words(error)}).", is_error=True)
        if answer == "no":
            return ToolOutcome(text=_DECLINED, is_error=True, details={"declined": True})
        return None

    async def _run_together(self, calls: list[_Ready]) -> None:
        if not calls:
            return
        tasks: dict[str, asyncio.Task[None]] = {}
        try:
            for ready in calls:
                title = self._title(ready)
                data = {"id": ready.call_id, "name": ready.name, "arguments": dict(ready.arguments), "title": title}
                await self._record(PendingEvent(TOOL_CALL, data))
                self._emit(ToolStarted(ready.call_id, ready.name, title))
                self._begun.add(ready.call_id)
                tasks[ready.call_id] = asyncio.create_task(self._execute(ready))
            for ready in calls:
                await tasks[ready.call_id]
                await self._finish(ready.call_id, ready.name, self._finished[ready.call_id])
        finally:
            left = [task for task in tasks.values() if not task.done()]
            for task in left:
                task.cancel()
            for task in left:
                await stopped(task, self._limits.tool_grace * 2)

    async def _execute(self, ready: _Ready) -> None:
        task = asyncio.ensure_future(ready.tool.run(ready.arguments, ready.context))
        try:
            await asyncio.wait({task}, timeout=self._limits.tool_time)
        except asyncio.CancelledError:
            await self._stop(task, ready.name)
            if _is_completed(task):
                self._finished[ready.call_id] = self._checked(ready.name, task.result())
            raise
        if not task.done():
            await self._stop(task, ready.name)
            if not _is_completed(task):
                text = (
                    f"Error: `{ready.name}` did not finish within {self._limits.tool_time:g} seconds and was stopped."
                )
                self._finished[ready.call_id] = ToolOutcome(text=self._with_tail(text, ready.call_id), is_error=True)
                return
        try:
            outcome = self._checked(ready.name, task.result())
        except asyncio.CancelledError:
            outcome = ToolOutcome(text=f"Error: `{ready.name}` was stopped from inside.", is_error=True)
        except Exception as error:
            outcome = self._failure(ready.name, error)
        self._finished[ready.call_id] = outcome

    async def _stop(self, task: asyncio.Task[ToolOutcome], name: str) -> None:
        if not await stopped(task, self._limits.tool_grace):
            _log.warning("tool %s ignores its cancellation and is left behind", name)
            self._strays.add(task)
            task.add_done_callback(self._forget)

    def _forget(self, task: asyncio.Task[Any]) -> None:
        self._strays.discard(task)
        if not task.cancelled():
            task.exception()

    async def _finish(self, call_id: str, name: str, outcome: ToolOutcome) -> None:
        self._finished[call_id] = outcome
        if (output := self._outputs.get(call_id)) is not None:
            output.end()
        await self._record(self._result(call_id, name, outcome))
        del self._open[call_id]
        self._emit(ToolFinished(call_id, outcome.is_error))

    def _result(self, call_id: str, name: str, outcome: ToolOutcome) -> PendingEvent:
        text = without_secrets(outcome.text, self._secrets)
        if outcome.is_error or getattr(self._tools.get(name), "whole_result", False) is not True:
            text = bounded(text, self._limits.result_size)
        data = {
            "id": call_id,
            "name": name,
            "content": [text_block(storable(text))],
            "is_error": outcome.is_error,
            "details": without_secrets_inside(storable(outcome.details), self._secrets),
        }
        return PendingEvent(TOOL_RESULT, data)

    def _interrupted(self, call_id: str) -> ToolOutcome:
        text = self._with_tail(INTERRUPTED, call_id) if call_id in self._begun else _NOT_RUN
        return ToolOutcome(text=text, is_error=True, details={"interrupted": True})

    def _with_tail(self, text: str, call_id: str) -> str:
        output = self._outputs.get(call_id)
        if output is not None:
            output.end()
        if output is None or not output.tail.strip():
            return text
        return f"{text}\nThe end of its output until then:\n{output.tail}"

    def _title(self, ready: _Ready) -> str:
        try:
            return one_line(ready.tool.title(ready.arguments)) or ready.name
        except Exception:
            _log.exception("the title of tool %s failed", ready.name)
            return ready.name

    def _checked(self, name: str, outcome: object) -> ToolOutcome:
        if isinstance(outcome, ToolOutcome):
            return outcome
        return self._failure(name, TypeError(f"it returned {type(outcome).__name__} instead of an outcome"))

    def _failure(self, name: str, error: Exception) -> ToolOutcome:
        _log.error("tool %s failed", name, exc_info=error)
        return ToolOutcome(text=f"Error: `{name}` failed: {_words(error)}", is_error=True)


def _is_completed(task: asyncio.Task[ToolOutcome]) -> bool:
    """Whether the tool gave its result, perhaps because what it did could not be stopped any more."""
    return task.done() and not task.cancelled() and task.exception() is None


def _words(error: Exception) -> str:
    return one_line(str(getattr(error, "message", "") or error) or type(error).__name__, 400)
