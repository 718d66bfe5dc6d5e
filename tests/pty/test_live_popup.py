"""Skills that come, change and go on the disk, in a popup that is open all the time."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.pty.conftest import Start
from tests.pty.skill_files import write_skill

pytestmark = pytest.mark.pty
ONLY_OURS = ("--trust", "yes")


def _open(start: Start, bundled: Path, *arguments: str):
    """The chat without any skill of the program's own, `/skill:` typed."""
    bundled.mkdir()
    terminal = start(*ONLY_OURS, *arguments, environ={"SKILLDECK_BUNDLED_SKILL_DIR": str(bundled)})
    terminal.ready()
    terminal.type("/skill:")
    terminal.wait(lambda: any(line.startswith("│ /skill: ") for line in terminal.lines), "the draft")
    return terminal


def test_a_root_and_a_skill_made_after_the_start_open_the_popup(start: Start, project: Path, tmp_path: Path) -> None:
    terminal = _open(start, tmp_path / "none")
    terminal.wait_popup([])
    write_skill(project / ".agents" / "skills", "hem-towels", "Hem towels with mitred corners.")
    terminal.wait_popup(["hem-towels"])
    assert "/skill:" in terminal.text


def test_an_open_popup_follows_every_change(start: Start, project: Path, tmp_path: Path) -> None:
    root = project / ".agents" / "skills"
    write_skill(root, "hem-towels", "Hem towels with mitred corners.")
    terminal = _open(start, tmp_path / "none")
    terminal.wait_popup(["hem-towels"])

    write_skill(root, "label-jars", "Label jars.")
    terminal.wait_popup(["hem-towels", "label-jars"])

    (root / "hem-towels").rename(root / "fold-napkins")
    write_skill(root, "fold-napkins", "Fold napkins.")
    terminal.wait_popup(["fold-napkins", "label-jars"])

    write_skill(root, "label-jars", "Label jars and tins.")
    terminal.wait_for("Label jars and tins.")

    shutil.rmtree(root / "label-jars")
    terminal.wait_popup(["fold-napkins"])

    shutil.rmtree(root / "fold-napkins")
    terminal.wait_popup([])
    terminal.wait_for("0 skills")

    write_skill(root, "tie-knots", "Tie knots.")
    terminal.wait_popup(["tie-knots"])
    assert any(line.startswith("│ /skill:") for line in terminal.lines)


def test_a_body_edit_changes_nothing(start: Start, project: Path, tmp_path: Path) -> None:
    root = project / ".agents" / "skills"
    write_skill(root, "hem-towels", "Hem towels.")
    terminal = _open(start, tmp_path / "none")
    terminal.wait_popup(["hem-towels"])
    before = terminal.number
    write_skill(root, "hem-towels", "Hem towels.", "Another body.")
    write_skill(root, "label-jars", "Label jars.")
    terminal.wait_popup(["hem-towels", "label-jars"])
    assert terminal.number == before + 1


def test_a_half_written_file_hides_nothing(start: Start, project: Path, tmp_path: Path) -> None:
    root = project / ".agents" / "skills"
    path = write_skill(root, "hem-towels", "Hem towels.")
    terminal = _open(start, tmp_path / "none")
    terminal.wait_popup(["hem-towels"])
    whole = path.read_text()
    path.write_text("---\nname: hem-towels\n")
    seen: list[list[str]] = []
    for _ in range(8):
        terminal.drain(0.01)
        seen.append(terminal.popup)
    path.write_text(whole.replace("Hem towels.", "Hem towels twice."))
    terminal.wait_for("Hem towels twice.")
    assert seen == [["hem-towels"]] * 8


def test_a_checkout_between_branches(start: Start, project: Path, tmp_path: Path) -> None:
    root = project / ".agents" / "skills"

    def git(*words: str) -> None:
        identity = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "init.defaultBranch=one")
        subprocess.run(["git", *identity, *words], cwd=project, check=True, capture_output=True)

    git("init", "-q")
    write_skill(root, "hem-towels", "Hem towels.")
    write_skill(root, "label-jars", "Label jars.")
    git("add", "-A")
    git("commit", "-qm", "one")
    git("checkout", "-qb", "two")
    shutil.rmtree(root / "hem-towels")
    write_skill(root, "tie-knots", "Tie knots.")
    git("add", "-A")
    git("commit", "-qm", "two")
    git("checkout", "-q", "one")
    terminal = _open(start, tmp_path / "none")
    terminal.wait_popup(["hem-towels", "label-jars"])
    git("checkout", "-q", "two")
    terminal.wait_popup(["label-jars", "tie-knots"])
    git("checkout", "-q", "one")
    terminal.wait_popup(["hem-towels", "label-jars"])


def test_a_linked_skill_follows_its_target(start: Start, project: Path, tmp_path: Path) -> None:
    root = project / ".agents" / "skills"
    root.mkdir(parents=True)
    write_skill(tmp_path / "dotfiles", "tie-knots", "Tie knots.")
    terminal = _open(start, tmp_path / "none")
    (root / "tie-knots").symlink_to(tmp_path / "dotfiles" / "tie-knots")
    terminal.wait_popup(["tie-knots"])
    write_skill(tmp_path / "dotfiles", "tie-knots", "Tie reef knots.")
    terminal.wait_for("Tie reef knots.")


def test_a_broken_file_is_a_problem_until_it_is_mended(start: Start, project: Path, tmp_path: Path) -> None:
    root = project / ".agents" / "skills"
    terminal = _open(start, tmp_path / "none")
    (root / "plain-notes").mkdir(parents=True)
    path = root / "plain-notes" / "SKILL.md"
    path.write_text("# Notes\n\nNo frontmatter here.\n")
    terminal.wait_for("1 problem")
    terminal.press("f6")
    terminal.wait_for("plain-notes/SKILL.md")
    write_skill(root, "plain-notes", "Keeps notes.")
    terminal.wait(lambda: "problem" not in terminal.lines[-1], "no problem in the status bar")
    terminal.press("f6")
    terminal.wait_popup(["plain-notes"])
