"""What each slash command does on the screen."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING

from app.controllers.commands import COMMANDS, CommandCall
from app.controllers.context_source import read_catalog_form
from app.controllers.inert import inert
from app.controllers.text_layout import Line, Piece, sentences, wrap_text
from app.screens.copies import CopyCommands
from app.screens.stored_sessions import StoredSessionCommands
from app.widgets.lines_view import Page
from skills_core.session.event import SOURCE_SKILL_CATALOG

if TYPE_CHECKING:
    from app.screens.chat import ChatScreen


class ChatCommands:
    """One method a command, found by its name."""

    def __init__(self, screen: ChatScreen) -> None:
        self._screen = screen
        self._stored = StoredSessionCommands(screen)
        self._copies = CopyCommands(screen)
        self._methods: dict[str, Callable[[str], Awaitable[None]]] = {
            "skills": self._skills,
            "problems": self._skills,
            "help": self._help,
            "catalog": self._catalog,
            "why": self._why,
            "trust": self._trust,
            "model": self._model,
            "new": self._stored.new,
            "resume": self._stored.resume,
            "fork": self._stored.fork,
            "retry": self._retry,
            "compact": self._compact,
            "copy": self._copies.copy,
            "export": self._export,
            "new-skill": self._new_skill,
            "theme": self._theme,
            "quit": self._quit,
        }
        assert set(self._methods) == {command.name for command in COMMANDS}

    async def run(self, call: CommandCall) -> None:
        """Does what the command says; returns when what comes next may follow."""
        command = call.command
        self._screen.skilldeck.command_used(command.name)
        work = partial(self._methods[command.name], call.arguments)
        if command.beside:
            self._screen.work.beside(command.doing, work)
        else:
            await work()

    async def _skills(self, arguments: str) -> None:
        self._screen.side.show(True)

    async def _help(self, topic: str) -> None:
        from app.screens.help import HelpScreen

        self._screen.skilldeck.push_screen(HelpScreen(topic))

    async def _catalog(self, arguments: str) -> None:
        conversation = self._screen.session.conversation
        session = conversation.session if conversation is not None else None
        events = session.of_source(SOURCE_SKILL_CATALOG) if session is not None else ()
        newest = next((event for event in reversed(events) if read_catalog_form(event.data) is not None), None)
        if session is None or newest is None:
            self._screen.say("The model has no catalog yet: it gets one with the first message, if there are skills.")
            return
        text = "".join(str(block.get("text", "")) for block in newest.data["content"])
        hidden = "" if session.surface.is_visible(newest.seq) else " (hidden by a compaction; the next step repeats it)"
        self._page(f"The catalog as the model received it, event {newest.seq}{hidden}", text)

    async def _why(self, words: str) -> None:
        from skills_core.agent.model import ModelRequest
        from skills_core.agent.models.offline import explain, explain_words, render_explanation
        from skills_core.catalog import catalog_entries

        session = self._screen.session
        conversation = session.conversation
        if not words:
            texts = conversation.user_texts() if conversation is not None else []
            if not texts or conversation is None or conversation.session is None:
                self._screen.say("Write the words behind it: /why my shirts need hemming")
                return
            # With the catalog that the model had then, not with the skills of now.
            request = ModelRequest("", conversation.session.surface.messages(), ())
            explanation = await asyncio.to_thread(explain, request)
            words = explanation.decision.words or texts[-1]
        else:
            view, access = session.skill_view, session.access
            if view.snapshot is None or access is None:
                self._screen.say("The skills are still being looked for.")
                return
            entries = catalog_entries(view.snapshot, access, session.description_length)
            explanation = await asyncio.to_thread(explain_words, words, entries)
        self._page("Where these words lead", f"{words}\n\n{render_explanation(explanation)}")

    async def _trust(self, answer: str) -> None:
        session = self._screen.session
        runtime = session.runtime
        if runtime is None:
            return
        if answer in ("yes", "no", "ask"):
            value = {"yes": True, "no": False, "ask": None}[answer]
            await session.remember_trust(runtime.project_root, value)
            said = {"yes": "is trusted", "no": "is not trusted", "ask": "is asked about again"}[answer]
            self._screen.say(f"{runtime.project_root} {said}.", "muted", 5)
            if value is None:
                await session.ask_trust()
            return
        if answer:
            self._screen.say("Write /trust yes, /trust no or /trust ask.")
            return
        known = {True: "trusted", False: "not trusted", None: "not answered yet"}
        now = known[runtime.access.trust_of(runtime.project_root)]
        if await session.ask_trust():
            self._screen.say(f"{runtime.project_root}: {now}.", "muted", 8)
        else:
            self._screen.say(
                f"{runtime.project_root}: {now}. It has no skills or instructions of its own now.", "muted", 8
            )

    async def _model(self, name: str) -> None:
        from app.screens.model_picker import open_model_picker

        if name:
            await self._use_model(name)
        else:
            open_model_picker(self._screen, self._use_picked)

    async def _use_model(self, name: str) -> None:
        from skills_core.agent.model import ModelError

        session = self._screen.session
        runtime, conversation = session.runtime, session.conversation
        if runtime is None or conversation is None:
            return
        self._screen.say(f"Opening {name} …", "muted")
        try:
            model = await runtime.open_model(name)
        except ModelError as error:
            self._screen.say(sentences(error.message, error.hint, f"{session.model_name} stays"), "error")
            return
        await conversation.set_model(model)
        self._screen.say(f"{name} answers from now on.", "muted", 4)

    async def _retry(self, arguments: str) -> None:
        conversation = self._screen.session.conversation
        if conversation is not None and conversation.busy:
            self._screen.say("A turn is running: stop it first, or wait.")
        elif conversation is None or not conversation.run_again():
            self._screen.say("There is no message to send again yet.")

    async def _compact(self, arguments: str) -> None:
        conversation = self._screen.session.conversation
        if conversation is not None:
            self._screen.say(await conversation.compact(), "muted")

    async def _export(self, target: str) -> None:
        from app.screens.export import export_session

        conversation = self._screen.session.conversation
        session = conversation.session if conversation is not None else None
        if session is None or not session.events:
            self._screen.say("There is nothing to export yet.")
            return
        said, failed = await asyncio.to_thread(export_session, session, target, self._screen.session.cwd)
        self._screen.say(said, "error" if failed else "muted")

    async def _new_skill(self, name: str) -> None:
        from app.errors import UsageError
        from app.new_skill import check_name, project_skill_root, write_skill

        runtime = self._screen.session.runtime
        if runtime is None:
            return
        try:
            check_name(name)
            path = await asyncio.to_thread(write_skill, project_skill_root(runtime.project_root), name)
        except UsageError as error:
            hint = error.hint.replace("skilldeck new", "/new-skill")
            self._screen.say(sentences(error.message, hint), "warning")
            return
        self._screen.side.open_file(path)

    async def _theme(self, name: str) -> None:
        from app.screens.picker import PickerScreen, PickItem

        app = self._screen.skilldeck
        if name:
            self._use_theme(name)
            return
        before = app.theme
        items = [PickItem(each, each, "in use" if each == before else "") for each in sorted(app.available_themes)]

        def done(chosen: str | None) -> None:
            self._use_theme(chosen or before)

        self._screen.skilldeck.push_screen(
            PickerScreen("Choose a theme", items, current=before, preview=self._use_theme), done
        )

    def _use_theme(self, name: str) -> None:
        app = self._screen.skilldeck
        if name in app.available_themes:
            app.theme = name
        else:
            self._screen.say(f"There is no theme {name}.", "warning")

    async def _quit(self, arguments: str) -> None:
        self._screen.skilldeck.action_leave()

    def _use_picked(self, name: str | None) -> None:
        if name:
            self._screen.run_worker(self._use_model(name), exclusive=False)

    def _page(self, title: str, text: str) -> None:
        def layout(width: int) -> Page:
            head = [Line((Piece(title, "heading"),)), Line()]
            return Page([*head, *wrap_text(inert(text), width)])

        from app.screens.page import PageScreen

        self._screen.skilldeck.push_screen(PageScreen(layout))
