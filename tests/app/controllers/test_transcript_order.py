"""Which row is where while replies, calls and waiting words come and go, and what a search opens."""

from __future__ import annotations

from app.controllers.catalog_rows import LIST_LIMIT
from app.controllers.row_body import Heading, ListLine
from app.controllers.transcript import RowsAppended, RowsCut, Transcript, TranscriptChange
from app.controllers.transcript_row import LIVE_OUTPUT_LIMIT, Row, row_parts, row_title
from skills_core.agent.live import Retrying, ToolOutput
from skills_core.agent.model import TextDelta
from skills_core.session.event import SessionEvent
from tests.app.controllers.events import catalog, event, reply, text, user


class Follower:
    """What someone has who only follows the changes: the rows in their order."""

    def __init__(self) -> None:
        self.transcript = Transcript(self._take)
        self.rows: list[Row] = []

    def _take(self, change: TranscriptChange) -> None:
        if isinstance(change, RowsCut):
            del self.rows[change.first :]
        elif isinstance(change, RowsAppended):
            assert change.first == len(self.rows)
        self.rows.extend(self.transcript.rows[len(self.rows) :])

    def words(self) -> list[str]:
        assert self.rows == self.transcript.rows
        return [row.text() for row in self.rows]


def call(seq: int, id: str) -> SessionEvent:
    return event(seq, "tool/call", id=id, name="read", arguments={}, title=f"Read {id}")


def result(seq: int, id: str, words: str, *, is_error: bool = False) -> SessionEvent:
    content = text(words)
    return event(seq, "tool/result", id=id, name="read", content=content, is_error=is_error, details=None)


def titles(transcript: Transcript) -> list[str]:
    return ["".join(piece.text for piece in row_title(row)) for row in transcript.rows]


def discarded() -> Retrying:
    return Retrying(attempt=1, attempts=3, delay=1, kind="connection", message="cut", discarded=True)


def test_a_result_finds_its_call_after_a_row_above_it_went() -> None:
    transcript = Transcript()
    transcript.live(TextDelta("half"))
    transcript.event(call(1, "a"))
    transcript.event(call(2, "b"))
    transcript.live(discarded())
    transcript.event(result(3, "a", "first"))
    transcript.event(result(4, "b", "second"))
    assert titles(transcript) == ["Read a · first", "Read b · second"]


def test_of_two_messages_that_wait_the_log_takes_one_at_a_time() -> None:
    follower = Follower()
    transcript = follower.transcript
    for words in ("first", "second", "second"):
        transcript.pend(words)
    transcript.event(user(1, "first"))
    assert follower.words() == ["first", "second", "second"]
    assert transcript.pending == ("second", "second")
    transcript.event(user(2, "second"))
    assert follower.words() == ["first", "second", "second"]
    assert transcript.pending == ("second",)
    transcript.event(user(3, "something else"))
    assert follower.words() == ["first", "second", "something else", "second"]


def test_words_that_wait_stay_behind_what_comes_in() -> None:
    follower = Follower()
    follower.transcript.pend("later")
    follower.transcript.event(user(1, "now"))
    follower.transcript.live(TextDelta("yes"))
    assert follower.words() == ["now", "yes", "later"]


def test_a_running_tool_shows_the_newest_of_its_output() -> None:
    transcript = Transcript()
    transcript.event(call(1, "a"))
    transcript.live(ToolOutput("a", "old " * LIVE_OUTPUT_LIMIT))
    transcript.live(ToolOutput("a", "newest"))
    kept = "".join(transcript.rows[0].live_text)
    assert kept.endswith("old newest") and len(kept) == LIVE_OUTPUT_LIMIT


def test_the_end_of_a_turn_takes_what_came_in_of_a_reply_away() -> None:
    follower = Follower()
    follower.transcript.event(user(1, "hello"))
    follower.transcript.live(TextDelta("half of a"))
    follower.transcript.event(event(2, "turn/end", turn=1, reason="cancelled", message=None, hint=None))
    assert follower.words() == ["hello", "Stopped."]
    assert not any(row.live for row in follower.rows)


def test_an_empty_reply_that_was_refused_or_at_its_limit_says_so() -> None:
    for reason, said in (("refused", "The model refused."), ("length", "Stopped at the model's length limit.")):
        transcript = Transcript()
        transcript.event(reply(1, "", stop_reason=reason))
        (row,) = transcript.rows
        assert [getattr(part, "text", "") for part in row_parts(row)][-1] == said


def test_opening_every_row_with_one_open_opens_the_others() -> None:
    transcript = Transcript()
    transcript.event(call(1, "a"))
    transcript.event(call(2, "b"))
    transcript.toggle(0)
    transcript.toggle_all()
    assert [row.expanded for row in transcript.rows] == [True, True]


def test_a_found_row_opens_unless_its_title_shows_the_words() -> None:
    transcript = Transcript()
    transcript.event(call(1, "a"))
    transcript.event(result(2, "a", "one\nneedle\nthree"))
    assert transcript.find("read a", None, -1) == ([0], 0)
    assert not transcript.rows[0].expanded
    assert transcript.find("needle", None, -1) == ([0], 0)
    assert transcript.rows[0].expanded
    assert transcript.find("needle", 0, 0) == ([0], 0)
    assert transcript.rows[0].expanded


def test_a_search_leaves_the_row_that_it_is_at() -> None:
    transcript = Transcript()
    for number in range(1, 4):
        transcript.event(user(number, f"needle {number}"))
    assert [transcript.find("needle", at, 1)[1] for at in (None, 0, 1, 2)] == [0, 1, 2, 0]
    assert [transcript.find("needle", at, -1)[1] for at in (None, 2, 1, 0)] == [2, 1, 0, 2]


def test_a_failed_call_is_told_apart() -> None:
    transcript = Transcript()
    transcript.event(call(1, "a"))
    transcript.event(result(2, "a", "No such file\nat all", is_error=True))
    pieces = row_title(transcript.rows[0])
    assert (pieces[-1].text, pieces[-1].role) == (" · No such file", "error")
    assert Heading("Error that the model received") in row_parts(transcript.rows[0])


def test_a_catalog_of_one_more_than_is_listed_says_so() -> None:
    transcript = Transcript()
    transcript.event(catalog(1, *((f"skill-{number:03}", "Does it.") for number in range(LIST_LIMIT + 1))))
    parts = row_parts(transcript.rows[0])
    assert sum(isinstance(part, ListLine) for part in parts) == LIST_LIMIT
    assert Heading("… 1 more") in parts
