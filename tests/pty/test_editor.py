"""The person's editor, for a file of the side pane and for the draft, and back."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest

from tests.pty.conftest import Start
from tests.pty.skill_files import write_skill
from tests.pty.terminal import Terminal

pytestmark = pytest.mark.pty


def editor_script(folder: Path) -> Path:
    """An editor named vi that notes what it was asked to open, and mends the file."""
    script = folder / "vi"
    script.write_text(f'#!/bin/sh\necho "$@" > {folder}/asked\nsed -i "s/^description: .*/description: Mended/" "$2"\n')
    script.chmod(0o755)
    return script


def test_enter_on_a_problem_opens_the_editor_at_its_line_and_comes_back(
    start: Start, project: Path, tmp_path: Path
) -> None:
    root = project / ".agents" / "skills"
    write_skill(root, "hem-towels", "Hem towels.")
    path = write_skill(root, "tie-knots", "Tie: knots: well: [")
    terminal = start("--trust", "yes", environ={"EDITOR": str(editor_script(tmp_path))})
    terminal.ready()
    terminal.wait_for("1 problem")
    terminal.type("my draft")
    terminal.press("f6")
    terminal.wait_for("SKILL.md:3")
    terminal.press("down", "enter")
    terminal.wait(lambda: (tmp_path / "asked").exists(), "the editor")
    asked = (tmp_path / "asked").read_text().split()
    assert asked == ["+3", str(path)]
    terminal.wait(lambda: "1 problem" not in terminal.text, "the mended file")
    terminal.press("f6")
    terminal.wait_for("my draft")
    assert "Mended" in path.read_text()
    assert os.path.exists(path)


ENTERED = "This is the editor"


def waiting_editor(folder: Path) -> Path:
    """An editor that shows itself, outlives Ctrl+C, and writes the draft once the file ``go`` is there."""
    script = folder / "vi"
    script.write_text(
        f"#!/bin/sh\ntrap ':' INT\necho $$ > {folder}/pid\necho '{ENTERED}'\n"
        f'while [ ! -e {folder}/go ]; do sleep 0.02; done\necho "$(cat "$1") with more words" > "$1"\n'
    )
    script.chmod(0o755)
    return script


def in_the_editor(start: Start, tmp_path: Path, *replies: dict[str, object]) -> Terminal:
    """A chat whose draft is in the editor, and whose turn, if there are ``replies``, waits for its first reply."""
    arguments: list[str] = []
    if replies:
        script = tmp_path / "replies.jsonl"
        script.write_text("".join(json.dumps(reply) + "\n" for reply in replies))
        arguments = ["--model", f"script:{script}"]
    terminal = start(*arguments, environ={"EDITOR": str(waiting_editor(tmp_path))})
    terminal.ready()
    if replies:
        terminal.type("go on")
        terminal.press("enter")
        terminal.wait_for("Thinking")
    terminal.type("my draft")
    terminal.wait_for("my draft")
    terminal.press("ctrl+g")
    terminal.wait_for(ENTERED)
    return terminal


def said_in_log(tmp_path: Path) -> str:
    logs = (path for path in (tmp_path / "state").rglob("*") if path.is_file() and "session" in str(path))
    return "\n".join(path.read_text(errors="replace") for path in logs)


def test_a_turn_goes_on_while_the_draft_is_in_the_editor(start: Start, tmp_path: Path) -> None:
    terminal = in_the_editor(start, tmp_path, {"text": "Meanwhile, an answer.", "delay_ms": 700})
    written = len(terminal.raw)
    terminal.wait(lambda: "Meanwhile, an answer." in said_in_log(tmp_path), "the answer in the log")
    terminal.drain(0.3)
    assert bytes(terminal.raw[written:]) == b"", "nothing is drawn over the editor"
    terminal.press("ctrl+c")
    terminal.drain(0.2)
    (tmp_path / "go").touch()
    terminal.wait_for("my draft with more words")
    terminal.wait_for("Meanwhile, an answer.")
    terminal.wait(lambda: "live" in terminal.lines[-1], "the status bar")
    assert ENTERED not in terminal.text
    terminal.type(", and still more")
    terminal.wait_for("more words, and still more")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP], ids=["term", "hup"])
def test_a_signal_while_the_editor_is_open_ends_both_and_keeps_the_draft(
    start: Start, tmp_path: Path, number: int
) -> None:
    terminal = in_the_editor(start, tmp_path)
    editor = int((tmp_path / "pid").read_text())
    terminal.signal(number)
    assert terminal.wait_end() == 128 + number
    terminal.assert_restored()
    with pytest.raises(ProcessLookupError):
        os.kill(editor, 0)
    again = start()
    again.wait_for("my draft")


def test_an_editor_that_does_not_start_is_said(start: Start, tmp_path: Path) -> None:
    terminal = start(environ={"EDITOR": "./nothing-here"})
    terminal.ready()
    terminal.type("my draft")
    terminal.press("ctrl+g")
    terminal.wait(lambda: "does not start: no such file" in " ".join(terminal.text.split()), "what went wrong")
    assert "my draft" in terminal.text
    terminal.type(" goes on")
    terminal.wait_for("my draft goes on")
