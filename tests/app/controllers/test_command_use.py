"""Commands that are used often come first, over windows and starts."""

from __future__ import annotations

import stat
from pathlib import Path

from app.controllers.command_use import CommandUse
from app.controllers.commands import Command
from app.controllers.completion import Completion


def test_counts_are_kept_privately_and_read_again(tmp_path: Path) -> None:
    use = CommandUse(tmp_path / "state")
    assert use.load() == {}
    use.used("trust")
    use.used("trust")
    use.save()
    assert CommandUse(tmp_path / "state").load() == {"trust": 2}
    assert stat.S_IMODE((tmp_path / "state" / "command-use.json").stat().st_mode) == 0o600


def test_a_damaged_file_counts_nothing(tmp_path: Path) -> None:
    for text in ("", "[1]", '{"trust": "x", "help": -1, "quit": true}', "[" * 100_000):
        (tmp_path / "command-use.json").write_text(text)
        assert CommandUse(tmp_path).load() == {}


def test_commands_in_use_are_listed_first_and_the_selection_stays() -> None:
    state = Completion((Command("help", "Help"), Command("trust", "Trust"), Command("quit", "Leave")))
    state.follow("/", 1)
    state.move(1)
    state.set_command_use({"quit": 3, "trust": 1})
    assert [choice.name for choice in state.items] == ["skill:", "quit", "trust", "help"]
    assert state.selected is not None
    assert state.selected.name == "help"
