"""The first frame and the first keys do not wait for the disk: files that do not answer stand in for a slow one."""

from __future__ import annotations

import hashlib
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.pty.conftest import Start
from tests.pty.skill_files import write_skill
from tests.pty.terminal import Terminal

pytestmark = pytest.mark.pty


def draft_file(state: Path, cwd: Path) -> Path:
    return state / "drafts" / f"{hashlib.sha256(os.fsencode(cwd)).hexdigest()[:16]}.txt"


@contextmanager
def waiting_reader(pipe: Path, terminal: Terminal) -> Iterator[int]:
    """Opens ``pipe`` for writing, which succeeds only once the program waits for what it will read from it."""
    opened: list[int] = []

    def reader_waits() -> bool:
        try:
            opened.append(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK))
        except OSError:
            return False
        return True

    terminal.wait(reader_waits, f"the program to read {pipe.name}")
    try:
        yield opened[0]
    finally:
        os.close(opened[0])


def test_the_first_frame_is_there_while_the_kept_draft_is_read(start: Start, tmp_path: Path, project: Path) -> None:
    pipe = draft_file(tmp_path / "state", project)
    pipe.parent.mkdir(parents=True)
    os.mkfifo(pipe)
    terminal = start()
    terminal.wait_for("Ask for something")
    terminal.type("new words")
    terminal.wait_for("new words")
    with waiting_reader(pipe, terminal) as writer:
        terminal.wait_for("new words")
        assert "words from before" not in terminal.text
        os.write(writer, b"words from before")
    terminal.press("up")
    terminal.wait_for("words from before")


def test_the_first_frame_is_there_while_the_uses_of_commands_are_read(
    start: Start, tmp_path: Path, project: Path
) -> None:
    write_skill(project / ".agents" / "skills", "hem-towels", "Hem towels.")
    pipe = tmp_path / "state" / "command-use.json"
    pipe.parent.mkdir(parents=True)
    os.mkfifo(pipe)
    terminal = start("--trust", "yes")
    terminal.wait_for("Ask for something")
    terminal.type("/skill:")
    terminal.wait_for("/skill:")
    with waiting_reader(pipe, terminal) as writer:
        assert terminal.popup == [] and terminal.number == 0
        os.write(writer, b"{}")
    terminal.wait_popup(["hem-towels", "write-a-skill"])


@pytest.mark.parametrize("way", ["quit", "ctrl+q", "ctrl+c", "term"])
def test_it_can_be_left_while_the_disk_does_not_answer(start: Start, tmp_path: Path, way: str) -> None:
    pipe = tmp_path / "state" / "command-use.json"
    pipe.parent.mkdir(parents=True)
    os.mkfifo(pipe)
    terminal = start()
    terminal.wait_for("Ask for something")
    if way == "quit":
        terminal.type("/quit")
        terminal.wait_for("/quit")
        terminal.press("escape", "enter")
    elif way == "term":
        terminal.signal(signal.SIGTERM)
    else:
        terminal.press(*[way] * (2 if way == "ctrl+c" else 1))
    assert terminal.wait_end(10) == (143 if way == "term" else 0)
    terminal.assert_restored()
