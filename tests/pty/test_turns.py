"""Whole turns with the embedded model, and leaving."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path

import pytest

from tests.pty.conftest import Start
from tests.pty.skill_files import write_skill

pytestmark = pytest.mark.pty


def test_a_skill_is_completed_and_run(start: Start, project: Path) -> None:
    write_skill(project / ".agents" / "skills", "hem-towels", "Hem towels.", "1. Fold the edge twice.")
    terminal = start("--trust", "yes")
    terminal.ready()
    terminal.type("/skill:hem")
    terminal.wait_popup(["hem-towels"])
    terminal.press("tab")
    terminal.wait_for("/skill:hem-towels")
    terminal.type("for the kitchen")
    terminal.press("enter")
    terminal.wait_for("Skill loaded · hem-towels")
    terminal.wait_for("Fold the edge twice.")


def test_plain_words_are_routed_to_a_skill(start: Start, project: Path) -> None:
    write_skill(project / ".agents" / "skills", "hem-towels", "Hem towels with mitred corners.", "1. Fold twice.")
    terminal = start("--trust", "yes")
    terminal.ready()
    terminal.type("please hem my towels")
    terminal.press("enter")
    terminal.wait_for("Skill catalog · 2 skills")
    terminal.wait_for("Load skill hem-towels")
    terminal.wait_for("Fold twice.")
    write_skill(project / ".agents" / "skills", "tie-knots", "Tie knots.")
    terminal.wait(lambda: terminal.number == 2, "the second view")
    terminal.type("now tie a knot")
    terminal.press("enter")
    terminal.wait_for("Catalog replaced · 3 skills · +1")


def test_an_unknown_skill_keeps_the_draft_and_says_so(start: Start, project: Path) -> None:
    write_skill(project / ".agents" / "skills", "hem-towels", "Hem towels.")
    terminal = start("--trust", "yes")
    terminal.ready()
    terminal.type("/skill:hem-towel please")
    terminal.press("enter")
    terminal.wait_for("Did you mean /skill:hem-towels?")
    assert any("/skill:hem-towel please" in line for line in terminal.lines)


def test_an_untrusted_project_is_asked_about_and_the_draft_keeps_its_keys(start: Start, project: Path) -> None:
    terminal = start()
    terminal.ready()
    terminal.type("my draft")
    write_skill(project / ".agents" / "skills", "hem-towels", "Hem towels.")
    terminal.wait_for("Trust this project?")
    terminal.type(" goes on")
    terminal.wait_for("my draft goes on")
    terminal.press("f2")
    terminal.wait(lambda: "Trust this project?" not in terminal.text, "the question to go")
    assert "my draft goes on" in terminal.text


def test_quit_ends_with_0_and_a_clean_terminal(start: Start) -> None:
    terminal = start()
    terminal.ready()
    terminal.type("/quit")
    terminal.press("enter")
    assert terminal.wait_end() == 0
    terminal.assert_restored()


def test_ctrl_c_clears_then_says_then_leaves(start: Start) -> None:
    terminal = start()
    terminal.ready()
    terminal.type("precious words")
    terminal.wait_for("precious words")
    terminal.press("ctrl+c")
    terminal.wait_for("Ctrl+Z brings it back")
    terminal.wait(lambda: "precious words" not in terminal.text, "the draft to go")
    terminal.press("ctrl+z")
    terminal.wait_for("precious words")
    terminal.press("ctrl+c", "ctrl+c")
    assert terminal.wait_end() == 0
    terminal.assert_restored()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT], ids=["term", "hup", "quit"])
def test_a_signal_leaves_the_terminal_clean_and_the_draft_kept(start: Start, number: int) -> None:
    terminal = start()
    terminal.ready()
    terminal.type("half a thought")
    terminal.wait_for("half a thought")
    terminal.signal(number)
    assert terminal.wait_end() == 128 + number
    terminal.assert_restored()
    again = start()
    again.wait_for("half a thought")


def test_a_session_is_resumed(start: Start, project: Path) -> None:
    write_skill(project / ".agents" / "skills", "hem-towels", "Hem towels.")
    terminal = start("--trust", "yes")
    terminal.ready()
    terminal.type("hem the towels")
    terminal.press("enter")
    terminal.wait_for("Skill catalog · 2 skills")
    terminal.wait_for("hem-towels is loaded")
    terminal.type("/quit")
    terminal.press("enter")
    assert terminal.wait_end() == 0
    again = start("--trust", "yes", "--continue")
    again.ready()
    again.wait_for("hem the towels")
    again.wait_for("hem-towels is loaded")


def test_pasted_lines_are_not_sent(start: Start) -> None:
    terminal = start()
    terminal.ready()
    terminal.child.send("\x1b[200~one\r\ntwo\r\n/skill:three\x1b[201~")
    terminal.wait_for("/skill:three")
    terminal.child.send("a\rb\rc")
    terminal.wait(lambda: any(line.startswith("│ c") for line in terminal.lines), "the third pasted line")
    assert not any("›" in line for line in terminal.lines[:-8])


def test_the_window_may_change_its_size(start: Start) -> None:
    terminal = start()
    terminal.ready()
    terminal.type("kept words")
    terminal.resize(30, 8)
    terminal.wait_for("Make the window larger")
    terminal.resize(120, 40)
    terminal.wait_for("kept words")
    terminal.resize(40, 12)
    terminal.wait_for("kept words")


def test_stopped_and_continued_it_is_all_there_again(start: Start) -> None:
    terminal = start()
    terminal.ready()
    terminal.type("kept words")
    terminal.wait_for("kept words")
    terminal.raw.clear()
    terminal.signal(signal.SIGTSTP)
    terminal.wait(lambda: b"\x1b[?1049l" in terminal.raw, "the normal screen")
    terminal.raw.clear()
    terminal.signal(signal.SIGCONT)
    terminal.wait(lambda: b"\x1b[?1049h" in terminal.raw, "the screen again")
    terminal.wait_for("kept words")
    terminal.type(" go on")
    terminal.wait_for("kept words go on")


def test_a_lost_terminal_ends_the_program(start: Start) -> None:
    terminal = start()
    terminal.ready()
    terminal.type("half a thought")
    terminal.wait_for("half a thought")
    process = terminal.child.pid
    terminal.child.ptyproc.fileobj.close()
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        ended, status = os.waitpid(process, os.WNOHANG)
        if ended:
            break
        time.sleep(0.02)
    else:
        raise AssertionError("waited 10 s for the end after the terminal had gone")
    assert os.waitstatus_to_exitcode(status) in (1, 129)
    again = start()
    again.wait_for("half a thought")


def test_a_model_that_cannot_be_opened_is_said_and_the_chat_goes_on(start: Start) -> None:
    terminal = start("--model", "script:nowhere.jsonl")
    terminal.ready()
    terminal.wait_for("script:nowhere.jsonl:")
    terminal.type("hello there")
    terminal.press("enter")
    terminal.wait_for("› hello there")


def test_the_window_changes_while_an_answer_streams(start: Start, project: Path) -> None:
    script = project / "long.jsonl"
    words = " ".join(f"word{number}" for number in range(300))
    script.write_text(json.dumps({"text": words, "delay_ms": 5}) + "\n")
    terminal = start("--model", f"script:{script}")
    terminal.ready()
    terminal.type("go on")
    terminal.press("enter")
    terminal.wait_for("word5 ")
    for columns, rows in ((80, 24), (300, 100), (40, 12), (20, 6), (120, 40)):
        terminal.resize(columns, rows)
        terminal.drain(0.1)
    terminal.wait_for("word299", 30)
    assert "make the window larger" not in terminal.text.lower()


def test_wide_characters_keep_their_columns_and_the_caret(start: Start) -> None:
    terminal = start(columns=60, rows=20)
    terminal.ready()
    terminal.type("整理 the 書架 now")
    terminal.wait_for("整")
    row = next(index for index, line in enumerate(terminal.lines) if "now" in line)
    terminal.wait(lambda: terminal.cursor == (row, 2 + len("整理 the 書架 now") + 4), "the caret behind the text")
    terminal.press("left", "left", "left", "left", "backspace")
    terminal.wait(lambda: terminal.cursor == (row, 2 + len("整理 the 書 now") + 3 - 4), "the caret before the space")


def test_hostile_text_reaches_the_terminal_as_marks(start: Start, project: Path) -> None:
    nasty = r'"a\e]52;c;x\a [/tmp/x] [red]b[/red] [@click=app.quit]c[/]"'
    folder = project / ".agents" / "skills" / "nasty"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(f"---\nname: nasty\ndescription: {nasty}\n---\n\nBody \x1b]0;owned\x07 here.\n")
    terminal = start("--trust", "yes")
    terminal.ready()
    terminal.type("/skill:nas")
    terminal.wait_for("[/tmp/x] [red]b[/red] [@click=app.quit]c[/]")
    terminal.press("tab")
    terminal.press("enter")
    terminal.wait_for("Skill loaded · nasty")
    terminal.wait(lambda: "Answering" not in terminal.text and "Thinking" not in terminal.text, "the end of the turn")
    assert b"\x1b]52" not in terminal.raw
    assert b"\x1b]0;owned" not in terminal.raw


def test_a_killed_program_gives_the_draft_back(start: Start, tmp_path: Path) -> None:
    terminal = start()
    terminal.ready()
    terminal.type("half a thought")
    drafts = tmp_path / "state" / "drafts"
    terminal.wait(
        lambda: any("half a thought" in file.read_text() for file in drafts.glob("*.txt")), "the draft on the disk"
    )
    terminal.signal(signal.SIGKILL)
    terminal.wait_end()
    again = start()
    again.wait_for("half a thought")


def test_instructions_are_part_of_the_question_and_reach_the_model_once_trusted(
    start: Start, project: Path, tmp_path: Path
) -> None:
    (project / "AGENTS.md").write_text("Sew with green thread.\n")
    terminal = start()
    terminal.ready()
    terminal.wait_for("Trust this project?")
    terminal.wait_for("AGENTS.md  23 bytes")
    terminal.type("hem a towel")
    terminal.press("enter")
    terminal.wait_for("None of the skills fits")
    logs = tmp_path / "state"
    assert "green thread" not in logged(logs)
    terminal.press("f2")
    terminal.wait(lambda: "Trust this project?" not in terminal.text, "the question to go")
    terminal.type("hem a sheet")
    terminal.press("enter")
    terminal.wait(lambda: "green thread" in logged(logs), "the instructions in the log")


def logged(state: Path) -> str:
    """All that the sessions under ``state`` hold."""
    return "\n".join(path.read_text(errors="replace") for path in state.rglob("*.jsonl"))


def test_a_terminal_that_cannot_move_its_cursor_is_refused_in_a_line(start: Start) -> None:
    terminal = start(environ={"TERM": "dumb"})
    assert terminal.wait_end() == 2
    assert "the chat needs a terminal that can move its cursor" in " ".join(terminal.text.split())


def test_an_answer_in_one_window_takes_the_question_from_the_other(start: Start, project: Path) -> None:
    write_skill(project / ".agents" / "skills", "hem-towels", "Hem towels.")
    first, second = start(), start()
    for terminal in (first, second):
        terminal.ready()
        terminal.wait_for("Trust this project?")
    first.press("f2")
    first.wait(lambda: "Trust this project?" not in first.text, "the question to go")
    second.wait(lambda: "Trust this project?" not in second.text, "the question to go in the other window")
