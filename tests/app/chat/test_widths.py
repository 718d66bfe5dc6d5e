"""Nothing runs under a scroll bar, at any size; and the chosen row reads in few colours and in none."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.color import Color as RichColor
from rich.color import ColorSystem
from textual.color import Color

from app.theme import OWN_THEMES
from tests.app.controllers.events import catalog, reply, user
from tests.app.support import Deck
from tests.app.test_theme import TEXT, contrast


@pytest.mark.parametrize("size", [(44, 14), (60, 16), (80, 24), (100, 30), (121, 40), (200, 50)])
async def test_open_rows_end_before_the_scroll_bar(tmp_path: Path, size: tuple[int, int]) -> None:
    deck = Deck(tmp_path, trust="yes")
    async with deck.app.run_test(size=size) as pilot:
        await deck.ready()
        words = "The available skills are available in the available list of skills 標籤 " * 4
        entries = [(f"skill-{number}", words) for number in range(20)]
        deck.chat.transcript.load([user(1, words), catalog(2, *entries), reply(3, words)])
        deck.chat.transcript.toggle(1)
        view = deck.chat.view
        view.repaint_row(1)
        for _ in range(6):
            await pilot.press("pageup")
            await pilot.pause()
            inner = view.scrollable_content_region
            for y in range(inner.height):
                assert view.render_line(y).cell_length <= inner.width
            assert inner.right <= view.region.right - view.scrollbar_size_vertical
        for index in range(len(deck.chat.transcript.rows)):
            for line in view._cache.lines(index):
                assert line.width <= inner.width


def _shown(color: Color, system: ColorSystem) -> Color:
    """The colour as a terminal of few colours draws it."""
    triplet = RichColor.from_rgb(color.r, color.g, color.b).downgrade(system).get_truecolor()
    return Color(triplet.red, triplet.green, triplet.blue)


@pytest.mark.parametrize("theme", OWN_THEMES, ids=lambda theme: theme.name)
def test_in_256_colours_text_is_told_from_the_chosen_row(theme: object) -> None:
    own = getattr(theme, "variables")  # noqa: B009
    for ground in ("background", "panel", "row-selected", "row-current"):
        beneath = _shown(Color.parse(own.get(ground) or getattr(theme, ground)), ColorSystem.EIGHT_BIT)
        for text in TEXT:
            above = _shown(Color.parse(own.get(text) or getattr(theme, text)), ColorSystem.EIGHT_BIT)
            assert contrast(above, beneath) >= 3, (text, ground)


@pytest.mark.parametrize("theme", OWN_THEMES, ids=lambda theme: theme.name)
def test_in_16_colours_what_the_chosen_row_says_is_not_its_ground(theme: object) -> None:
    own = getattr(theme, "variables")  # noqa: B009
    grounds = [_shown(Color.parse(own["row-selected"]), ColorSystem.STANDARD)]
    grounds.append(_shown(Color.parse(getattr(theme, "background")), ColorSystem.STANDARD))  # noqa: B009
    for beneath in grounds:
        for text in ("foreground", "primary", "accent", "warning", "error"):
            above = _shown(Color.parse(own.get(text) or getattr(theme, text)), ColorSystem.STANDARD)
            assert above != beneath, text
