"""The rows of a session: joined, streamed, folded, found."""

from __future__ import annotations

from app.controllers.row_body import Fact
from app.controllers.row_lines import LiveLines, row_lines
from app.controllers.transcript import RowChanged, RowsAppended, RowsCut, Transcript, TranscriptChange
from app.controllers.transcript_row import Row, row_parts, row_title
from skills_core.agent.live import Retrying, ToolOutput
from skills_core.agent.model import TextDelta, ThinkingDelta
from tests.app.controllers.events import catalog, event, reply, text, user


def watched() -> tuple[Transcript, list[TranscriptChange]]:
    changes: list[TranscriptChange] = []
    return Transcript(changes.append), changes


def title(row: Row) -> str:
    return "".join(piece.text for piece in row_title(row))


def shown(row: Row, width: int = 60) -> str:
    return "\n".join(line.text for line in row_lines(row, width))


def test_a_streamed_reply_becomes_the_message_in_its_place() -> None:
    transcript, changes = watched()
    transcript.event(user(1, "hello"))
    transcript.live(TextDelta("Hi "))
    transcript.live(TextDelta("there"))
    assert transcript.rows[1].live and transcript.rows[1].text() == "Hi there"
    row = transcript.rows[1]
    transcript.event(reply(2, "Hi there."))
    assert transcript.rows[1] is row and not row.live
    assert row.text() == "Hi there."
    assert changes == [RowsAppended(0), RowsAppended(1), RowChanged(1), RowChanged(1), RowChanged(1)]


def test_a_reply_of_tool_calls_alone_has_no_row() -> None:
    transcript, _ = watched()
    call = {"type": "tool_call", "id": "1", "name": "read", "arguments": {}}
    transcript.live(ThinkingDelta("hm"))
    transcript.event(event(1, "assistant/message", content=[call], stop_reason="tool_calls"))
    assert transcript.rows == []


def test_a_discarded_reply_goes_and_a_retry_is_told() -> None:
    transcript, changes = watched()
    transcript.live(TextDelta("half"))
    transcript.live(Retrying(attempt=1, attempts=3, delay=1, kind="connection", message="cut", discarded=True))
    assert transcript.rows == []
    assert changes[-1] == RowsCut(0)
    transcript.event(event(1, "model/retry", attempt=1, delay=1, kind="connection", message="The line was cut."))
    assert title(transcript.rows[0]) == "Attempt 1 failed: The line was cut. Trying again."


def test_a_tool_call_is_joined_with_its_result() -> None:
    transcript, _ = watched()
    transcript.event(event(1, "tool/call", id="c1", name="read", arguments={"path": "a.py"}, title="Read a.py"))
    transcript.event(event(2, "tool/call", id="c2", name="shell", arguments={}, title="Run make"))
    assert title(transcript.rows[0]) == "Read a.py · running"
    transcript.live(ToolOutput("c2", "building\n"))
    assert "building" in "".join(str(part) for part in row_parts(transcript.rows[1]))
    transcript.event(event(3, "tool/result", id="c2", name="shell", content=text("no rule"), is_error=True))
    transcript.event(event(4, "tool/result", id="c1", name="read", content=text("one\ntwo"), is_error=False))
    assert [title(row) for row in transcript.rows] == ["Read a.py · 2 lines", "Run make · no rule"]
    assert row_parts(transcript.rows[0])[0] == Fact("path", "a.py")


def test_a_cut_reply_says_so() -> None:
    transcript, _ = watched()
    transcript.event(reply(1, "Half an ans", stop_reason="cut"))
    assert "Stopped here." in shown(transcript.rows[0])


def test_how_a_turn_ended_is_shown_unless_it_was_done() -> None:
    transcript, _ = watched()
    transcript.event(event(1, "turn/start", turn=1))
    transcript.event(event(2, "turn/end", turn=1, reason="done", message=None, hint=None))
    transcript.event(
        event(3, "turn/end", turn=2, reason="failed", message="No such model.", hint="Choose with /model.")
    )
    transcript.event(event(4, "turn/end", turn=3, reason="cancelled", message=None, hint=None))
    assert [title(row) for row in transcript.rows] == ["No such model. Choose with /model.", "Stopped."]


def test_an_unknown_event_is_shown_with_all_it_holds() -> None:
    transcript, _ = watched()
    transcript.event(event(1, "weather", sky="blue", degrees=21))
    assert title(transcript.rows[0]).startswith("weather · ")
    transcript.rows[0].expanded = True
    assert "degrees: 21" in shown(transcript.rows[0])


def test_a_compaction_opens_to_its_summary_and_never_to_the_frame() -> None:
    transcript, _ = watched()
    data = {"summary": "They hemmed.", "first": 1, "last": 9, "content": text("FRAME"), "tokens_before": 1200}
    transcript.event(event(10, "compaction", **data))
    row = transcript.rows[0]
    assert shown(row, 80) == "▸ Compaction · events 1 to 9 replaced by a summary · about 1,200 tokens before"
    row.expanded = True
    assert "They hemmed." in shown(row)
    assert "FRAME" not in shown(row)


def test_a_compaction_without_a_readable_summary_does_not_open() -> None:
    transcript, _ = watched()
    transcript.event(event(1, "compaction", first=1, last=2, content=text("FRAME")))
    assert not transcript.rows[0].foldable


