"""Runs skilldeck in a pseudo-terminal, has a short conversation, and draws what the terminal shows as SVG."""

from __future__ import annotations

import io
import itertools
import sys
import tempfile
from pathlib import Path

import pyte
from rich.console import Console
from rich.style import Style
from rich.terminal_theme import TerminalTheme
from rich.text import Text

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.pty.terminal import Terminal

COLUMNS, ROWS = 100, 30
SKILLS = {
    "release-notes": "Writes release notes from the commits since the last tag. Use when a version is about to go out.",
    "review-change": "Reviews a change for bugs, missing tests and unclear names. Use before a merge.",
    "rename-field": "Renames a database field everywhere it is used. Use when a column gets a better name.",
}
LATER = ("rebase-stack", "Rebases a stack of branches and mends what conflicts. Use when main has moved on.")
THEME = TerminalTheme((16, 20, 28), (214, 220, 230), [(0, 0, 0)] * 8, [(128, 128, 128)] * 8)


def write_skill(root: Path, name: str, description: str) -> None:
    folder = root / name
    folder.mkdir(parents=True)
    body = "1. Read the commits since the last tag.\n2. Group them by what a user notices.\n3. Write one line each."
    (folder / "SKILL.md").write_text(f"---\nname: {name}\ndescription: {description}\n---\n\n{body}\n")


def converse(terminal: Terminal, root: Path) -> None:
    """A turn that loads a skill, a skill added meanwhile, and the popup that shows it."""
    terminal.ready()
    terminal.type("write the release notes for the new version")
    terminal.press("enter")
    terminal.wait_for("Group them")
    terminal.wait(lambda: "Working" not in terminal.lines[-1], "the end of the turn")
    number = terminal.number
    write_skill(root, *LATER)
    terminal.wait(lambda: terminal.number > number, "the new skill")
    terminal.type("/skill:re")
    terminal.wait(lambda: LATER[0] in terminal.popup, "the popup")


def drawing(terminal: Terminal) -> Console:
    console = Console(width=COLUMNS, record=True, file=io.StringIO(), color_system="truecolor", force_terminal=True)
    for row in range(ROWS):
        line = Text()
        cells = (terminal.cell(row, column) for column in range(COLUMNS))
        for style, run in itertools.groupby(cells, key=style_of):
            line.append("".join(cell.data for cell in run), style)
        console.print(line, no_wrap=True, overflow="crop")
    return console


def style_of(cell: pyte.screens.Char) -> Style:
    return Style(color=colour(cell.fg), bgcolor=colour(cell.bg), bold=cell.bold, reverse=cell.reverse)


def colour(name: str) -> str | None:
    """A colour as Rich names it, from pyte's name."""
    if name == "default":
        return None
    return f"#{name}" if len(name) == 6 and all(digit in "0123456789abcdef" for digit in name) else name


def main(target: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder)
        project = base / "home" / "shop"
        root = project / ".agents" / "skills"
        (project / ".git").mkdir(parents=True)
        for name, description in SKILLS.items():
            write_skill(root, name, description)
        with Terminal(base, project, "--trust", "yes", columns=COLUMNS, rows=ROWS) as terminal:
            converse(terminal, root)
            svg = drawing(terminal).export_svg(title="skilldeck", theme=THEME)
    target.write_text(svg, encoding="utf-8")
    print(target)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
