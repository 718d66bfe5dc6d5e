"""Writes the session to a file."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skills_core.session import Session


def export_session(session: Session, target: str, cwd: str) -> tuple[str, bool]:
    """Writes Markdown, or HTML when the name ends so; never over an existing file.

    Returns a line that says what came of it, and whether it failed.
    """
    from app.controllers.session_html import session_html
    from app.controllers.session_markdown import session_markdown
    from app.controllers.session_rows import shown_session

    path = Path(target).expanduser() if target else Path(f"skilldeck-{session.id}.md")
    if not path.is_absolute():
        path = Path(cwd) / path
    render = session_html if path.suffix.lower() in (".html", ".htm") else session_markdown
    if os.path.lexists(path):
        return _taken(path), True
    text = render(shown_session(session.header, session.events))
    try:
        file = open(path, "x", encoding="utf-8")  # noqa: SIM115
    except FileExistsError:
        return _taken(path), True
    except OSError as error:
        return f"{path} could not be written: {error.strerror}.", True
    try:
        with file:
            file.write(text)
    except OSError as error:
        with contextlib.suppress(OSError):
            os.unlink(path)
        return f"{path} could not be written: {error.strerror}.", True
    return f"Wrote {path}.", False


def _taken(path: Path) -> str:
    return f"{path} is there already. Name another file: /export FILE"
