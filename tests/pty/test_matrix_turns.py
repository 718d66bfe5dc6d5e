"""Turns of a scripted model that are resized, asked about, stopped and ended from outside."""

from __future__ import annotations

import json
import os
import re
import signal
import termios
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.pty.conftest import Start
from tests.pty.skill_files import write_skill
from tests.pty.terminal import Terminal

pytestmark = pytest.mark.pty

Play = Callable[..., Terminal]


@pytest.fixture
def play(start: Start, tmp_path: Path) -> Play:
    """Starts the chat with a model that plays these replies."""

    def begin(*replies: Mapping[str, Any], **options: Any) -> Terminal:
        script = tmp_path / "script.jsonl"
        script.write_text("".join(json.dumps(reply) + "\n" for reply in replies))
        terminal = start("--trust", "yes", "--model", f"script:{script}", **options)
        terminal.ready()
        return terminal

    return begin


def send(terminal: Terminal, words: str) -> None:
    terminal.type(words)
    terminal.press("enter")


def shell(command: str) -> Mapping[str, Any]:
    return {"tool_calls": [{"name": "shell", "arguments": {"command": command}}]}


def children_file(project: Path) -> tuple[str, Path]:
    """A command that starts a child of its own and sleeps, and the file in which it names both."""
    pids = project / "pids"
    return f"sleep 300 & echo $! $$ > {pids}.new && mv {pids}.new {pids}; sleep 300", pids


def running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def started(terminal: Terminal, pids: Path) -> list[int]:
    terminal.wait(pids.exists, "the command and its child")
    found = [int(pid) for pid in pids.read_text().split()]
    assert all(running(pid) for pid in found)
    return found


def all_end(terminal: Terminal, pids: list[int]) -> None:
    deadline = time.monotonic() + 10
    while any(running(pid) for pid in pids):
        if terminal.child.isalive():
            terminal.drain()
        else:
            time.sleep(0.02)
        assert time.monotonic() < deadline, f"waited 10 s for the end of {[pid for pid in pids if running(pid)]}"


def cooked_again(terminal: Terminal) -> None:
    """The terminal itself gives lines, echoes them, and turns keys into signals once the program has ended."""
    terminal.wait(lambda: not terminal.child.isalive(), "the end")
    flags = termios.tcgetattr(terminal.child.child_fd)[3]
    for name in ("ICANON", "ECHO", "ISIG"):
        assert flags & getattr(termios, name), f"{name} is still off"


def test_the_window_grows_and_shrinks_while_answers_come(play: Play, project: Path) -> None:
    write_skill(project / ".agents" / "skills", "hem-towels", "Hem towels.")
    load = [{"name": "skill", "arguments": {"name": "hem-towels"}}]
    steps = [{"text": f"Part {number} of the answer.", "tool_calls": load, "delay_ms": 120} for number in range(9)]
    gate = {"text": "Part 9 asks.", **shell("true")}
    terminal = play(*steps, gate, {"text": "word " * 400 + "and the very end."}, columns=80, rows=24)

    def reached(part: int) -> bool:
        return any(int(found) >= part for found in re.findall(r"Part (\d) ", terminal.text))

    send(terminal, "go on")
    for part, (columns, rows) in ((1, (300, 100)), (4, (80, 24)), (6, (60, 20)), (8, (80, 24))):
        terminal.wait(lambda part=part: reached(part), f"part {part} of the answer")
        terminal.resize(columns, rows)
    # The end cannot come before this answer: every change of size was in the middle.
    terminal.wait_for("F2")
    terminal.resize(300, 100)
    terminal.press("f2")
    terminal.wait_for("the very end.")
    assert all(f"Part {part} " in terminal.text for part in range(10))
    terminal.resize(80, 24)
    terminal.wait_for("the very end.")
    terminal.wait(lambda: terminal.number >= 1 and "live" in terminal.lines[-1], "the status bar in the last row")
    assert any(line.startswith("╰") and line.endswith("╯") and len(line) == 80 for line in terminal.lines)
    terminal.type("kept words")
    terminal.wait_for("kept words")


