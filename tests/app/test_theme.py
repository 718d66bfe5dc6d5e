"""The program's own themes keep their contrast, and every colour has a word or a mark beside it."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.color import Color
from textual.theme import BUILTIN_THEMES

from app.controllers.marks import ASCII, UNICODE, marks_for
from app.theme import OWN_THEMES
from tests.app.support import Deck, skill

TEXT = ("foreground", "text-quiet", "primary", "accent", "success", "warning", "error")
GROUNDS = ("background", "panel", "row-selected", "row-current")


def _luminance(color: Color) -> float:
    def channel(value: int) -> float:
        part = value / 255
        return part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4

    return 0.2126 * channel(color.r) + 0.7152 * channel(color.g) + 0.0722 * channel(color.b)


def contrast(one: Color, other: Color) -> float:
    high, low = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def _value(theme: object, name: str) -> Color:
    own = getattr(theme, "variables")  # noqa: B009
    return Color.parse(own.get(name) or getattr(theme, name))


@pytest.mark.parametrize("theme", OWN_THEMES, ids=lambda theme: theme.name)
@pytest.mark.parametrize("text", TEXT)
@pytest.mark.parametrize("ground", GROUNDS)
def test_text_keeps_the_contrast_of_aa(theme: object, text: str, ground: str) -> None:
    assert contrast(_value(theme, text), _value(theme, ground)) >= 4.5


def test_ascii_marks_are_ascii_and_as_wide() -> None:
    for name in UNICODE.__slots__:
        assert getattr(ASCII, name).isascii()
        assert len(getattr(ASCII, name)) == len(getattr(UNICODE, name)) == 1


def test_terminals_that_cannot_draw_get_ascii() -> None:
    assert marks_for({"TERM": "xterm-256color"}, "utf-8") is UNICODE
    assert marks_for({"TERM": "linux"}, "utf-8") is ASCII
    assert marks_for({"TERM": "xterm"}, "iso-8859-1") is ASCII


@pytest.mark.parametrize(
    "theme", ["textual-light", "nord", "dracula", *(name for name in sorted(BUILTIN_THEMES) if "ansi" in name)]
)
async def test_foreign_themes_show_the_same_words(tmp_path: Path, theme: str) -> None:
    deck = Deck(tmp_path, theme=theme)
    async with deck.app.run_test(size=(80, 24)) as pilot:
        await deck.ready()
        deck.shelf.put(skill("hem"), skill("tie"))
        await deck.seen(2)
        await pilot.press("slash", *"skill", "colon", "down")
        assert "▌ tie" in deck.text()


async def test_an_unknown_theme_is_said_and_replaced(tmp_path: Path) -> None:
    deck = Deck(tmp_path, theme="no-such")
    async with deck.app.run_test(size=(80, 24)):
        await deck.ready()
        await deck.until(lambda: "There is no theme no-such" in deck.text(), "the notice")
        assert deck.app.theme == "skilldeck-dark"


async def test_without_colours_nothing_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    deck = Deck(tmp_path)
    async with deck.app.run_test(size=(80, 24)) as pilot:
        await deck.ready()
        deck.shelf.put(skill("hem"))
        await deck.seen(2)
        await pilot.press("slash", *"skill", "colon")
        assert "▌ hem" in deck.text()
        for strip in deck.app.screen._compositor.render_strips():
            for segment in strip:
                color = segment.style.color if segment.style else None
                assert color is None or color.triplet is None or len(set(color.triplet)) == 1
