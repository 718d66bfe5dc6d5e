"""A terminal window that is closed ends the program, whatever it was doing."""

from __future__ import annotations

import os
import time

import pytest

from tests.pty.conftest import Start
from tests.pty.terminal import Terminal

pytestmark = pytest.mark.pty
DEADLINE = 10.0


def close_window(terminal: Terminal) -> int:
    """Takes the terminal away and waits for the exit status; the program must not outlive its window."""
    terminal.child.ptyproc.fileobj.close()
    deadline = time.monotonic() + DEADLINE
    while time.monotonic() < deadline:
        ended, status = os.waitpid(terminal.child.pid, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    raise AssertionError(f"the program still runs {DEADLINE} s after its terminal was closed")


def test_closing_an_idle_chat_ends_it(start: Start) -> None:
    terminal = start("--trust", "yes")
    terminal.ready()
    terminal.type("a draft that must not be lost")
    terminal.wait_for("must not be lost")
    assert close_window(terminal) == 129
    again = start("--trust", "yes")
    again.wait_for("must not be lost")


def test_closing_during_a_stream_ends_it_and_the_session_goes_on(start: Start, project) -> None:
    script = project / "script.jsonl"
    script.write_text('{"text": "%s", "delay_ms": 20}\n' % ("word " * 2000))
    terminal = start("--trust", "yes", "--model", f"script:{script}")
    terminal.ready()
    terminal.type("go")
    terminal.press("enter")
    terminal.wait_for("word word")
    assert close_window(terminal) == 129
    again = start("--trust", "yes", "--continue")
    again.wait_for("word word")
