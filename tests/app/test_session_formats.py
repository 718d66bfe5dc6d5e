"""A stored session in every format, whatever its log holds."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from app.controllers.session_html import session_html
from app.controllers.session_markdown import session_markdown
from app.controllers.session_rows import shown_session
from app.controllers.session_text import session_text
from skills_core.session import SessionEvent, SessionHeader

HEADER = SessionHeader(id="20260101-000000-abcdef", cwd="/p", created="2026-01-01T00:00:00.000Z", program_version="1")


def log(*records: tuple[str, dict[str, Any]]) -> list[SessionEvent]:
    return [SessionEvent(seq, "2026-01-01T00:00:00.000Z", kind, data) for seq, (kind, data) in enumerate(records, 1)]


def text(words: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": words}]


def said(words: str) -> tuple[str, dict[str, Any]]:
    return ("user/message", {"content": text(words), "source": {"kind": "user"}})


def answered(words: str) -> tuple[str, dict[str, Any]]:
    return ("assistant/message", {"content": text(words), "model": "m", "usage": None, "stop_reason": "end"})


ODD = [
    ("from/the-future", {"anything": [1, {"deep": None}]}),
    ("user/message", {"content": "not a list", "source": {"kind": "user"}}),
    ("user/message", {"content": [{"type": "hologram", "data": "x"}], "source": {"kind": "news", "form": "relay"}}),
    ("user/message", {"content": text("c"), "source": {"kind": "skill-catalog", "form": "catalog", "entries": "?"}}),
    ("user/message", {}),
    ("assistant/message", {"content": [{"type": "tool_call", "id": "1", "name": "x", "arguments": {}}]}),
    ("tool/call", {"id": "1", "name": "x", "arguments": "odd", "title": None}),
    ("tool/result", {"id": "other", "name": "x", "content": None, "is_error": "?"}),
    ("compaction", {"summary": 3, "first": "?", "last": None}),
    ("turn/end", {"turn": 1, "reason": "exploded"}),
    ("notice", {"text": 5}),
    ("title", {"title": ["x"]}),
]


@pytest.mark.parametrize("form", [session_text, session_markdown, session_html])
@pytest.mark.parametrize("record", ODD)
def test_nothing_that_a_log_may_hold_breaks_a_format(form: Any, record: tuple[str, dict[str, Any]]) -> None:
    shown = form(shown_session(HEADER, log(said("before"), record, said("after"))))
    assert "before" in shown
    assert "after" in shown


@pytest.mark.parametrize("form", [session_text, session_markdown, session_html])
def test_an_empty_session(form: Any) -> None:
    assert "Untitled session" in form(shown_session(HEADER, []))


@pytest.mark.parametrize("form", [session_text, session_markdown, session_html])
def test_every_format_is_inert(form: Any) -> None:
    evil = "a\x1b]52;c;x\x07b\u202ec\U000e0041d\x9be"
    records = [said(evil), answered(evil), ("notice", {"text": evil, "level": evil}), (evil, {evil: evil})]
    shown = form(shown_session(HEADER, log(*records)))
    for character in "\x1b\x07\u202e\U000e0041\x9b":
        assert character not in shown


def test_the_users_words_stay_words_in_markdown() -> None:
    words = "# no heading\n- no list\n<b>no tag</b> *no stress* [no](link) `no code`\n```\nno fence"
    page = MarkdownIt("commonmark").render(session_markdown(shown_session(HEADER, log(said(words)))))
    quoted = page[page.index("<blockquote>") : page.index("</blockquote>")]
    for tag in ("<h1", "<li", "<b>", "<em>", "<a ", "<code", "<pre"):
        assert tag not in quoted
    assert "no fence" in quoted


PIECES = st.sampled_from(
    ["a", "é", " ", "\n", "_", "__", "*", "`", "~", "~~", "#", "##", "-", "--", "---", "+", "=", "==", ">", "<", "<b>",
     "</", "!", "[", "]", "(", ")", "](x)", "|", "|-|", "&", "&amp;", "&#9;", ";", ".", "b1", "\\", ":", "/", "{}",
     "1.", "12)"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=12).map("".join))
def test_words_come_through_markdown_as_they_are(words: str) -> None:
    words = "\n".join(line.strip() for line in words.split("\n") if line.strip())
    assume(words)
    page = session_markdown(shown_session(HEADER, log(said(words))))
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(page)
    kinds = [token.type for token in tokens]
    first, last = kinds.index("blockquote_open"), kinds.index("blockquote_close")
    inside = tokens[first + 1 : last]
    assert [token.type for token in inside] == ["paragraph_open", "inline", "paragraph_close"]
    parts = inside[1].children or []
    assert {part.type for part in parts} <= {"text", "softbreak", "hardbreak", "text_special"}
    assert "".join("\n" if "break" in part.type else part.content for part in parts) == words


def test_plain_words_take_no_marks_in_markdown() -> None:
    words = "It is 5.3 (ok)! See snake_case, ~/x/a-b.md & {c} < d: -5 + 3 = #2 > 1."
    assert f"> {words}\n" in session_markdown(shown_session(HEADER, log(said(words)))).replace("  \n", "\n")


def test_a_cut_code_block_does_not_swallow_what_follows() -> None:
    page = session_markdown(shown_session(HEADER, log(answered("```python\nx = 1"), said("next"))))
    assert "<h2>You</h2>" in MarkdownIt("commonmark").render(page)


def test_text_with_fences_inside_is_fenced_whole() -> None:
    result = ("tool/result", {"id": "1", "name": "read", "content": text("a\n````\nb\n# c"), "is_error": False})
    page = session_markdown(
        shown_session(HEADER, log(("tool/call", {"id": "1", "name": "read"}), result, said("next")))
    )
    rendered = MarkdownIt("commonmark").render(page)
    assert "````\nb\n# c" in rendered
    assert "<h2>You</h2>" in rendered


def test_the_assistants_markdown_is_laid_out_in_html_without_addresses() -> None:
    page = session_html(
        shown_session(HEADER, log(answered("**bold** ![p](http://x/y.png) <http://z> [a](javascript:b)")))
    )
    assert "<strong>bold</strong>" in page
    assert "<img" not in page
    assert "<a" not in page


def test_a_fork_names_its_parent() -> None:
    header = SessionHeader(
        id="b", cwd="/p", created="2026", program_version="1", parent_id="20260101-000000-parent", parent_seq=7
    )
    assert "20260101-000000-parent, event 7" in session_text(shown_session(header, []))
