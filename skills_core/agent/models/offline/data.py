"""The word lists that come with the offline model."""

from __future__ import annotations

from importlib.resources import files


def data_file(name: str) -> str:
    """The text of a file beside this one, wherever the package is installed."""
    return files("skills_core.agent.models.offline").joinpath(name).read_text(encoding="utf-8")
