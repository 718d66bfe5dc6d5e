"""The person's editor from the side pane, and back."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.pty.conftest import Start
from tests.pty.skill_files import write_skill

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
