"""The open popup against the disk: what is drawn on the way counts, not only what is drawn at the end."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.pty.conftest import Start
from tests.pty.skill_files import write_skill
from tests.pty.terminal import Terminal

pytestmark = pytest.mark.pty


@pytest.fixture
def popup(start: Start, tmp_path: Path) -> Callable[..., Terminal]:
    """Starts the chat without a skill of the program's own, and types `/skill:`."""

    def begin(*arguments: str, **environ: str) -> Terminal:
        bundled = tmp_path / "none"
        bundled.mkdir(exist_ok=True)
        terminal = start("--trust", "yes", *arguments, environ={"SKILLDECK_BUNDLED_SKILL_DIR": str(bundled), **environ})
        terminal.ready()
        terminal.type("/skill:")
        terminal.wait(lambda: any(line.startswith("│ /skill: ") for line in terminal.lines), "the draft")
        return terminal

    return begin


def drawn(terminal: Terminal, holds: Callable[[], object], what: str, seconds: float = 10.0) -> list[list[str]]:
    """Every list that the popup drew until ``holds()``; an empty one stands for a popup that was closed."""
    seen = [terminal.popup]
    for _ in looks(terminal, holds, what, seconds):
        if terminal.popup != seen[-1]:
            seen.append(terminal.popup)
    return seen


def looks(terminal: Terminal, holds: Callable[[], object], what: str, seconds: float) -> Iterator[None]:
    """Yields after each piece of output, and once the terminal says nothing for a moment."""
    deadline = time.monotonic() + seconds
    while True:
        # A frame is one write: after a few quiet milliseconds it has come whole.
        before = len(terminal.raw)
        terminal.drain(0.004)
        if len(terminal.raw) != before:
            continue
        yield
        if holds():
            return
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {seconds} s for {what}; the screen is\n{terminal.text}")


def test_a_root_deleted_and_made_again_is_followed(popup: Callable[..., Terminal], project: Path) -> None:
    root = project / ".agents" / "skills"
    write_skill(root, "hem-towels", "Hem towels.")
    terminal = popup()
    terminal.wait_popup(["hem-towels"])
    for name in ("label-jars", "tie-knots"):
        shutil.rmtree(project / ".agents")
        terminal.wait_popup([])
        write_skill(root, name, "Comes with the new root.")
        terminal.wait_popup([name])
    assert any(line.startswith("│ /skill: ") for line in terminal.lines)


def test_a_file_written_in_pieces_never_hides_its_skill(popup: Callable[..., Terminal], project: Path) -> None:
    root = project / ".agents" / "skills"
    path = write_skill(root, "hem-towels", "Hem towels.")
    write_skill(root, "label-jars", "Label jars.")
    terminal = popup()
    terminal.wait_popup(["hem-towels", "label-jars"])
    number = terminal.number
    pieces = ("", "---\nname: hem-tow", "els\ndescription: Hem tow", "els at length.\n-", "--\n\nSlowly.\n")
    seen: list[list[str]] = []
    with path.open("w") as file:
        for piece in pieces:
            file.write(piece)
            file.flush()
            until = time.monotonic() + 0.12
            seen += drawn(terminal, lambda until=until: time.monotonic() > until, "the pause")
    seen += drawn(terminal, lambda: "Hem towels at length." in terminal.text, "the new description")
    assert all(each == ["hem-towels", "label-jars"] for each in seen), seen
    assert terminal.number == number + 1
    assert "problem" not in terminal.lines[-1]


def test_a_checkout_goes_from_one_set_to_the_other_and_draws_no_empty_list(
    popup: Callable[..., Terminal], project: Path
) -> None:
    root = project / ".agents" / "skills"
    sets = {"one": ["fold-napkins", "hem-towels", "label-jars"], "two": ["brew-tea", "plan-week", "tie-knots"]}

    def git(*words: str) -> None:
        identity = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
        subprocess.run(["git", *identity, *words], cwd=project, check=True, capture_output=True)

    git("init", "-q")
    # Git takes the old files away first; the filter makes it slow to write the new ones, as large-file filters do.
    git("config", "filter.slow.smudge", "sleep 0.1; cat")
    git("config", "filter.slow.clean", "cat")
    (project / ".git" / "info" / "attributes").write_text("SKILL.md filter=slow\n")
    for branch, names in sets.items():
        git("checkout", "-q", "--orphan", branch)
        shutil.rmtree(root, ignore_errors=True)
        for name in names:
            write_skill(root, name, f"Of branch {branch}.")
        git("add", "-A")
        git("commit", "-qm", branch)
    terminal = popup()
    terminal.wait_popup(sets["two"])
    for branch in ("one", "two", "one"):
        before = terminal.popup
        # Beside it, not before: what is drawn while git works is what counts.
        with subprocess.Popen(["git", "checkout", "-q", branch], cwd=project) as checkout:
            seen = drawn(
                terminal,
                lambda branch=branch, git=checkout: git.poll() == 0 and terminal.popup == sets[branch],
                f"the skills of {branch}",
            )
        assert seen[0] == before and seen[-1] == sets[branch]
        assert all(seen), f"an empty list was drawn on the way to {branch}: {seen}"
        assert not set().union(*seen) - {*sets["one"], *sets["two"]}


def test_a_broken_file_is_told_with_line_and_hint_and_clears_when_mended(
    popup: Callable[..., Terminal], project: Path
) -> None:
    root = project / ".agents" / "skills"
    write_skill(root, "hem-towels", "Hem towels.")
    terminal = popup()
    terminal.wait_popup(["hem-towels"])
    path = root / "label-jars" / "SKILL.md"
    path.parent.mkdir()
    path.write_text("---\nname: label-jars\ndescription: [a, list]\n---\n\nBody.\n")
    terminal.wait(lambda: "1 problem" in terminal.lines[-1], "the problem in the status bar")
    assert terminal.popup == ["hem-towels"]
    for _ in "skill:":
        terminal.press("backspace")
    terminal.type("problems ")
    terminal.press("enter")
    terminal.wait_for("label-jars/SKILL.md:3")
    terminal.wait(lambda: "description" in terminal.text, "what is wrong")
    checked = subprocess.run(
        [*terminal_command(), "check", "--json", str(root)], capture_output=True, text=True, env=terminal.environ
    )
    hint = next(problem["hint"] for problem in json.loads(checked.stdout)["problems"] if problem["line"] == 3)
    terminal.wait_for(" ".join(hint.split()[:3]))
    write_skill(root, "label-jars", "Label jars.")
    terminal.wait(lambda: "problem" not in terminal.lines[-1], "no problem in the status bar")
    terminal.wait(lambda: "SKILL.md:3" not in terminal.text, "the list without it")


def terminal_command() -> list[str]:
    from tests.pty.terminal import command

    return command()


def test_a_link_that_is_pointed_elsewhere_is_followed(popup: Callable[..., Terminal], project: Path) -> None:
    root = project / ".agents" / "skills"
    root.mkdir(parents=True)
    for place, text in (("old", "Tie knots the old way."), ("new", "Tie knots the new way.")):
        write_skill(project / place, "tie-knots", text)
    (root / "tie-knots").symlink_to(project / "old" / "tie-knots")
    terminal = popup()
    terminal.wait_for("Tie knots the old way.")
    (root / "next").symlink_to(project / "new" / "tie-knots")
    (root / "next").rename(root / "tie-knots")
    seen = drawn(terminal, lambda: "Tie knots the new way." in terminal.text, "the other target")
    assert seen == [["tie-knots"]], seen
    (root / "tie-knots").unlink()
    terminal.wait_popup([])
