"""The chat: composes the widgets, and passes messages between them and the controllers."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar, cast

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.screen import Screen
from textual.widgets import Static

from app.controllers.commands import COMMANDS
from app.controllers.completion import Completion, skill_choices
from app.controllers.composer_history import ComposerHistory
from app.controllers.hints import paste_hint
from app.controllers.marks import ASCII, Marks
from app.controllers.questions import QuestionDesk
from app.controllers.send_rules import SendRules
from app.controllers.skill_view import SkillView, local_now
from app.controllers.text_layout import Line, Role, counted
from app.controllers.transcript import Transcript
from app.controllers.transcript_search import search_words
from app.controllers.window_size import size_classes, too_small_words
from app.messages import (
    ChoiceClicked,
    DraftChanged,
    DraftSubmitted,
    PageTurned,
    Pasted,
    QuestionAnswered,
    RowChosen,
    RowCopied,
    RowToggled,
    SelectionScrolled,
)
from app.screens.chat_commands import ChatCommands
from app.screens.chat_drafts import ChatDrafts
from app.screens.chat_pane import ChatPane
from app.screens.chat_questions import ChatQuestions
from app.screens.chat_session import ChatSession
from app.screens.chat_surroundings import ChatSurroundings
from app.screens.chat_work import ChatWork
from app.widgets.composer import Composer
from app.widgets.lines_view import LinesView
from app.widgets.notice_bar import NoticeBar
from app.widgets.popup import CompletionPopup
from app.widgets.question_bar import QuestionBar
from app.widgets.role_styles import ROLE_CLASSES
from app.widgets.search_bar import SearchBar
from app.widgets.status_bar import StatusBar
from app.widgets.transcript_view import TranscriptView
from skills_core.access.policy import user_may_use

if TYPE_CHECKING:
    from app.main import SkilldeckApp
    from app.options import ScreenOptions


class ChatScreen(Screen[None]):
    """Transcript, composer, status bar, side pane and popup. It decides nothing: controllers do."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {*Screen.COMPONENT_CLASSES, *ROLE_CLASSES}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "escape", "Stop, or close", show=False, id="chat.escape"),
        Binding("f5", "look_now", "Look at the disk now", id="chat.look"),
        Binding("f6", "toggle_pane", "Skills and problems", id="chat.pane", priority=True),
        Binding("f2", "answer(0)", "First answer", show=False, id="question.first"),
        Binding("f3", "answer(1)", "Second answer", show=False, id="question.second"),
        Binding("f4", "answer(2)", "Third answer", show=False, id="question.third"),
        Binding("ctrl+f", "search", "Search the transcript", id="chat.search", priority=True),
        Binding("ctrl+g", "edit_draft", "Write the draft in your editor", id="chat.editor"),
        Binding("ctrl+t", "toggle_rows", "Open or close every row", id="chat.toggle-rows"),
        Binding("ctrl+end", "tail", "Newest row", show=False, id="chat.tail", priority=True),
    ]

    def __init__(
        self,
        options: ScreenOptions,
        marks: Marks,
        *,
        home: str | None = None,
        clock: Callable[[], datetime] = local_now,
    ) -> None:
        super().__init__()
        self.marks = marks
        self.clock = clock
        self.surroundings = ChatSurroundings(self)
        self.questions = ChatQuestions(self)
        self.desk = QuestionDesk(self.questions.changed)
        self.transcript = Transcript()
        self.completion = Completion(COMMANDS)
        self.history_of_messages = ComposerHistory()
        self.rules = SendRules()
        self.work = ChatWork(self)
        self.session = ChatSession(self, options)
        self.commands = ChatCommands(self)
        self.drafts = ChatDrafts(self)
        self.side = ChatPane(self)
        self.view = TranscriptView(self.transcript, marks, self._welcome, id="transcript")
        self.pane = LinesView(mark=marks.selected, typed=self.side.typed, id="pane")
        self.search = SearchBar(marks, id="search")
        self.question = QuestionBar(marks, id="question")
        self.notice = NoticeBar(id="notice")
        self.composer = Composer(
            self.completion,
            self.history_of_messages,
            self.surroundings.draft_followed,
            blink=options.settings.motion,
            id="composer",
        )
        self.status = StatusBar(marks, home, id="status")
        self.popup = CompletionPopup(self.completion, marks, id="popup")

    @property
    def alive(self) -> bool:
        """Whether the widgets are there: what comes before or after that changes nothing."""
        return self.status.is_attached

    @property
    def skilldeck(self) -> SkilldeckApp:
        return cast("SkilldeckApp", self.app)  # pyright: ignore[reportUnknownMemberType]

    def compose(self) -> ComposeResult:
        with Container(id="body"):
            yield self.view
            yield self.pane
        yield self.search
        yield self.question
        yield self.notice
        yield self.composer
        yield self.status
        yield self.popup
        yield Static(id="too-small", markup=False)

    def on_mount(self) -> None:
        self.set_class(self.marks is ASCII, "ascii")
        self.composer.focus()
        self.surroundings.show_status()
        self.surroundings.show_hints()

    async def on_unmount(self) -> None:
        await self.session.aclose()

    # What the controllers say

    def skills_changed(self, view: SkillView) -> None:
        """Takes in a newer view of the skills, also in a popup that is open."""
        access = self.session.access
        if view.snapshot is not None and access is not None:
            choices = skill_choices(
                view.snapshot.skills, lambda skill: user_may_use(skill, access), lambda skill: access.is_trusted(skill)
            )
            self.completion.set_skills(choices)
            self.surroundings.show_popup()
        self.side.refresh()
        self.surroundings.show_status()
        if self.alive:
            self.view.welcome_changed()

    def follow_disk(self) -> None:
        """Has changes of the skills told at once while they are in sight, and at less cost while they are not."""
        self.session.watch_closely(self.completion.open or self.side.shown)

    def say(self, text: str, role: Role = "text", seconds: float | None = None) -> None:
        """Shows a notice above the composer."""
        if self.alive:
            self.notice.say(text, role, seconds)
            if self.completion.open and self.question.display:
                self.call_after_refresh(self.surroundings.show_popup)

    def copy(self, text: str, what: str) -> None:
        """Puts a text on the clipboard, by the terminal, also over ssh and in tmux; and says so."""
        self.skilldeck.copy_to_clipboard(text)
        self.say(f"Copied {what}, {counted(len(text), 'character')}.", "muted", 4)

    def _welcome(self, width: int) -> list[Line]:
        from app.controllers.welcome_lines import welcome_lines

        return welcome_lines(self.session.skill_view, self.session.model_name, width, self.marks)

    # What the person does

    def before_input(self, event: events.Key | events.Paste) -> None:
        """Text belongs to the composer, also where nothing or something without words of its own has the focus."""
        wordless = self.focused is None or self.focused is self.view
        if wordless and (isinstance(event, events.Paste) or (event.is_printable and event.key != "space")):
            self.set_focus(self.composer)

    @on(DraftChanged)
    def _draft_changed(self) -> None:
        self.rules.changed(self.composer.text if len(self.composer.document.lines) < 50 else "")
        self.skilldeck.draft_changed()
        self.surroundings.show_hints()

    @on(DraftSubmitted)
    def _submitted(self, message: DraftSubmitted) -> None:
        self.drafts.submit(message.text)

    @on(ChoiceClicked)
    def _choice_clicked(self) -> None:
        self.composer.accept()
        self.composer.focus()
        self.surroundings.show_popup()

    @on(SelectionScrolled)
    def _selection_scrolled(self) -> None:
        self.surroundings.show_popup()

    @on(RowChosen)
    @on(events.DescendantFocus)
    @on(events.DescendantBlur)
    def _attention_moved(self) -> None:
        self.surroundings.show_hints()

    @on(RowToggled)
    def _row_toggled(self, message: RowToggled) -> None:
        self.transcript.toggle(message.index)
        self.view.repaint_row(message.index)

    @on(RowCopied)
    def _row_copied(self, message: RowCopied) -> None:
        self.copy(self.transcript.rows[message.index].text(), "the row")

    @on(Pasted)
    def _pasted(self, message: Pasted) -> None:
        hint = paste_hint(message.lines, message.characters)
        if hint:
            self.say(hint, "muted", 8)

    @on(PageTurned)
    def _page_turned(self, message: PageTurned) -> None:
        self.view.action_page(message.pages)

    @on(QuestionAnswered)
    def _answered(self, message: QuestionAnswered) -> None:
        self.questions.answer(message.answer)

    @on(LinesView.Chosen, "#pane")
    def _place_chosen(self, message: LinesView.Chosen) -> None:
        self.side.open_target(message.target)

    @on(SearchBar.Sought)
    def _sought(self, message: SearchBar.Sought) -> None:
        found, index = self.transcript.find(message.text, self.view.cursor, message.step)
        message.bar.said(search_words(found, index) if message.text else "")
        self.view.seek(message.text, index)

    @on(SearchBar.Left)
    def _search_left(self) -> None:
        self.view.seek("", None)
        self.composer.focus()

    # Keys

    def action_answer(self, index: int) -> None:
        self.questions.answer_at(index)

    def action_escape(self) -> None:
        if self.search.display:
            self.search.leave()
        elif self.focused is not self.composer:
            self.composer.focus()
        elif not self.session.stop():
            self.notice.clear()
            self.clear_selection()

    def action_look_now(self) -> None:
        self.work.beside("Looking at the disk", self.session.look_now)

    def action_toggle_pane(self) -> None:
        self.side.show(not self.side.shown)

    def action_search(self) -> None:
        self.search.open()

    def action_tail(self) -> None:
        self.view.follow_tail()

    def action_toggle_rows(self) -> None:
        self.transcript.toggle_all()
        self.view.follow_tail()

    def action_edit_draft(self) -> None:
        self.drafts.edit()

    def on_resize(self, event: events.Resize) -> None:
        classes = size_classes(*event.size)
        was_small, is_small = self.has_class("too-small"), classes["too-small"]
        if is_small:
            # Else Textual gives the focus of what vanishes to what comes next: a question that nobody sees.
            self.set_focus(None)
        for name, holds in classes.items():
            self.set_class(holds, name)
        if is_small:
            self.query_one("#too-small", Static).update(too_small_words(*event.size))
        self.surroundings.show_hints()
        self.call_after_refresh(self.surroundings.show_popup)
        if was_small and not is_small:
            self.call_after_refresh(self.set_focus, self.composer)
