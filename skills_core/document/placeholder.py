"""Recognises values that nobody has filled in."""

from __future__ import annotations

import re

_PLACEHOLDER = re.compile(
    r"\{\{[^{}\n]*\}\}|\{%[^\n]*%\}|\$?\{[^{}:,\n]*\}|<[^<>\n]+>|%[A-Za-z_]+%|__[A-Z_]+__|@@?[A-Z_]{3,}@@?|\$[A-Z_]{3,}"
    r"|\[(?:TODO|TBD|FIXME)\b[^\n]*\]|\[[^\[\]\n,:\"']*[ A-Z][^\[\]\n,:\"']*\]"
    r"|\[(?:your-|my-|the-)?(?:skill|name|description|title|placeholder|text|todo|tbd)[a-z_-]*\]"
    r"|\.\.\.|…"
)
_WORDS = frozenset({"todo", "tbd", "fixme", "xxx", "placeholder", "todo.", "tbd.", "todo:", "tbd:"})
_LENGTH_MAX = 300


def is_placeholder(text: str) -> bool:
    """Whether ``text`` is nothing but a placeholder, like ``{{name}}``, ``<your-skill-name>`` or ``TODO``."""
    text = text.strip()
    if not text or len(text) > _LENGTH_MAX:
        return False
    if text[0] in "\"'" and text[-1] == text[0]:
        text = text[1:-1].strip()
    return text.casefold() in _WORDS or _PLACEHOLDER.fullmatch(text) is not None
