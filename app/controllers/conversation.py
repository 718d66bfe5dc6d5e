"""The session that is open, its agent, and the turn that runs."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.controllers.countdown import Countdown
from app.controllers.file_token import mentioned_paths
from app.controllers.project_files import read_mention
from app.controllers.questions import QuestionDesk
from app.controllers.row_body import joined_text
from app.controllers.runtime_port import ScreenRuntime
from app.controllers.text_layout import sentences
from app.controllers.transcript import Transcript
from app.controllers.usage import UsageTotals, usage_totals, with_event
from skills_core.agent.live import Compacting, LiveItem, QueueChanged, Retrying, StepStarted, ToolFinished, ToolStarted
from skills_core.agent.model import TextDelta
from skills_core.agent.models.closing import close_model
from skills_core.agent.outcome import TurnOutcome
from skills_core.session import event as kinds
from skills_core.session.event import PendingEvent, SessionEvent, source_kind, user_message

if TYPE_CHECKING:
    from skills_core.agent import Agent
    from skills_core.agent.model import Model
    from skills_core.session import Session

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationPorts:
    """``changed`` after each change of what the status bar says; ``ended`` with the outcome of each turn."""

    changed: Callable[[], None]
    ended: Callable[[TurnOutcome], None]


class Conversation:
    """Owns the session, the agent and the task of the running turn; switches between sessions."""

    def __init__(
        self, runtime: ScreenRuntime, transcript: Transcript, desk: QuestionDesk, ports: ConversationPorts
    ) -> None:
        self.runtime = runtime
        self.transcript = transcript
        self.activity = ""
        self.usage = UsageTotals()
        self.queued: tuple[str, ...] = ()
        self._desk = desk
        self._ports = ports
        self._session: Session | None = None
        self._agent: Agent | None = None
        self._turn: asyncio.Task[None] | None = None
        self._unsubscribe: list[Callable[[], None]] = []
        self._sending: dict[asyncio.Task[None], str] = {}
        self._model: Model | None = None
        self._retired: list[Model] = []
        self._countdown = Countdown(self._until_retry)

    @property
    def session(self) -> Session | None:
        return self._session

    @property
    def agent(self) -> Agent | None:
        return self._agent

    @property
    def busy(self) -> bool:
        """Whether a turn or a compaction is under way."""
        return (self._turn is not None and not self._turn.done()) or (self._agent is not None and self._agent.busy)

    @property
    def unsent(self) -> tuple[str, ...]:
        """What the person sent and the log does not hold yet: shown at the end, waiting for files, and queued."""
        pending = self.transcript.pending
        return (*pending, *(text for text in self._sending.values() if text not in pending), *self.queued)

    @property
    def model_name(self) -> str:
        return self._agent.model.name if self._agent is not None else self.runtime.settings.model

    async def use(self, session: Session, model: Model | None = None) -> None:
        """Shows another session and continues in it. The one before is closed; its turn is stopped first."""
        await self._leave()
        self._session = session
        self._adopt(model or self._model)
        await self._close_retired()
        taken = len(session.events)
        prepared, usage = await asyncio.to_thread(_prepared, session.events[:taken])
        self._agent = self.runtime.agent_for(session, self._desk, self._model)
        self._unsubscribe = [session.subscribe(self._event), self._agent.subscribe(self._live)]
        self.usage = usage
        self.transcript.adopt(prepared)
        for event in session.events[taken:]:
            self._count(event)
            self.transcript.event(event)
        self._ports.changed()

    def send(self, text: str) -> None:
        """Starts a turn with the person's words, or queues them for the next step of the turn that runs."""
        if not self.busy:
            self.transcript.pend(text)
        paths = mentioned_paths(text)
        if not paths:
            self._take_up(user_message(text))
            return
        sending = asyncio.create_task(self._send_with_files(text, paths), name="send-with-files")
        self._sending[sending] = text
        sending.add_done_callback(self._sending.pop)

    async def _send_with_files(self, text: str, paths: tuple[str, ...]) -> None:
        """Files that the words name go with them, as far as they are text files of the project."""
        runtime = self.runtime
        found = [await asyncio.to_thread(read_mention, runtime.cwd, runtime.project_root, path) for path in paths]
        self._take_up(user_message(text), *(mention.message() for mention in found if mention is not None))

    def _take_up(self, *messages: PendingEvent) -> None:
        agent = self._agent
        if agent is None:
            return
        if self.busy:
            self.transcript.unpend(joined_text(messages[0].data.get("content")))
            agent.queue(*messages)
        else:
            self._start(*messages)

    def run_again(self) -> bool:
        """Sends the person's last message again; False when there is none, or a turn runs."""
        session = self._session
        if session is None or self.busy:
            return False
        messages = session.of_source(kinds.SOURCE_USER)
        if not messages:
            return False
        self._start(PendingEvent(messages[-1].type, messages[-1].data))
        return True

    def cancel(self) -> bool:
        """Stops the turn that runs; False when none does."""
        if not self.busy or self._agent is None:
            return False
        self._set_activity("Stopping")
        self._agent.cancel()
        return True

    def take_queued(self) -> str:
        """Takes back what is queued, as one text."""
        if self._agent is None:
            return ""
        return "\n\n".join(joined_text(message.data.get("content")) for message in self._agent.take_queued())

    async def set_model(self, model: Model) -> None:
        """Uses another model from the next request on; the one before is closed once no request uses it."""
        self._adopt(model)
        if self._agent is not None:
            await self._agent.set_model(model)
        self._ports.changed()
        if not self.busy:
            await self._close_retired()

    async def compact(self) -> str:
        """Replaces the older part by a summary; returns one line that says what came of it."""
        agent = self._agent
        if self.busy:
            return "A turn is running: stop it first, or wait."
        if agent is None:
            return "There is no conversation yet, so there is nothing to compact."
        outcome = await agent.compact()
        await self._close_retired()
        self._set_activity("")
        if agent.queued and self._agent is agent:
            self._start()
        return sentences(outcome.message, outcome.hint)

    def user_texts(self) -> list[str]:
        """The person's own messages in this session, oldest first."""
        if self._session is None:
            return []
        return [joined_text(event.data.get("content")) for event in self._session.of_source(kinds.SOURCE_USER)]

    async def aclose(self) -> None:
        """Stops the turn, and closes the agent, the session and the connections of the model."""
        await self._leave()
        await self._close_retired()
        await close_model(self._model)

    def _adopt(self, model: Model | None) -> None:
        before, self._model = self._model, model
        if before is not None and before is not model:
            self._retired.append(before)

    async def _close_retired(self) -> None:
        while self._retired:
            await close_model(self._retired.pop())

    async def _leave(self) -> None:
        for sending in tuple(self._sending):
            sending.cancel()
        await asyncio.gather(*self._sending, return_exceptions=True)
        self._countdown.stop()
        turn, self._turn = self._turn, None
        for unsubscribe in self._unsubscribe:
            unsubscribe()
        self._unsubscribe = []
        if turn is not None and not turn.done():
            turn.cancel()
            await asyncio.gather(turn, return_exceptions=True)
        agent, self._agent = self._agent, None
        if agent is not None:
            await agent.aclose()
        session, self._session = self._session, None
        if session is not None:
            await session.aclose()

    def _start(self, *messages: PendingEvent) -> None:
        self._turn = asyncio.create_task(self._run(messages), name="turn")
        self._set_activity("Working")

    async def _run(self, messages: tuple[PendingEvent, ...]) -> None:
        agent = self._agent
        if agent is None:
            return
        try:
            outcome = await agent.run_turn(*messages)
        except Exception as error:
            _log.exception("a turn failed in a way that is no outcome")
            outcome = TurnOutcome(reason="failed", message=f"The turn failed: {error}", returned=messages)
        finally:
            if self._agent is agent:
                self._turn = None
                self._set_activity("")
        self.transcript.unpend()
        self._ports.ended(outcome)
        if agent.queued and outcome.reason == "done" and self._agent is agent:
            self._start()
        await self._close_retired()

    def _event(self, event: SessionEvent) -> None:
        self._count(event)
        self.transcript.event(event)
        if event.type in (kinds.ASSISTANT_MESSAGE, kinds.COMPACTION):
            self._ports.changed()

    def _count(self, event: SessionEvent) -> None:
        self.usage = with_event(self.usage, event)

    def _live(self, item: LiveItem) -> None:
        self.transcript.live(item)
        match item:
            case StepStarted():
                self._set_activity("Thinking")
            case TextDelta():
                self._set_activity("Answering")
            case ToolStarted():
                self._set_activity(f"Running {item.title or item.name}")
            case ToolFinished():
                self._set_activity("Working")
            case Retrying():
                self._countdown.start(item.delay)
            case Compacting():
                self._set_activity("Summarising the older part")
            case QueueChanged():
                self.queued = tuple(
                    joined_text(message.data.get("content"))
                    for message in item.queued
                    if source_kind(message.data) == kinds.SOURCE_USER
                )
                self._ports.changed()
            case _:
                pass

    def _set_activity(self, activity: str) -> None:
        self._countdown.stop()
        self._show_activity(activity)

    def _until_retry(self, seconds: int) -> None:
        self._show_activity(f"Trying again in {seconds} s" if seconds else "Trying again")

    def _show_activity(self, activity: str) -> None:
        if activity != self.activity:
            self.activity = activity
            self._ports.changed()


def _prepared(events: Sequence[SessionEvent]) -> tuple[Transcript, UsageTotals]:
    """The rows and the sums of a session. Of a long one that is work for a thread."""
    return Transcript.of(events), usage_totals(events)
