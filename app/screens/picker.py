"""Choose one of a list, narrowed by typing."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.markup import escape
from textual.screen import ModalScreen
from textual.widgets import Input

from app.controllers.inert import inert, inert_line
from app.controllers.matching import Matcher
from app.controllers.text_layout import Line, Piece, cut, cut_pieces, wrap_text
from app.widgets.lines_view import LinesView, Page
from app.widgets.role_styles import ROLE_CLASSES


@dataclass(frozen=True, slots=True)
class PickItem:
    """``value`` is what choosing gives; ``name`` and ``description`` are shown and searched."""

    value: str
    name: str
    description: str = ""


class PickerScreen(ModalScreen[str | None]):
    """Typing narrows, arrows choose, Enter takes, Esc leaves with nothing.

    ``current`` is the value that the cursor begins on, ``mark`` the character before the chosen line. With ``free``,
    Enter on words that match nothing gives the words. ``preview`` is called with each value that the person moves to,
    and ``detail`` gives words about it, shown below the list.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = ROLE_CLASSES
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Close", id="picker.close"),
        Binding("up,ctrl+p", "step(-1)", "Up", show=False, id="picker.up", priority=True),
        Binding("down,ctrl+n", "step(1)", "Down", show=False, id="picker.down", priority=True),
    ]

    def __init__(
        self,
        title: str,
        items: Sequence[PickItem],
        *,
        current: str = "",
        mark: str = "▌",
        free: str = "",
        preview: Callable[[str], None] | None = None,
        detail: Callable[[str], Awaitable[str]] | None = None,
    ) -> None:
        super().__init__()
        self._title = title
        self._matcher = Matcher(list(items))
        self._current = current
        self._mark = mark
        self._free = free
        self._preview = preview
        self._detail = detail
        self._found: Sequence[PickItem] = items

    def compose(self) -> ComposeResult:
        with Vertical(id="frame") as frame:
            frame.border_title = self._title
            frame.border_subtitle = self._free or "Enter chooses, Esc closes"
            yield Input(placeholder="Type to narrow", compact=True)
            yield LinesView(self._page, always_cursor=True, mark=self._mark, id="choices")
            if self._detail is not None:
                yield LinesView(id="detail")

    def on_mount(self) -> None:
        self.query_one(Input).focus()
        current = next((item for item in self._found if item.value == self._current), None)
        self.call_after_refresh(self._begin, current)

    def _begin(self, current: PickItem | None) -> None:
        self.query_one("#choices", LinesView).choose(current)
        self._tell()

    def replace_items(self, items: Sequence[PickItem], note: str) -> None:
        """Shows other items in their place, the cursor on the same value, and a note in the frame."""
        if not self.is_attached:
            return
        view = self.query_one("#choices", LinesView)
        before = view.target.value if isinstance(view.target, PickItem) else ""
        self._matcher = Matcher(list(items))
        self._found = self._matcher.match(self.query_one(Input).value.strip())
        self.query_one("#frame").border_subtitle = escape(inert_line(note))
        view.choose(next((item for item in self._found if item.value == before), None))
        self._tell()

    @on(Input.Changed)
    def _narrowed(self, message: Input.Changed) -> None:
        self._found = self._matcher.match(message.value.strip())
        self.query_one("#choices", LinesView).choose(None)
        self._tell()

    @on(Input.Submitted)
    def _taken(self, message: Input.Submitted) -> None:
        target = self.query_one("#choices", LinesView).target
        if isinstance(target, PickItem):
            self.dismiss(target.value)
        elif self._free and message.value.strip():
            self.dismiss(message.value.strip())

    @on(LinesView.Chosen)
    def _clicked(self, message: LinesView.Chosen) -> None:
        if isinstance(message.target, PickItem):
            self.dismiss(message.target.value)

    def action_step(self, by: int) -> None:
        view = self.query_one("#choices", LinesView)
        view.action_step(by)
        if self._preview is not None and isinstance(view.target, PickItem):
            self._preview(view.target.value)
        self._tell()

    def _tell(self) -> None:
        """Shows the words about the choice under the cursor, when they are there and it is still that one."""
        target = self.query_one("#choices", LinesView).target
        if self._detail is not None and isinstance(target, PickItem):
            self.run_worker(self._show_detail(self._detail, target), exclusive=True, group="detail")

    async def _show_detail(self, detail: Callable[[str], Awaitable[str]], item: PickItem) -> None:
        words = inert(await detail(item.value))
        self.query_one("#detail", LinesView).show(lambda width: Page(wrap_text(words, width, "muted")))

    def action_leave(self) -> None:
        self.dismiss(None)

    def _page(self, width: int) -> Page:
        lines: list[Line] = []
        targets: dict[int, object] = {}
        for item in self._found:
            targets[len(lines)] = item
            said = inert_line(item.description)
            # A long name leaves the description at least half of the line.
            room = max(width - 4 - cell_len(said), (width - 4) // 2)
            name = Piece(cut(inert_line(item.name), room), "strong")
            lines.append(Line(cut_pieces((Piece("  "), name, Piece(f"  {said}", "muted")), width)))
        return Page(lines, targets)
