"""What is told of a turn and of a stored session: the last words, the damaged lines."""

from __future__ import annotations

from tests.app.commands.conftest import Place
from tests.app.commands.test_run import call, script


def test_the_answer_is_what_was_said_last(place: Place) -> None:
    (place.project / "a.txt").write_text("x")
    model = script(place, {"text": "Let me look.", **call("read", path="a.txt")}, {"text": "It holds an x."})
    ended = place.run("run", "go", "--model", model)
    assert (ended.status, ended.out) == (0, "It holds an x.\n")


def test_each_damaged_line_of_a_stored_session_is_told(place: Place) -> None:
    assert place.run("run", "hello", "--model", script(place, {"text": "Good day."})).status == 0
    (log,) = place.state.rglob("*.jsonl")
    whole = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join((*whole[:2], b"{torn\n", *whole[2:])))
    ended = place.run("show", log.stem)
    assert ended.status == 0
    assert ended.err.startswith("skilldeck: line 3 of the log cannot be read")
    assert ended.err.count("\n") == 1
    assert "Good day." in ended.out
