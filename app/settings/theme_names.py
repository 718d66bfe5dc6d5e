"""Which themes the screen has, asked only where somebody wants to know: the answer imports Textual."""

from __future__ import annotations

from app.nearest import nearest


def theme_fault(name: str) -> tuple[str, str] | None:
    """What is wrong with the name of a theme, and what to write instead; None when there is such a theme."""
    from textual.theme import BUILTIN_THEMES

    from app.theme import OWN_THEMES

    names = [theme.name for theme in OWN_THEMES] + sorted(BUILTIN_THEMES)
    if name in names:
        return None
    near = nearest(name, names)
    hint = f'did you mean "{near}"?' if near else f"the themes are {', '.join(names)}"
    return f'there is no theme "{name}"', hint
