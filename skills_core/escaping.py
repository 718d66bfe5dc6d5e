"""Text inside the frames that a model reads, so that it cannot close them."""

from __future__ import annotations


def escape_text(text: str) -> str:
    """``&``, ``<`` and ``>`` as entities, for text between tags."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def escape_attribute(text: str) -> str:
    """``&``, ``"`` and ``<`` as entities, for a value between double quotes."""
    return text.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")
