"""An answer on a terminal, as it comes: whole, once, and inert however it is cut into pieces."""

from __future__ import annotations

import io

import pytest

from app.commands.answer_stream import AnswerStream
from app.output import Output
from skills_core.agent.live import Retrying, StepStarted, ToolStarted
from skills_core.agent.model import ModelReply, TextDelta, ThinkingDelta, Usage
from skills_core.session.event import text_block


def stream() -> tuple[AnswerStream, io.StringIO, io.StringIO]:
    out, err = io.StringIO(), io.StringIO()
    return AnswerStream(Output(out, err)), out, err


def reply(text: str) -> ModelReply:
    return ModelReply((text_block(text),), "end", Usage())


@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_pieces_make_the_same_text_as_the_whole(size: int) -> None:
    text = "\n\nOne.\r\nTwo \U0001f469\u200d\U0001f52c a\u0301 \U0001f3f4\U000e0067\U000e0062\U000e007f \x1b[31mred\n\n"
    words, out, _ = stream()
    words.live(StepStarted(1))
    for start in range(0, len(text), size):
        words.live(TextDelta(text[start : start + size]))
    words.live(reply(text))
    words.end()
    whole, at_once, _ = stream()
    whole.live(TextDelta(text))
    whole.end()
    assert out.getvalue() == at_once.getvalue()
    assert out.getvalue().startswith("One.\nTwo \U0001f469\u200d\U0001f52c a\u0301")
    assert out.getvalue().endswith("␛[31mred\n")
    assert "\x1b" not in out.getvalue()


def test_words_are_there_before_the_reply_is_whole() -> None:
    words, out, _ = stream()
    words.live(TextDelta("half of "))
    assert out.getvalue() == "half of "


def test_replies_stand_apart_and_tools_are_told_beside_them() -> None:
    words, out, err = stream()
    words.live(StepStarted(1))
    words.live(ThinkingDelta("hm"))
    words.live(TextDelta("I look."))
    words.live(reply("I look."))
    words.live(ToolStarted("c", "read", "Read a"))
    words.live(StepStarted(2))
    words.live(TextDelta("Done.\n"))
    words.live(reply("Done.\n"))
    words.end()
    assert out.getvalue() == "I look.\n\nDone.\n"
    assert err.getvalue() == "Read a ...\n"


def test_a_reply_that_came_without_pieces_is_printed_whole() -> None:
    words, out, _ = stream()
    words.live(StepStarted(1))
    words.live(reply("All at once."))
    words.end()
    assert out.getvalue() == "All at once.\n"


def test_a_reply_that_starts_anew_is_told() -> None:
    words, out, err = stream()
    words.live(StepStarted(1))
    words.live(TextDelta("Some wor"))
    words.live(Retrying(attempt=1, attempts=5, delay=1, kind="connection", message="x", discarded=True))
    words.live(TextDelta("Some words."))
    words.live(reply("Some words."))
    words.end()
    assert out.getvalue() == "Some wor\n\nSome words.\n"
    assert "starts anew" in err.getvalue()


def test_a_reader_that_has_gone_is_noticed_once() -> None:
    class Gone(io.StringIO):
        def write(self, text: str) -> int:
            raise BrokenPipeError

    words = AnswerStream(Output(Gone(), io.StringIO()))
    words.live(TextDelta("x y "))
    assert isinstance(words.broken, BrokenPipeError)
    words.live(TextDelta("z"))
    words.end()
