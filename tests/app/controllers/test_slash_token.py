"""Where the caret stands in a slash token."""

from __future__ import annotations

import pytest

from app.controllers.slash_token import find_slash_token


def _at(text: str) -> tuple[str, int]:
    """A text with its caret at the bar."""
    caret = text.index("|")
    return text.replace("|", ""), caret


@pytest.mark.parametrize(
    ("written", "kind", "query"),
    [
        ("/|", "any", ""),
        ("/go|", "any", "go"),
        ("  /go|", "any", "go"),
        ("\n\n/goal|", "any", "goal"),
        ("say /co|", "skills", "co"),
        ("one\n/go|", "skills", "go"),
        ("note: /go|", "skills", "go"),
        ("/skill:|", "named-skills", ""),
        ("/skill:he|", "named-skills", "he"),
        ("please tidy this up with /skill:he|", "named-skills", "he"),
        ("請 /skill:he|", "named-skills", "he"),
        ("/go|al", "any", "go"),
        ("```\ncode\n```\n/go|", "skills", "go"),
    ],
)
def test_a_token(written: str, kind: str, query: str) -> None:
    token = find_slash_token(*_at(written))
    assert token is not None
    assert (token.kind, token.query) == (kind, query)


@pytest.mark.parametrize(
    "written",
    [
        "|",
        "|/go",
        "go|",
        "a/b|",
        "user/|",
        "/usr/bin|",
        "/us|r/bin",
        "see /etc/ho|",
        "https://example|",
        "see https://a.b/c/d|",
        "5/8|",
        "/goal x|",
        "(/go|",
        "```\n/go|",
        "text\n~~~py\n/skill:he|",
        "``` /go|",
        "/go |",
    ],
)
def test_no_token(written: str) -> None:
    assert find_slash_token(*_at(written)) is None


def test_the_span_reaches_over_the_whole_token() -> None:
    token = find_slash_token(*_at("say /go|al now"))
    assert token is not None
    assert (token.start, token.caret, token.end) == (4, 7, 9)


def test_the_nearest_token_left_of_the_caret_counts() -> None:
    token = find_slash_token(*_at("/goal /wor|"))
    assert token is not None
    assert (token.start, token.query) == (6, "wor")
