"""Painting inside a key handler, for what must not wait for the next frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from textual.app import App
    from textual.screen import Screen
    from textual.widget import Widget


def paint_now(screen: Screen[Any], widgets: set[Widget], *, layout: bool = False) -> None:
    """Writes what these widgets show now to the terminal.

    Textual collects repaints up to 16 ms. ``layout`` when a size changed, which repaints what that uncovered too; it
    is found out for the widgets themselves.
    """
    app = cast("App[Any]", screen.app)  # pyright: ignore[reportUnknownMemberType]
    if not screen.is_current or app._batch_count:  # pyright: ignore[reportPrivateUsage]
        return
    if layout or any(widget._layout_required for widget in widgets):  # pyright: ignore[reportPrivateUsage]
        screen._refresh_layout()  # pyright: ignore[reportPrivateUsage]
    screen._compositor.update_widgets(widgets)  # pyright: ignore[reportPrivateUsage]
    screen._compositor_refresh()  # pyright: ignore[reportPrivateUsage]