def test_a_tool_question_is_answered_by_a_key_and_the_draft_keeps_its_own(play: Play, project: Path) -> None:
    terminal = play(shell("echo made > one.txt"), shell("echo made > two.txt"), {"text": "All is done."})
    send(terminal, "make them")
    terminal.wait_for("F2")
    terminal.wait_for("echo made > one.txt")
    terminal.type("y")
    terminal.wait(lambda: any(line.startswith("│ y ") for line in terminal.lines), "the letter in the draft")
    assert not (project / "one.txt").exists()
    terminal.press("f2")
    terminal.wait(lambda: (project / "one.txt").exists(), "what was allowed")
    terminal.wait_for("echo made > two.txt")
    terminal.wait_for("F4")
    terminal.press("f4")
    terminal.wait_for("All is done.")
    assert not (project / "two.txt").exists()
    assert any(line.startswith("│ y ") for line in terminal.lines)


def test_esc_stops_a_running_command_and_all_that_it_started(play: Play, project: Path) -> None:
    command, pids = children_file(project)
    terminal = play(shell(command), {"text": "Never said."})
    send(terminal, "run it")
    terminal.wait_for("F2")
    terminal.press("f2")
    found = started(terminal, pids)
    terminal.press("escape")
    all_end(terminal, found)
    terminal.wait_for("Stopped")
    assert "Never said." not in terminal.text
    send(terminal, "goes on")
    terminal.wait_for("Never said.")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP], ids=["term", "hup"])
def test_a_signal_in_the_middle_of_a_turn_leaves_nothing_behind(play: Play, project: Path, number: int) -> None:
    command, pids = children_file(project)
    terminal = play({"text": "First this.", **shell(command)}, {"text": "Never said."})
    send(terminal, "run it")
    terminal.wait_for("F2")
    terminal.press("f2")
    found = started(terminal, pids)
    terminal.signal(number)
    cooked_again(terminal)
    assert terminal.wait_end() == 128 + number
    terminal.assert_restored()
    all_end(terminal, found)
    assert b"Traceback" not in terminal.raw


def test_a_turn_that_a_signal_ended_is_whole_when_it_is_resumed(play: Play, start: Start, project: Path) -> None:
    terminal = play({"text": "Words that came.", **shell("sleep 300")}, {"text": "Back again."})
    send(terminal, "run it")
    terminal.wait_for("Words that came.")
    terminal.wait_for("F2")
    terminal.signal(signal.SIGTERM)
    assert terminal.wait_end() == 128 + signal.SIGTERM
    again = start("--trust", "yes", "--continue", "--model", "offline")
    again.ready()
    again.wait_for("run it")
    again.wait_for("Words that came.")
    send(again, "thanks")
    again.wait_for("› thanks")
    again.wait(lambda: "Answering" not in again.text and "Thinking" not in again.text, "the end of the turn")
    assert "not answered" not in again.text


def test_ctrl_c_stops_the_turn_and_twice_more_leaves(play: Play, project: Path) -> None:
    terminal = play({"text": "Late.", "delay_ms": 60_000})
    send(terminal, "think long")
    terminal.wait_for("Thinking")
    terminal.press("ctrl+c")
    terminal.wait(lambda: "Thinking" not in terminal.text, "the end of the turn")
    terminal.wait_for("Stopped")
    terminal.press("ctrl+c")
    terminal.press("ctrl+c")
    assert terminal.wait_end() == 0
    terminal.assert_restored()


def test_it_is_stopped_and_continued_in_the_middle_of_a_turn(play: Play) -> None:
    terminal = play({"text": "Here I am.", "delay_ms": 700})
    send(terminal, "wait a moment")
    terminal.wait_for("Thinking")
    terminal.raw.clear()
    terminal.signal(signal.SIGTSTP)
    terminal.wait(lambda: b"\x1b[?1049l" in terminal.raw, "the normal screen")
    terminal.wait(lambda: _stopped(terminal.child.pid), "the stop")
    terminal.signal(signal.SIGCONT)
    terminal.wait_for("Here I am.")
    terminal.type("kept words")
    terminal.wait_for("kept words")


def _stopped(pid: int) -> bool:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T" and os.getpid() != pid
