"""What commands do when a terminal is there: colours, the editor, and the chat's start."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import time
from pathlib import Path

from tests.app.commands.conftest import DEADLINE, Place


def in_terminal(place: Place, *words: str, environment: dict[str, str] | None = None) -> tuple[int, str]:
    """Runs a command in a pseudo-terminal; its status, and all that it wrote."""
    master, slave = pty.openpty()
    process = subprocess.Popen(
        place.command(*words),
        cwd=place.project,
        env={**place.environment, "TERM": "xterm-256color", **(environment or {})},
        stdin=slave,
        stdout=slave,
        stderr=slave,
        start_new_session=True,
    )
    os.close(slave)
    written = b""
    end = time.monotonic() + DEADLINE
    try:
        while time.monotonic() < end:
            ready, _, _ = select.select([master], [], [], 1.0)
            if ready:
                try:
                    data = os.read(master, 65536)
                except OSError:
                    break
                if not data:
                    break
                written += data
        return process.wait(timeout=DEADLINE), written.decode()
    finally:
        process.kill()
        process.wait(timeout=DEADLINE)
        os.close(master)


def test_colours_only_where_they_are_wanted(place: Place) -> None:
    place.skill("mine")
    status, shown = in_terminal(place, "skills")
    assert status == 0
    assert "\x1b[1mmine\x1b[0m" in shown
    for environment in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        assert "\x1b" not in in_terminal(place, "skills", environment=environment)[1]
    assert "\x1b" not in place.run("skills").out


def test_json_is_laid_out_for_people_in_a_terminal(place: Place) -> None:
    assert '{\r\n  "complete": true' in in_terminal(place, "skills", "--json")[1]


def test_new_opens_the_editor(place: Place) -> None:
    editor = place.home / "my editor"
    editor.write_text('#!/bin/sh\nprintf "%s\\n" "$@" > "$HOME/opened"\n')
    editor.chmod(0o755)
    path = place.root / "mine" / "SKILL.md"
    status, shown = in_terminal(place, "new", "mine", environment={"EDITOR": f"'{editor}' --wait"})
    assert status == 0
    assert str(path) in shown
    assert Path(place.home, "opened").read_text() == f"--wait\n{path}\n"
    status, _ = in_terminal(place, "new", "other", "--no-edit", environment={"EDITOR": f"'{editor}'"})
    assert status == 0
    assert Path(place.home, "opened").read_text() == f"--wait\n{path}\n"
    status, shown = in_terminal(place, "new", "third", environment={"EDITOR": "no-such-editor-here"})
    assert status == 2
    assert "does not start" in shown


def test_new_opens_no_editor_in_a_pipe(place: Place) -> None:
    ended = place.run("new", "mine", environment={"EDITOR": "no-such-editor-here"})
    assert ended.status == 0
    assert "no-such-editor-here" not in ended.err


def test_run_without_a_prompt_does_not_wait_for_the_keyboard(place: Place) -> None:
    status, shown = in_terminal(place, "run")
    assert status == 2
    assert "there is no prompt" in shown
