"""Nothing from a file reaches the terminal as a command, and nothing is hidden."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.controllers.inert import escape_in_json, inert, inert_line


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text, 漢字, naïve", "plain text, 漢字, naïve"),
        ("a\x1b[31mb", "a␛[31mb"),
        ("\x1b]52;c;aGk=\x07", "␛]52;c;aGk=␇"),
        ("a\x9bm", "a<U+009B>m"),
        ("\x7f", "␡"),
        ("over\u202ewritten", "over<U+202E>written"),
        ("zero\u200bwidth", "zero<U+200B>width"),
        ("\ufeffmark", "<U+FEFF>mark"),
        ("tags\U000e0041\U000e0042", "tags<U+E0041><U+E0042>"),
        ("soft\u00adhyphen", "soft<U+00AD>hyphen"),
        ("a\rb", "a␍b"),
        ("a\r\nb\tc", "a\nb\tc"),
        ("bad\udcffbyte", "bad<U+DCFF>byte"),
        ("a\u200db", "a<U+200D>b"),
        ("a\U000e0100", "a<U+E0100>"),
        ("a\ufe01\ufe02", "a\ufe01<U+FE02>"),
    ],
)
def test_marks(text: str, shown: str) -> None:
    assert inert(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "\U0001f468\u200d\U0001f469\u200d\U0001f467",
        "\U0001f44d\U0001f3fd",
        "\u2764\ufe0f\u200d\U0001f525",
        "\U0001f3f3\ufe0f\u200d\U0001f308",
        "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
        "می\u200cخواهم",
        "क्\u200dष",
        "葛\U000e0100",
    ],
)
def test_writing_that_needs_its_joiners_keeps_them(text: str) -> None:
    assert inert(text) == text


def test_a_flag_that_is_not_well_formed_is_marked() -> None:
    assert inert("\U0001f3f4\U000e0067") == "\U0001f3f4<U+E0067>"


def test_a_line_is_one_line() -> None:
    assert inert_line(" a\n\tb \x1b c ") == "a b ␛ c"


@given(st.text(alphabet=st.characters()))
def test_the_result_is_stable_and_holds_no_control(text: str) -> None:
    once = inert(text)
    assert inert(once) == once
    assert not [
        c for c in once if (ord(c) < 32 and c not in "\n\t") or 0x7F <= ord(c) < 0xA0 or 0xD800 <= ord(c) < 0xE000
    ]


@given(st.text(alphabet=st.characters()))
def test_json_says_the_same_after_escaping(text: str) -> None:
    encoded = escape_in_json(json.dumps([text], ensure_ascii=False, indent=1))
    assert json.loads(encoded) == [text]
    assert not [c for c in encoded if (ord(c) < 32 and c not in "\n\t") or 0x7F <= ord(c) < 0xA0]
    encoded.encode("utf-8")
