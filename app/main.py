"""The chat in the terminal: one App that composes and wires, and leaves the terminal as it found it."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Iterable
from datetime import datetime
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Any, ClassVar

from textual import events
from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.driver import Driver
from textual.screen import Screen

from app.assets import style_sheet
from app.controllers.commands import COMMANDS, CommandCall
from app.controllers.marks import Marks, marks_for
from app.controllers.skill_view import local_now
from app.crash import CrashReport
from app.process import leave_threads_behind
from app.screens.chat import ChatScreen
from app.theme import DEFAULT_THEME, OWN_THEMES

if TYPE_CHECKING:
    from app.controllers.command_use import CommandUse
    from app.controllers.draft_keeper import DraftKeeper
    from app.controllers.draft_store import DraftStore
    from app.controllers.runtime_port import ScreenRuntime
    from app.options import ScreenOptions

LEAVE_WITHIN = 2.0
"""Seconds within which a second Ctrl+C leaves."""

SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


class SkilldeckApp(App[int]):
    """Opens the runtime after the first frame; ``open_runtime`` makes it."""

    TITLE = "Skilldeck"
    CSS_PATH: ClassVar[list[str]] = [str(style_sheet(name)) for name in ("main.tcss", "chat.tcss", "pages.tcss")]  # pyright: ignore[reportIncompatibleVariableOverride]
    ENABLE_COMMAND_PALETTE = True
    COMMAND_PALETTE_BINDING = "f9"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "interrupt", "Stop the turn, clear the draft, leave", id="app.interrupt", priority=True),
        Binding("ctrl+q", "leave", "Leave", id="app.quit", priority=True),
        Binding("f1", "help", "Help", id="app.help"),
        Binding("f9", "command_palette", "Every action, by name", id="app.palette", priority=True),
        Binding("ctrl+l", "repaint", "Draw the screen anew", id="app.repaint", priority=True),
    ]

    def __init__(
        self,
        options: ScreenOptions,
        open_runtime: Callable[[], Awaitable[ScreenRuntime]],
        *,
        drafts: DraftStore | None = None,
        uses: CommandUse | None = None,
        crash: CrashReport | None = None,
        marks: Marks | None = None,
        home: str | None = None,
        clock: Callable[[], datetime] = local_now,
    ) -> None:
        super().__init__(driver_class=_driver_class())
        self.options = options
        self._open_runtime = open_runtime
        self._drafts = drafts
        self._keeper: DraftKeeper | None = None
        self._uses = uses
        self.went_on_in = ""
        self._crash = crash
        self._interrupted = 0.0
        self._leaving = False
        self.on_left: Callable[[], None] = lambda: None
        self.chat = ChatScreen(options, marks or marks_for(), home=home, clock=clock)
        for theme in OWN_THEMES:
            self.register_theme(theme)
        self._begin_with_theme(options.settings.theme)
        if not options.settings.motion:
            self.animation_level = "none"

    def get_default_screen(self) -> Screen[Any]:
        return self.chat

    async def run_async(self, *arguments: Any, **options: Any) -> int | None:
        """Runs until the person leaves. ``on_left`` is called once the terminal is as it was."""
        try:
            return await super().run_async(*arguments, **options)
        finally:
            self.on_left()

    async def on_event(self, event: events.Event) -> None:
        # Here keys are still in the order in which they came: a focus that a widget moves when its turn comes
        # is too late for the keys behind it.
        if isinstance(event, events.Key | events.Paste) and not event.is_forwarded and self.screen is self.chat:
            self.chat.before_input(event)
        await super().on_event(event)

    def on_mount(self) -> None:
        if self.options.settings.keymap:
            self.set_keymap(self.options.settings.keymap)
        self._catch_signals()
        self.chat.call_after_refresh(self._start)

    def _begin_with_theme(self, wanted: str) -> None:
        """Sets the theme before the style sheets are read: set later, all of them are read twice."""
        self.set_reactive(App.theme, wanted if wanted in self.available_themes else DEFAULT_THEME)
        theme = self.current_theme
        self.update_classes(
            {f"-theme-{theme.name}": True, "-dark-mode": theme.dark, "-light-mode": not theme.dark}, update=False
        )
        self._refresh_truecolor_filter(self.ansi_theme)
        self.stylesheet.set_variables(self.get_css_variables())

    def get_css_variables(self) -> dict[str, str]:
        """The theme's colours, with our own names for those that have none in a foreign theme."""
        variables = super().get_css_variables()
        variables.setdefault("text-quiet", variables["foreground-muted"])
        variables.setdefault("line", variables["panel"])
        variables.setdefault("row-selected", variables["primary-muted"])
        variables.setdefault("row-current", variables["panel"])
        return variables

    # Starting and leaving

    def _start(self) -> None:
        if not gc.isenabled():  # off until the first frame, see app/cli.py
            gc.freeze()
            gc.enable()
        wanted = self.options.settings.theme
        if wanted not in self.available_themes:
            self.chat.say(f"There is no theme {wanted}; /theme lists them.", "warning")
        if self._drafts is not None:
            self.run_worker(self._follow_draft(self._drafts), name="drafts", exit_on_error=True)
        self.run_worker(self._open(), name="open", exit_on_error=True)

    async def _open(self) -> None:
        from app.errors import UsageError
        from app.screens.opening import open_first_session

        if self._uses is not None:
            self.chat.completion.set_command_use(await asyncio.to_thread(self._uses.load))
        try:
            runtime = await self._open_runtime()
        except UsageError as error:
            self.exit(2, 2, f"skilldeck: {error.message}" + (f"\n{error.hint}" if error.hint else ""))
            return
        await self.chat.session.open(runtime)
        await open_first_session(self.chat, self.options)

    async def _follow_draft(self, store: DraftStore) -> None:
        from app.controllers.draft_keeper import DraftKeeper

        kept = await asyncio.to_thread(store.take)
        self._keeper = DraftKeeper(store, self.chat.drafts.unsent)
        if kept:
            self.chat.drafts.bring_back(kept)
        await self._keeper.follow()

    async def leave(self, status: int) -> None:
        """Keeps the draft, closes what is open, and ends with this exit status."""
        if self._leaving:
            return
        self._leaving = True
        self.keep_draft()
        self.went_on_in = self.chat.session.worth_continuing
        await self.chat.session.aclose()
        self.exit(status, status)

    def command_used(self, name: str) -> None:
        """Counts the use of a command: those that are used often are listed first."""
        if self._uses is not None:
            self._uses.used(name)
            self.chat.completion.set_command_use(self._uses.counts)
            self.run_worker(asyncio.to_thread(self._uses.save), group="uses", exit_on_error=False)

    def draft_changed(self) -> None:
        """What the person has not sent may be other words now."""
        if self._keeper is not None:
            self._keeper.changed()

    def keep_draft(self) -> None:
        """Stores what was not sent for the next start."""
        if self._keeper is not None and self.chat.alive:
            self._keeper.keep_now()

    def _catch_signals(self) -> None:
        loop = asyncio.get_running_loop()
        for number in SIGNALS:
            try:
                loop.add_signal_handler(number, self._signalled, number)
            except (NotImplementedError, RuntimeError, ValueError):
                return

    def terminal_lost(self) -> None:
        """The terminal has gone without a signal, or before it: leaves as after SIGHUP."""
        if not self._leaving:
            self._signalled(signal.SIGHUP)

    def _signalled(self, number: signal.Signals) -> None:
        if self._leaving:
            self.chat.session.abandon()
            self.exit(128 + number, 128 + number)
            return
        self.run_worker(self.leave(128 + number), name="leave", exit_on_error=False)

    def _handle_exception(self, error: Exception) -> None:
        """Leaves with one short message; the whole story is in a file."""
        self.keep_draft()
        if self._crash is None:
            super()._handle_exception(error)
            return
        self._return_code = 1
        if self._exception is None:
            self._exception = error
            self._exception_event.set()  # pyright: ignore[reportUnknownMemberType]
            self._crash.write(error)
        self._close_messages_no_wait()

    # Actions

    def action_interrupt(self) -> None:
        """Ctrl+C: stops the turn; else clears the draft; else says how to leave, and twice leaves."""
        loop_time = asyncio.get_running_loop().time()
        chat = self.chat
        if self._leaving:
            self.action_leave()
            return
        if self.screen is not chat:
            self.screen.dismiss(None)
            return
        if chat.get_selected_text() and not chat.session.busy:
            self.copy_to_clipboard(chat.get_selected_text() or "")
            chat.clear_selection()
            chat.say("Copied.", "muted", 2)
            return
        twice = loop_time - self._interrupted < LEAVE_WITHIN
        self._interrupted = loop_time
        if chat.session.stop():
            chat.say("Stopping. Ctrl+C again leaves.", "muted", LEAVE_WITHIN)
        elif chat.composer.text:
            chat.drafts.clear()
            chat.say("Draft cleared: Ctrl+Z brings it back. Ctrl+C again leaves.", "muted", 6)
        elif twice:
            self.action_leave()
        else:
            chat.say("Ctrl+C again leaves, and so does /quit.", "muted", LEAVE_WITHIN)

    def action_leave(self) -> None:
        """Leaves; asked again while what is open takes long to close, leaves it as it is."""
        if self._leaving:
            self.chat.session.abandon()
            self.exit(0)
        else:
            self.run_worker(self.leave(0), name="leave", exit_on_error=False)

    async def action_quit(self) -> None:
        self.action_leave()

    def action_help(self) -> None:
        from app.screens.help import HelpScreen

        if not isinstance(self.screen, HelpScreen):
            self.push_screen(HelpScreen())

    def action_repaint(self) -> None:
        self.refresh(repaint=True, layout=True)

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """The palette: every slash command that needs no words, and the actions with a key."""
        for command in COMMANDS:
            if not command.arguments or command.arguments.startswith("["):
                call = CommandCall(command, "")

                run = partial(self.chat.commands.run, call)
                start = partial(self.chat.work.in_order, command.doing, run)
                yield SystemCommand(f"/{command.name}", command.summary, start)
        yield SystemCommand("Look at the disk now", "F5", self.chat.action_look_now)
        yield SystemCommand("Search the transcript", "Ctrl+F", self.chat.action_search)


