"""What the log of a session gets from the screen: catalogs, loads, and a session taken up again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.pty.conftest import Start
from tests.pty.skill_files import write_skill
from tests.pty.terminal import Terminal

pytestmark = pytest.mark.pty


def events(terminal: Terminal) -> list[Mapping[str, Any]]:
    """The events of the only session there is."""
    (log,) = (terminal.state / "sessions").rglob("*.jsonl")
    return [json.loads(line) for line in log.read_text().splitlines()[1:]]


def of_source(terminal: Terminal, kind: str) -> list[Mapping[str, Any]]:
    found = [event["data"] for event in events(terminal) if event["type"] == "user/message"]
    return [data for data in found if data["source"]["kind"] == kind]


def names(catalog: Mapping[str, Any]) -> list[str]:
    return [entry["name"] for entry in catalog["source"]["entries"]]


def turn(terminal: Terminal, words: str) -> None:
    """Sends the words and waits until the turn is in the log with its end."""
    ended = sum(event["type"] == "turn/end" for event in events(terminal)) if terminal.number and _has(terminal) else 0
    terminal.type(words)
    terminal.press("enter")
    terminal.wait(
        lambda: _has(terminal) and sum(event["type"] == "turn/end" for event in events(terminal)) > ended,
        f"the end of the turn {words!r}",
    )


def _has(terminal: Terminal) -> bool:
    return any((terminal.state / "sessions").rglob("*.jsonl"))


def leave(terminal: Terminal) -> None:
    terminal.type("/quit ")
    terminal.press("enter")
    assert terminal.wait_end() == 0
    terminal.assert_restored()


def test_an_edit_of_the_body_publishes_nothing_and_the_next_load_reads_it(start: Start, project: Path) -> None:
    root = project / ".agents" / "skills"
    write_skill(root, "hem-towels", "Hem towels.", "Fold the edge twice.")
    terminal = start("--trust", "yes")
    terminal.ready()
    turn(terminal, "/skill:hem-towels for the kitchen")
    number = terminal.number
    write_skill(root, "hem-towels", "Hem towels.", "Fold the edge thrice.")
    turn(terminal, "/skill:hem-towels for the bath")
    terminal.wait_for("Fold the edge thrice.")
    assert len(of_source(terminal, "skill-catalog")) == 1
    loads = [json.dumps(each) for each in of_source(terminal, "skill-invocation")]
    assert len(loads) == 2
    assert "twice" in loads[0] and "thrice" in loads[1] and "twice" not in loads[1]
    assert terminal.number == number


def test_a_resumed_session_shows_itself_and_publishes_only_what_changed(start: Start, project: Path) -> None:
    root = project / ".agents" / "skills"
    write_skill(root, "hem-towels", "Hem towels.")
    first = start("--trust", "yes")
    first.ready()
    turn(first, "good morning")
    leave(first)

    second = start("--trust", "yes", "--continue")
    second.ready()
    second.wait_for("good morning")
    second.wait_for("Skill catalog · 2 skills")
    turn(second, "still here")
    assert len(of_source(second, "skill-catalog")) == 1
    leave(second)

    write_skill(root, "tie-knots", "Tie knots.")
    third = start("--trust", "yes", "--continue", rows=50)
    third.ready()
    third.wait_for("still here")
    assert len(of_source(third, "skill-catalog")) == 1
    turn(third, "and now")
    turn(third, "once more")
    catalogs = of_source(third, "skill-catalog")
    assert [("tie-knots" in names(each), each["source"].get("update", False)) for each in catalogs] == [
        (False, False),
        (True, True),
    ]
    third.wait(
        lambda: "Skill catalog · 2 skills" in third.text and "Catalog replaced · 3 skills · +1" in third.text,
        "both catalogs",
    )


def test_the_last_skill_leaving_is_a_catalog_of_its_own(start: Start, project: Path, tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    root = project / ".agents" / "skills"
    path = write_skill(root, "hem-towels", "Hem towels.")
    terminal = start("--trust", "yes", environ={"SKILLDECK_BUNDLED_SKILL_DIR": str(tmp_path / "none")})
    terminal.ready()
    turn(terminal, "good morning")
    path.unlink()
    terminal.wait(lambda: "0 skills" in terminal.lines[-1], "no skill")
    turn(terminal, "and now")
    terminal.wait_for("no skills; every earlier name is retired")
    assert [names(each) for each in of_source(terminal, "skill-catalog")] == [["hem-towels"], []]


def test_a_name_that_has_gone_is_said_and_the_draft_stays(start: Start, project: Path) -> None:
    root = project / ".agents" / "skills"
    path = write_skill(root, "hem-towels", "Hem towels.")
    terminal = start("--trust", "yes")
    terminal.ready()
    terminal.type("/skill:hem")
    terminal.wait_popup(["hem-towels"])
    terminal.press("tab")
    terminal.type("please")
    path.unlink()
    terminal.wait(lambda: "1 skill" in terminal.lines[-1], "the loss")
    terminal.press("enter")
    terminal.wait(lambda: any("hem-towels" in line and "│" not in line for line in terminal.lines), "what is said")
    assert any("/skill:hem-towels please" in line for line in terminal.lines)
    assert not _has(terminal) or not of_source(terminal, "user")
