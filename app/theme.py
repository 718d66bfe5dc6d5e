"""The program's own themes; text on every surface keeps at least the contrast of WCAG AA (4.5 to 1)."""

from __future__ import annotations

from textual.theme import Theme

DARK = Theme(
    name="skilldeck-dark",
    primary="#7aa8ff",
    secondary="#9db4d8",
    accent="#e2b96f",
    foreground="#e4e7ec",
    background="#14171c",
    surface="#14171c",
    panel="#20252d",
    success="#7fcf93",
    warning="#eab65b",
    error="#ff8f86",
    dark=True,
    variables={
        "text-quiet": "#a3acba",
        "line": "#3d4654",
        "row-selected": "#2b3a57",
        "row-current": "#1f2937",
        "block-cursor-text-style": "none",
        "input-selection-background": "#7aa8ff 35%",
        "footer-key-foreground": "#7aa8ff",
    },
)

LIGHT = Theme(
    name="skilldeck-light",
    primary="#1d4ed8",
    secondary="#3b5378",
    accent="#8a4b00",
    foreground="#1b1f26",
    background="#fbfaf7",
    surface="#fbfaf7",
    panel="#efece4",
    success="#1a6b35",
    warning="#8a4b00",
    error="#b3261e",
    dark=False,
    variables={
        "text-quiet": "#565e6b",
        "line": "#c9c3b4",
        "row-selected": "#d5e2fb",
        "row-current": "#e9edf6",
        "block-cursor-text-style": "none",
        "input-selection-background": "#1d4ed8 25%",
        "footer-key-foreground": "#1d4ed8",
    },
)

OWN_THEMES = (DARK, LIGHT)
DEFAULT_THEME = DARK.name