def test_nothing_from_outside_reaches_the_terminal_as_a_control() -> None:
    nasty = "a\x1b]52;c;x\x07b\u202ec\x9bd [red]x[/red] [/"
    transcript, _ = watched()
    transcript.event(user(1, nasty))
    transcript.event(reply(2, nasty))
    transcript.event(catalog(3, ("a", nasty)))
    transcript.event(event(4, "tool/call", id="1", name="x", arguments={"k": nasty}, title=nasty))
    transcript.event(event(5, "notice", text=nasty, level="warning"))
    transcript.event(event(6, nasty, k=nasty))
    for row in transcript.rows:
        row.expanded = True
        words = shown(row, 200)
        assert not {"\x1b", "\x07", "\u202e", "\x9b"} & set(words), words
        assert "[red]x[/red] [/" in words


def test_links_are_words_with_their_address() -> None:
    transcript, _ = watched()
    transcript.event(reply(1, "See [the docs](https://example.org/a)."))
    assert "See the docs (https://example.org/a)." in shown(transcript.rows[0])


def test_finding_goes_round_and_ignores_case() -> None:
    transcript, _ = watched()
    for number, words in enumerate(("Apple", "pear", "apple pie"), 1):
        transcript.event(user(number, words))
    assert transcript.find("APPLE", None, -1) == ([0, 2], 2)
    assert transcript.find("APPLE", 2, -1) == ([0, 2], 0)
    assert transcript.find("APPLE", 2, 1) == ([0, 2], 0)
    assert transcript.find("plum", 0, 1) == ([], None)
    assert transcript.find("", 0, 1) == ([], None)


def test_every_row_opens_and_closes_together() -> None:
    transcript, _ = watched()
    transcript.event(catalog(1, ("a", "x")))
    transcript.event(event(2, "tool/call", id="1", name="x", arguments={}, title="x"))
    transcript.toggle_all()
    assert [row.expanded for row in transcript.rows] == [True, True]
    transcript.toggle_all()
    assert [row.expanded for row in transcript.rows] == [False, False]


def test_live_lines_equal_the_lines_of_the_whole() -> None:
    words = "# Title\n\nSome *words* that wrap over the line.\n\n- one\n- two\n\n```py\nx = 1\n```\n\nEnd **of** it."
    row = Row("assistant")
    live = LiveLines()
    for character in words:
        row.live_text.append(character)
        growing = live.lines(row, 30)
    whole = Row("assistant", reply(1, words))
    assert [line.text for line in growing] == [line.text for line in row_lines(whole, 30)]


def test_words_wait_at_the_end_until_the_log_has_them() -> None:
    changes: list[TranscriptChange] = []
    transcript = Transcript(changes.append)
    transcript.pend("hem [/x] my towels")
    assert "hem [/x] my towels" in shown(transcript.rows[-1])
    transcript.event(catalog(1, ("hem", "Hem.")))
    assert [row.kind for row in transcript.rows] == ["context", "user"]
    transcript.event(user(2, "hem [/x] my towels"))
    assert [(row.kind, row.live) for row in transcript.rows] == [("context", False), ("user", False)]
    transcript.live(TextDelta("yes"))
    transcript.pend("next")
    transcript.event(reply(3, "yes"))
    assert [row.text() for row in transcript.rows[2:]] == ["yes", "next"]
    transcript.unpend()
    assert len(transcript.rows) == 3
    assert counted_rows(changes) == 3


def counted_rows(changes: list[TranscriptChange]) -> int:
    """How many rows someone has who only follows the changes."""
    count = 0
    for change in changes:
        match change:
            case RowsCut(first):
                count = first
            case RowsAppended(first):
                assert first == count
                count += 1
            case _:
                pass
    return count


def test_a_call_that_was_never_begun_says_what_was_asked_for() -> None:
    transcript, _ = watched()
    asked = {"type": "tool_call", "id": "c1", "name": "shell", "arguments": {"command": "make all"}}
    transcript.event(event(1, "assistant/message", content=[asked], model="m", usage=None, stop_reason="tool_use"))
    declined = text("The person declined.")
    transcript.event(event(2, "tool/result", id="c1", name="shell", content=declined, is_error=True, details=None))
    assert title(transcript.rows[0]) == "shell make all · The person declined."
    assert Fact("command", "make all") in row_parts(transcript.rows[0])


def test_a_result_of_one_line_is_said_and_longer_ones_are_counted() -> None:
    transcript, _ = watched()
    for number, words in enumerate(("Created b.txt, 3 lines", "one\ntwo"), 1):
        call = str(number)
        transcript.event(event(2 * number, "tool/call", id=call, name="write", arguments={}, title="Write b.txt"))
        result = {"id": call, "name": "write", "content": text(words), "is_error": False, "details": None}
        transcript.event(event(2 * number + 1, "tool/result", **result))
    assert [title(row) for row in transcript.rows] == [
        "Write b.txt · Created b.txt, 3 lines",
        "Write b.txt · 2 lines",
    ]


def test_a_long_command_leaves_its_state_readable() -> None:
    row = Row("tool", event(1, "tool/call", id="1", name="shell", arguments={}, title="$ " + "word " * 40))
    line = row_lines(row, 60)[0]
    assert line.text.endswith(" · running")
    assert line.width <= 60
