"""The running core behind the chat: opened after the first frame, wired to the screen, closed with it."""

from __future__ import annotations

import asyncio
import logging
from functools import partial
from typing import TYPE_CHECKING

from app.controllers.row_body import joined_text
from app.controllers.runtime_port import ScreenRuntime
from app.controllers.send_rules import SendRefusal
from app.controllers.skill_view import SkillFeed, SkillView, Watching
from app.controllers.text_layout import counted, sentences
from app.controllers.usage import usage_words
from skills_core.access.policy import SkillAccess
from skills_core.registry.snapshot import SkillSnapshot
from skills_core.session.event import SOURCE_USER, TURN_END, source_kind

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.controllers.conversation import Conversation
    from app.controllers.trust_asking import TrustAsking
    from app.options import ScreenOptions
    from app.screens.chat import ChatScreen
    from skills_core.agent.model import Model
    from skills_core.agent.outcome import TurnOutcome
    from skills_core.catalog import CatalogEntry
    from skills_core.session import Session

_log = logging.getLogger(__name__)

CLOSE_WITHIN = 5.0
"""Seconds that closing may take."""
ABANDON_WITHIN = 0.2
"""Seconds that what is given up may take to notice it."""


class ChatSession:
    """Joins the screen with the runtime, the feed of skills and the conversation. All of it may still be missing."""

    def __init__(self, screen: ChatScreen, options: ScreenOptions) -> None:
        self._screen = screen
        self._options = options
        self._runtime: ScreenRuntime | None = None
        self._feed: SkillFeed | None = None
        self._conversation: Conversation | None = None
        self._trust: TrustAsking | None = None
        self._listing: asyncio.Task[None] | None = None
        self._follow: asyncio.Task[None] | None = None
        self._unwatch: list[Callable[[], None]] = []
        self._waiting: list[str] = []
        self._closing: asyncio.Task[None] | None = None

    # What the screen asks

    @property
    def runtime(self) -> ScreenRuntime | None:
        return self._runtime

    @property
    def conversation(self) -> Conversation | None:
        return self._conversation

    @property
    def access(self) -> SkillAccess | None:
        return self._runtime.access if self._runtime is not None else None

    @property
    def cwd(self) -> str:
        return self._options.cwd

    @property
    def editor(self) -> str | None:
        return self._options.settings.editor

    @property
    def description_length(self) -> int:
        return self._options.settings.catalog_description_max_length

    @property
    def model_name(self) -> str:
        if self._conversation is not None:
            return self._conversation.model_name
        settings = self._runtime.settings if self._runtime is not None else self._options.settings.with_own_model()
        return self._options.model or settings.model

    @property
    def skill_view(self) -> SkillView:
        return self._feed.view if self._feed is not None else SkillView()

    @property
    def usage(self) -> str:
        """Tokens and cost of the session so far, in words."""
        return usage_words(self._conversation.usage) if self._conversation is not None else ""

    @property
    def activity(self) -> str:
        if self._waiting:
            return "Starting"
        if self._conversation is None:
            return ""
        return "Waiting for your answer" if self._screen.desk.blocking else self._conversation.activity

    @property
    def queued(self) -> tuple[str, ...]:
        return self._conversation.queued if self._conversation is not None else ()

    @property
    def unsent(self) -> tuple[str, ...]:
        """What the person sent and the log does not hold yet."""
        return self._conversation.unsent if self._conversation is not None else tuple(self._waiting)

    @property
    def unsaved(self) -> bool:
        """Whether the session that is shown is kept nowhere."""
        session = self._conversation.session if self._conversation is not None else None
        return session is not None and session.path is None

    @property
    def worth_continuing(self) -> str:
        """The id of the session that is open, if it is kept and the person said something in it; else empty."""
        session = self._conversation.session if self._conversation is not None else None
        if session is None or session.path is None or not session.of_source(SOURCE_USER):
            return ""
        return session.id

    @property
    def busy(self) -> bool:
        return self._conversation is not None and self._conversation.busy

    def published(self) -> Sequence[CatalogEntry] | None:
        """The catalog that the model has now."""
        from skills_core.catalog import visible_catalog

        session = self._conversation.session if self._conversation is not None else None
        return visible_catalog(session) if session is not None else None

    async def refusal(self, text: str) -> SendRefusal | None:
        """Why a draft is kept. A name that is not known is looked for on the disk before it is refused."""
        if self._feed is None or self._runtime is None:
            return None
        rules, access = self._screen.rules, self._runtime.access
        snapshot = self._feed.view.snapshot or SkillSnapshot(complete=False)
        refusal = rules.refusal(text, snapshot, access)
        if refusal is not None and not refusal.again:
            view = await self._feed.look_now()
            refusal = rules.refusal(text, view.snapshot or SkillSnapshot(complete=False), access)
        return refusal

    def send(self, text: str) -> None:
        """Sends words, or keeps them until the program has started."""
        if self._conversation is None or self._conversation.agent is None:
            self._waiting.append(text)
            self._screen.transcript.pend(text)
            self._screen.surroundings.show_status()
        else:
            self._conversation.send(text)
            self._screen.surroundings.show_hints()

    def list_files(self) -> None:
        """Lists the project's files in the background, for a file token that the person began."""
        if self._listing is None or self._listing.done():
            self._listing = asyncio.create_task(self._list_files(), name="project-files")

    async def _list_files(self) -> None:
        from app.controllers.project_files import project_files

        paths = await asyncio.to_thread(project_files, self.cwd)
        self._screen.completion.set_files(paths)
        self._screen.surroundings.show_popup()

    def stop(self) -> bool:
        return self._conversation is not None and self._conversation.cancel()

    def watch_closely(self, closely: bool) -> None:
        """Whether a change on the disk is told at once, or up to a fifth of a second later."""
        if self._runtime is not None and self._runtime.filesystem is not None:
            self._runtime.filesystem.watch_closely(closely)

    async def look_now(self) -> None:
        """Compares with the disk at once, and says what is there."""
        if self._feed is None:
            return
        view = await self._feed.look_now()
        skills = counted(view.skill_count, "skill")
        problems = counted(len(view.problems), "problem")
        self._screen.say(f"{skills}, {problems} on the disk now (#{view.number}).", "muted", 4)

    # Opening and closing

    async def open(self, runtime: ScreenRuntime) -> None:
        """Wires the runtime to the screen. Called once, after the first frame."""
        from app.controllers.conversation import Conversation, ConversationPorts
        from app.controllers.trust_asking import TrustAsking
        from skills_core.agent.instruction_files import read_instructions

        self._runtime = runtime
        named = self._options.settings.model
        if runtime.settings.model != named and self._options.model is None:
            said = f"This project names {named} as its model: that holds once it is trusted, from the next start on."
            self._screen.say(said, "muted", 8)
        self._feed = SkillFeed(
            runtime.registry,
            runtime.access,
            runtime.lookup,
            self._view_changed,
            watching=self._watching,
            clock=self._screen.clock,
        )
        if runtime.filesystem is not None:
            feed = self._feed
            self._unwatch.append(runtime.filesystem.subscribe_status(lambda status: feed.watching_changed()))
            self._screen.follow_disk()
        self._trust = TrustAsking(
            runtime.access,
            self._screen.desk,
            self.remember_trust,
            runtime.project_root,
            partial(read_instructions, runtime.cwd, runtime.project_root),
        )
        self._trust.start()
        self._feed.start()
        self._follow = asyncio.create_task(self._follow_answers(runtime), name="access-refresh")
        ports = ConversationPorts(changed=self._conversation_changed, ended=self._turn_ended)
        self._conversation = Conversation(runtime, self._screen.transcript, self._screen.desk, ports)
        self._screen.surroundings.show_status()

    async def use(self, session: Session, model_name: str | None = None) -> None:
        """Shows a session and continues in it, with the model of that name or of the settings."""
        runtime, conversation = self._runtime, self._conversation
        if runtime is None or conversation is None:
            return
        model = await self.open_model(model_name or runtime.settings.model)
        left = conversation.unsent if conversation.session is not None else ()
        await conversation.use(session, model)
        self._screen.history_of_messages.load(conversation.user_texts())
        self._screen.side.refresh()
        self._screen.surroundings.show_hints()
        waiting, self._waiting = self._waiting, []
        for text in waiting:
            conversation.send(text)
        if left:
            self._screen.drafts.give_back("\n\n".join(left))

    async def open_model(self, name: str) -> Model | None:
        """The model of a name; when it cannot be opened it says why, and the offline model takes its place."""
        from skills_core.agent.model import ModelError

        runtime = self._runtime
        if runtime is None:
            return None
        try:
            return await runtime.open_model(name)
        except ModelError as error:
            fallback = "The offline model answers until you choose another with /model."
            self._screen.say(sentences(f"{name}: {error.message}", error.hint, fallback), "error")
            return await runtime.open_model("offline")

    async def remember_trust(self, project_root: str, answer: bool | None) -> None:
        """Keeps an answer of the person about a project, and lets everything that depends on it follow."""
        from skills_core.access.answers import AnswersError

        runtime = self._runtime
        if runtime is None:
            return
        try:
            await runtime.access.remember_trust(project_root, answer)
        except AnswersError as error:
            self._screen.say(f"{error.message}; the answer holds until you leave", "error")

    async def ask_trust(self) -> bool:
        """Asks again about what the project brings; False when that is nothing."""
        return self._trust is not None and await self._trust.ask_again()

    async def aclose(self) -> None:
        """Closes everything, within ``CLOSE_WITHIN``: what then still waits for a disk or a server is left as it is."""
        if self._closing is None:
            self._closing = asyncio.create_task(self._close(), name="close-chat")
        await asyncio.wait({self._closing}, timeout=CLOSE_WITHIN)
        if not self._closing.done():
            self.abandon()
            await asyncio.wait({self._closing}, timeout=ABANDON_WITHIN)
        error = self._closing.exception() if self._closing.done() and not self._closing.cancelled() else None
        if error is not None:
            _log.error("closing failed", exc_info=error)

    def abandon(self) -> None:
        """Waits no longer for what is being closed."""
        if self._closing is not None:
            self._closing.cancel()

    async def _close(self) -> None:
        """In the order in which things depend on each other."""
        for unsubscribe in self._unwatch:
            unsubscribe()
        self._unwatch.clear()
        for task in (self._follow, self._listing):
            if task is not None:
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
        if self._trust is not None:
            await self._trust.aclose()
        if self._conversation is not None:
            await self._conversation.aclose()
        if self._feed is not None:
            await self._feed.aclose()
        if self._runtime is not None:
            await self._runtime.aclose()

    def _watching(self) -> Watching:
        filesystem = self._runtime.filesystem if self._runtime is not None else None
        if filesystem is None:
            return Watching()
        status = filesystem.watch_status
        return Watching("live" if status.mode == "native" else status.mode, status.reason or "")

    async def _follow_answers(self, runtime: ScreenRuntime) -> None:
        from skills_core.access.refresh import AccessRefresh

        await AccessRefresh(runtime.access).follow()

    def _view_changed(self, view: SkillView) -> None:
        self._screen.skills_changed(view)
        if self._trust is not None:
            self._trust.see(view)

    def _conversation_changed(self) -> None:
        self._screen.skilldeck.draft_changed()
        self._screen.surroundings.show_status()
        self._screen.surroundings.show_hints()
        self._screen.side.refresh()

    def _turn_ended(self, outcome: TurnOutcome) -> None:
        returned = [message for message in outcome.returned if source_kind(message.data) == SOURCE_USER]
        words = "\n\n".join(joined_text(message.data.get("content")) for message in returned)
        if outcome.reason != "done" and self._conversation is not None:
            words = "\n\n".join(part for part in (words, self._conversation.take_queued()) if part)
        if words:
            self._screen.drafts.give_back(words)
        rows = self._screen.transcript.rows
        told = bool(rows) and rows[-1].event is not None and rows[-1].event.type == TURN_END
        if outcome.reason in ("rejected", "failed") and outcome.message and not told:
            self._screen.say(sentences(outcome.message, outcome.hint), "warning")
        self._screen.surroundings.show_hints()
