from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.pty.terminal import Terminal

Start = Callable[..., Terminal]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    return folder


@pytest.fixture
def start(tmp_path: Path, project: Path) -> Iterator[Start]:
    """Starts the command in the project folder; what still runs at the end of the test is killed."""
    with ExitStack() as stack:

        def begin(*arguments: str, **options: object) -> Terminal:
            return stack.enter_context(Terminal(tmp_path, project, *arguments, **options))  # type: ignore[arg-type]

        yield begin