def _driver_class() -> type[Driver] | None:
    """The driver for this platform; None lets Textual choose."""
    if sys.platform == "win32":
        return None
    from app.terminal_driver import TerminalDriver

    return TerminalDriver


def run_screen(options: ScreenOptions) -> int:
    """Runs the chat until the person leaves; returns the exit status."""
    from app.controllers.command_use import CommandUse
    from app.controllers.draft_store import DraftStore
    from app.settings.files import state_dir

    async def open_runtime() -> ScreenRuntime:
        from app.runtime import Runtime

        return await Runtime.open(options.settings, options.cwd)

    folder = state_dir()
    crash = CrashReport(folder)
    app = SkilldeckApp(
        options, open_runtime, drafts=DraftStore(folder, options.cwd), uses=CommandUse(folder), crash=crash
    )
    said = Lock()

    def say_last() -> None:
        if not said.acquire(blocking=False):
            return
        with contextlib.suppress(OSError):
            if crash.message:
                print(crash.message, file=sys.stderr)
            elif app.went_on_in and not app.return_code:
                print(f"To go on: skilldeck --resume {app.went_on_in}", file=sys.stderr)
        _give_up_lost_streams()

    def status() -> int:
        return 1 if crash.message else app.return_code or 0

    app.on_left = lambda: leave_threads_behind(status(), say_last)
    app.run(mouse=True)
    say_last()
    return status()


def _give_up_lost_streams() -> None:
    """A terminal that has gone must not change the exit status when Python flushes its streams at the end."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            with contextlib.suppress(OSError, ValueError):
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, stream.fileno())
                os.close(nowhere)
