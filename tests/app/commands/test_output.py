"""The one way to the terminal: nothing that it prints acts, whichever way it goes."""

from __future__ import annotations

import json
from io import StringIO

import pytest

from app.output import Output

NASTY = "a\x1b]52;c;x\x07b\u202ec\x9bd\u200be\x1b[2Jf"
ACTS = frozenset("\x1b\x07\u202e\x9b\u200b")


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(params=[StringIO, Terminal], ids=["pipe", "terminal"])
def streams(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> tuple[StringIO, StringIO]:
    monkeypatch.setenv("TERM", "xterm-256color")
    # Without colours every escape sequence is one too many.
    monkeypatch.setenv("NO_COLOR", "1")
    return request.param(), request.param()


def test_nothing_that_is_printed_acts(streams: tuple[StringIO, StringIO]) -> None:
    out, err = streams
    output = Output(out, err)
    output.line(NASTY, (NASTY, "bold"))
    output.text(f"{NASTY}\n{NASTY}")
    output.json({NASTY: [NASTY]})
    output.json_line({NASTY: NASTY})
    output.table([[(NASTY, "bold"), NASTY], ["x", (NASTY, "dim")]])
    output.message(NASTY)
    output.failure(NASTY, NASTY)
    for stream in streams:
        shown = stream.getvalue()
        assert shown.count("f") >= 3, "what was printed is not there"
        assert not ACTS & set(shown), repr(shown)


def test_what_is_told_to_a_person_stays_on_its_line(streams: tuple[StringIO, StringIO]) -> None:
    out, err = streams
    output = Output(out, err)
    output.message("one\ntwo\rthree")
    output.failure("four\nfive", "six\u2028seven")
    output.table([["eight\nnine", "ten\r\neleven"]])
    assert [stream.getvalue().count("\n") for stream in (err, out)] == [2, 1]
    assert "\r" not in err.getvalue() + out.getvalue()


def test_json_that_was_made_inert_is_the_same_value(streams: tuple[StringIO, StringIO]) -> None:
    output = Output(*streams)
    output.json({NASTY: [NASTY, 1, None]})
    assert json.loads(streams[0].getvalue()) == {NASTY: [NASTY, 1, None]}


def test_colours_end_where_their_text_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    out, err = Terminal(), StringIO()
    output = Output(out, err)
    output.line(("loud\x1b[0m", "red"), " plain")
    output.failure("wrong")
    assert out.getvalue() == "\x1b[31mloud␛[0m\x1b[0m plain\n"
    assert err.getvalue() == "skilldeck: wrong\n"
