"""The open screen on a machine that refuses things: no watches, no events, no permission."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import tests.pty.terminal as harness
from tests.pty.conftest import Start
from tests.pty.skill_files import write_skill
from tests.pty.terminal import Terminal

pytestmark = [pytest.mark.pty, pytest.mark.skipif(sys.platform != "linux", reason="limits and capabilities of Linux")]

# Root reads whatever it likes; without these two capabilities (CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH) it does not.
UNPRIVILEGED = """
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
for capability in (1, 2):
    if libc.prctl(24, capability, 0, 0, 0):
        sys.exit("the capability cannot be given up")
os.execv(sys.argv[1], sys.argv[1:])
"""


def with_limits(monkeypatch: pytest.MonkeyPatch, prelude: str) -> None:
    """Has the program started in a user namespace of its own, after ``prelude``."""
    if subprocess.run(["unshare", "-Ur", "sh", "-c", prelude], capture_output=True, check=False).returncode:
        pytest.skip("this machine gives no user namespace with limits of its own")
    command = ["/usr/bin/env", "unshare", "-Ur", "sh", "-c", f'{prelude}; exec "$@"', "sh", *harness.command()]
    monkeypatch.setattr(harness, "command", lambda: command)


def as_an_ordinary_user(monkeypatch: pytest.MonkeyPatch) -> None:
    if os.geteuid() != 0:
        return
    wrapper = [sys.executable, "-c", UNPRIVILEGED]
    done = subprocess.run([*wrapper, "/bin/true"], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"run as root, and {done.stderr.strip()}")
    command = [*wrapper, *harness.command()]
    monkeypatch.setattr(harness, "command", lambda: command)


def open_popup(start: Start, tmp_path: Path, state: str, **environ: str) -> Terminal:
    bundled = tmp_path / "none"
    bundled.mkdir()
    terminal = start("--trust", "yes", environ={"SKILLDECK_BUNDLED_SKILL_DIR": str(bundled), **environ})
    terminal.wait(lambda: terminal.number >= 1 and f" {state}" in terminal.lines[-1], f"{state!r} in the status bar")
    terminal.type("/skill:")
    return terminal


def follows(terminal: Terminal, root: Path) -> None:
    """A change, a new skill and a loss reach the open popup."""
    terminal.wait_popup(["hem-towels"])
    write_skill(root, "label-jars", "Label jars.")
    terminal.wait_popup(["hem-towels", "label-jars"])
    write_skill(root, "label-jars", "Label jars and tins.")
    terminal.wait_for("Label jars and tins.")
    (root / "hem-towels" / "SKILL.md").unlink()
    terminal.wait_popup(["label-jars"])


@pytest.mark.parametrize("limit", ["max_inotify_instances", "max_inotify_watches"])
def test_a_machine_without_watches_left_is_polled_and_says_so(
    start: Start, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    with_limits(monkeypatch, f"echo 0 > /proc/sys/user/{limit}")
    root = project / ".agents" / "skills"
    write_skill(root, "hem-towels", "Hem towels.")
    follows(open_popup(start, tmp_path, "polling"), root)


def test_a_file_system_without_events_is_polled_by_setting(start: Start, project: Path, tmp_path: Path) -> None:
    root = project / ".agents" / "skills"
    write_skill(root, "hem-towels", "Hem towels.")
    follows(open_popup(start, tmp_path, "polling", SKILLDECK_WATCH_USE_POLLING="true"), root)


@pytest.mark.parametrize("what", ["root", "folder", "file"])
def test_permission_lost_and_given_back_while_the_popup_is_open(
    start: Start, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    as_an_ordinary_user(monkeypatch)
    root = project / ".agents" / "skills"
    path = write_skill(root, "hem-towels", "Hem towels.")
    write_skill(root, "label-jars", "Label jars.")
    terminal = open_popup(start, tmp_path, "live")
    terminal.wait_popup(["hem-towels", "label-jars"])
    target = {"root": root, "folder": path.parent, "file": path}[what]
    mode = target.stat().st_mode & 0o777
    target.chmod(0)
    try:
        terminal.wait(lambda: " stale: " in terminal.lines[-1], "what cannot be read")
        # What could be read before is still there to be chosen, and keys are heard.
        assert terminal.popup == ["hem-towels", "label-jars"]
        terminal.type("lab")
        terminal.wait_popup(["label-jars"])
    finally:
        target.chmod(mode)
    terminal.wait(lambda: " live" in terminal.lines[-1], "the end of it")
    write_skill(root, "label-cans", "Label cans.")
    terminal.wait_popup(["label-cans", "label-jars"])
