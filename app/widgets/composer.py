"""Where the person writes: several lines, with history, any paste, and the keys of the completion popup."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar, cast

from textual import events
from textual.binding import Binding, BindingType
from textual.timer import Timer
from textual.widgets import TextArea
from textual.widgets.text_area import Edit, EditResult, Selection

from app.controllers.completion import Completion, Replacement
from app.controllers.composer_history import ComposerHistory, Draft
from app.messages import DraftChanged, DraftSubmitted, PageTurned, Pasted

if TYPE_CHECKING:
    from textual._queue import Queue
    from textual.app import App
    from textual.message_pump import MessagePump

_TOKEN = re.compile(r'(?:^|\s)(?:[/@]\S*|@"[^"]*)$')
"""What a line ends in when the caret may stand in a token."""

COMPLETION_LINE_LIMIT = 4_000
"""Code points of a line beyond which no token is looked for: it was pasted, not typed."""

BLINKS = 20
"""Changes of the caret, each half a second long, after which it stays on until the next key: nobody is writing."""

BURST_GAP = 0.01
"""Seconds between two keys below which no person typed them."""

BURST_END = 0.05
"""Seconds after which a burst of keys is over."""


class Composer(TextArea):
    """The draft. Nothing but the person's own keys ever changes it.

    ``followed`` is called after the completion has seen a change, still inside the key handler.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+j,shift+enter,alt+enter", "newline", "New line", show=False, id="composer.newline"),
        Binding("ctrl+z,super+z", "undo", "Undo", show=False, id="composer.undo"),
        Binding("ctrl+y,super+y,ctrl+shift+z", "redo", "Redo", show=False, id="composer.redo"),
    ]

    def __init__(
        self,
        completion: Completion,
        history: ComposerHistory,
        followed: Callable[[], None],
        *,
        blink: bool,
        id: str | None = None,
    ) -> None:
        super().__init__(
            id=id,
            soft_wrap=True,
            tab_behavior="focus",
            show_line_numbers=False,
            highlight_cursor_line=False,
            placeholder="Ask for something, or type / for commands and skills",
        )
        self.completion = completion
        self.history_of_messages = history
        self.cursor_blink = blink
        self.match_cursor_bracket = False
        self._followed = followed
        self._editing = False
        self._blinks = 0
        self._key_time = 0.0
        self._held_enter: Timer | None = None

    @property
    def caret(self) -> int:
        """The caret's offset in code points."""
        return self._index_of(self.cursor_location)

    @property
    def draft(self) -> Draft:
        return Draft(self.text, self.caret)

    def _index_of(self, location: tuple[int, int]) -> int:
        row, column = location
        return sum(len(line) + 1 for line in self.document.lines[:row]) + column

    def _location_of(self, index: int) -> tuple[int, int]:
        for row, line in enumerate(self.document.lines):
            if index <= len(line):
                return (row, index)
            index -= len(line) + 1
        return self.document.end

    def set_draft(self, draft: Draft) -> None:
        """Replaces the whole draft as one edit, which undo takes back."""
        if draft.text != self.text:
            self.history.checkpoint()
            self.replace(draft.text, (0, 0), self.document.end, maintain_selection_offset=False)
            self.history.checkpoint()
        self.move_cursor(self._location_of(min(draft.caret, len(draft.text))))
        self.follow()

    def apply(self, replacement: Replacement) -> None:
        """Puts an accepted completion into the draft, as one edit."""
        self.history.checkpoint()
        start = self._location_of(replacement.start)
        end = self._location_of(replacement.end)
        result = self.replace(replacement.text, start, end, maintain_selection_offset=False)
        self.move_cursor(result.end_location)
        self.history.checkpoint()
        self.follow()

    def accept(self) -> None:
        """Accepts the popup's selection. Never sends."""
        replacement = self.completion.accept(self.text)
        if replacement is not None:
            self.apply(replacement)

    def follow(self) -> None:
        """Lets the completion see the draft as it is now, and tells the screen."""
        row, column = self.cursor_location
        current = self.document.get_line(row)
        typed = current[:column] if len(current) <= COMPLETION_LINE_LIMIT else ""
        may_be_token = _TOKEN.search(typed) is not None
        at_end = (row, column) == self.document.end
        if may_be_token or (at_end and current.endswith(" ")):
            text, caret = self.text, self.caret
            self.completion.follow(text, caret)
            self.suggestion = self.completion.hint_at(text, caret)
        else:
            self.completion.follow("", 0)
            self.suggestion = ""
        self.post_message(DraftChanged())
        self._followed()

    def edit(self, edit: Edit) -> EditResult:
        with self._one_change():
            return super().edit(edit)

    def undo(self) -> None:
        with self._one_change():
            super().undo()

    def redo(self) -> None:
        with self._one_change():
            super().redo()

    @contextmanager
    def _one_change(self) -> Generator[None]:
        """Nothing looks at the draft before the change is whole: half-way the caret may lie outside of it."""
        self._editing = True
        try:
            yield
        finally:
            self._editing = False
        self.follow()

    def _recompute_cursor_offset(self) -> None:
        """Undo shortens the draft before it moves the caret; a scroll bar that goes in between asks where it is."""
        if self.cursor_location[0] < self.document.line_count:
            super()._recompute_cursor_offset()

    def _watch_selection(self, previous_selection: Selection, selection: Selection) -> None:
        super()._watch_selection(previous_selection, selection)
        if self.is_mounted and not self._editing:
            self.follow()

    def _restart_blink(self) -> None:
        self._blinks = 0
        super()._restart_blink()

    def _toggle_cursor_blink_visible(self) -> None:
        self._blinks += 1
        if self._blinks < BLINKS:
            super()._toggle_cursor_blink_visible()
        else:
            self._pause_blink()

    def update_suggestion(self) -> None:
        """The suggestion is the argument hint, set by ``follow``; an edit itself proposes nothing."""

    def action_cursor_right(self, select: bool = False) -> None:
        """Moves right. The hint is shown only: it is never taken into the draft."""
        hint, self.suggestion = self.suggestion, ""
        super().action_cursor_right(select)
        if hint and self.cursor_at_end_of_text:
            self.suggestion = hint

    def action_cursor_page_up(self) -> None:
        """A draft that fits has no pages: the key turns those of the transcript."""
        if self.max_scroll_y:
            super().action_cursor_page_up()
        else:
            self.post_message(PageTurned(-1))

    def action_cursor_page_down(self) -> None:
        if self.max_scroll_y:
            super().action_cursor_page_down()
        else:
            self.post_message(PageTurned(1))

    def action_newline(self) -> None:
        self._replace_via_keyboard("\n", *self.selection)

    async def _on_key(self, event: events.Key) -> None:
        self._release_enter()
        since, self._key_time = event.time - self._key_time, event.time
        if self._popup_key(event.key) or self._history_key(event.key) or self._submit_key(event, since):
            self.post_message(DraftChanged())
            self._followed()
        elif event.is_printable or not await self._run_binding(event.key):
            return
        event.stop()
        event.prevent_default()

    async def _run_binding(self, key: str) -> bool:
        """Runs a binding of the composer in its turn. Found by the app it would run behind keys that came after it."""
        app = cast("App[Any]", self.app)  # pyright: ignore[reportUnknownMemberType]
        keymap = app._keymap  # pyright: ignore[reportPrivateUsage]
        bindings = self._bindings
        if keymap:
            bindings = bindings.copy()
            bindings.apply_keymap(keymap)
        for binding in bindings.key_to_bindings.get(key, ()):
            if not binding.priority and await app.run_action(binding.action, self):
                return True
        return False

    async def _on_paste(self, event: events.Paste) -> None:
        event.prevent_default()
        event.stop()
        text = event.text.replace("\r\n", "\n").replace("\r", "\n")
        self.history.checkpoint()
        result = self._replace_via_keyboard(text, *self.selection)
        if result is not None:
            self.move_cursor(result.end_location)
        self.history.checkpoint()
        if text:
            self.post_message(Pasted(len(text), text.count("\n") + 1))

    def _popup_key(self, key: str) -> bool:
        state = self.completion
        if not state.open:
            return False
        moves = {"up": -1, "ctrl+p": -1, "down": 1, "ctrl+n": 1, "pageup": -10, "pagedown": 10}
        if key in moves:
            state.move(moves[key])
        elif key in ("alt+up", "alt+down"):
            state.read_at(state.reading + (1 if key == "alt+down" else -1))
        elif key == "tab" or (key == "enter" and state.enter_accepts()):
            self.accept()
        elif key == "escape":
            state.dismiss()
        else:
            return False
        return True

    def _history_key(self, key: str) -> bool:
        if key not in ("up", "down") or self.selection.start != self.selection.end:
            return False
        location = self.cursor_location
        if key == "up" and self.navigator.is_first_wrapped_line(location):
            draft = self.history_of_messages.older(self.draft)
        elif key == "down" and self.navigator.is_last_wrapped_line(location):
            draft = self.history_of_messages.newer(self.draft)
        else:
            return False
        if draft is None:
            return False
        self.set_draft(draft)
        self.completion.dismiss()
        return True

    def _submit_key(self, event: events.Key, since: float) -> bool:
        """Enter sends. In a burst it may belong to a paste without brackets: then what follows decides."""
        if event.key != "enter":
            return False
        if self._keys_wait():
            self.action_newline()
        elif since < BURST_GAP:
            self._held_enter = self.set_timer(BURST_END, self._submit)
        else:
            self._submit()
        return True

    def _submit(self) -> None:
        self._held_enter = None
        if self.text.strip():
            self.post_message(DraftSubmitted(self.text))

    def _release_enter(self) -> None:
        """More keys came right behind an Enter: it was part of a paste."""
        if self._held_enter is not None:
            self._held_enter.stop()
            self._held_enter = None
            self.action_newline()

    def _keys_wait(self) -> bool:
        app = cast("MessagePump", self.app)  # pyright: ignore[reportUnknownMemberType]
        return _holds_key(app) or _holds_key(self)


def _holds_key(pump: MessagePump) -> bool:
    queue = cast("Queue[object]", pump._message_queue)  # pyright: ignore[reportPrivateUsage, reportUnknownMemberType]
    return any(isinstance(message, events.Key) for message in queue.values)
