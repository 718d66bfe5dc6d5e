"""Cleaning of text: what goes, what stays, and how it is reported."""

from __future__ import annotations

import pytest

from skills_core.document import clean_text, shown
from tests.core.document.support import NAME, codes, offered, places, read_block

FLAG = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"


@pytest.mark.parametrize(
    "text",
    [
        "plain text", "tab\there", "two\nlines", "Größe – naïve “quotes” …",
        "日本語 한국어 العربية עברית हिन्दी",
        "👩‍👧 👨‍👩‍👧‍👦 ❤️ ❤️‍🔥 🏳️‍🌈 👍🏽 🧑🏽‍🚀 1️⃣ 🇩🇪 ☎️", FLAG,
        "می‌خواهم", "क्‍ष क्‌ष", "ශ්‍රී", "葛\U000e0100城", "\ufffd", "a\u00a0b",
    ],
)  # fmt: skip
def test_what_people_write_stays(text: str):
    assert clean_text(text) == text


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("a\x00b", "a b"),
        ("a\x01\x02\x03b", "a b"),
        ("a\x1b[31mred\x1b[0mb", "a red b"),
        ("nice \x1b]0;pwned\x07 text", "nice   text"),
        ("a\x1b]52;c;SEVMTE8=\x1b\\b", "a b"),
        ("a\x1b]8;;http://x\x07link\x1b]8;;\x07b", "a link b"),
        ("a\x1bP1$tx\x1b\\b", "a b"),
        ("a\x1b]0;never ended", "a 0;never ended"),
        ("a\x1bcb", "a b"),
        ("a\x1b(Bb", "a b"),
        ("a\x1b", "a "),
        ("a\x9b31mb", "a b"),
        ("a\x9bb", "a b"),
        ("a\x9d0;x\x9cb", "a b"),
        ("a\x80b\x9fc", "a b c"),
        ("a\x7fb\rc\x0bd\x0ce", "a b c d e"),
        ("a\u202egnp\u202cb", "agnpb"),
        ("a\u2066b\u2069c\u200e\u200f\u061c", "abc"),
        ("a\u200bb\u2060c\ufeffd\u00ade", "abcde"),
        ("a\u200db\u200cc", "abc"),
        ("\u200dمی\u200c\u200c", "می\u200c"),
        ("👩\u200b\u200d👧", "👩\u200d👧"),
        ("👩\u200d", "👩"),
        ("a\U000e0041\U000e0042", "a"),
        ("\U0001f3f4\U000e0067\U000e007f", "\U0001f3f4"),
        (FLAG[:-1], "\U0001f3f4"),
        ("a\ufe0f\ufe0f\ufe01b", "a\ufe0fb"),
        ("a\U000e0101\U000e0102b", "ab"),
        (" \ufe0f", " "),
        ("a\ud800b", "a b"),
        ("a\ufff9b", "ab"),
    ],
)
def test_what_acts_or_hides_goes(text: str, clean: str):
    assert clean_text(text) == clean
    assert clean_text(clean) == clean


def test_a_description_is_cleaned_with_a_warning_at_the_first_character():
    reading = read_block(NAME + "description: Sorts \x1b[31mred\x1b[0m and \u202ebad\u202c things")
    assert offered(reading).description == "Sorts  red  and bad things"
    assert places(reading) == [("text.control-character", 3, 20)]


def test_escapes_in_quotes_are_cleaned_after_decoding():
    reading = read_block(NAME + 'description: "\\e]0;x\\a a\\0b \\u202e"')
    assert offered(reading).description == "a b"
    assert places(reading) == [("text.control-character", 3, 14)]


@pytest.mark.parametrize("character", ["\x00", "\x08", "\x1b", "\x7f", "\x85", "\x9b", "\u2028", "\ufeff", "\uffff"])
def test_characters_that_yaml_refuses_spoil_nothing(character: str):
    reading = read_block(f"x: {character}\n{NAME}description: Does {character} it.\nlicense: MIT\n")
    assert offered(reading).name == "my-skill"
    assert offered(reading).description.split() in (["Does", "it."], ["Does", character, "it."])
    assert codes(reading) in ([], ["text.control-character"])


def test_hints_and_labels_are_cleaned_too():
    reading = read_block(
        'name: "My \\e[1mskill"\ndescription: x\nwhen_to_use: "a\\0b"\n'
        'argument-hint: "[x\\e[0m]"\nmetadata: {a: "\\e[2Jx"}\n'
    )
    document = offered(reading)
    texts = [document.label, document.when_to_use, document.argument_hint, *(document.metadata or {}).values()]
    assert all("\x1b" not in str(text) and "\0" not in str(text) for text in texts)


def test_a_message_repeats_foreign_text_harmlessly():
    reading = read_block('name: "evil\\e]0;x\\a\\nname"\ndescription: x', "esc\x1b[31mname")
    assert all(problem.message.isprintable() and problem.hint.isprintable() for problem in reading.problems)
    assert shown("a\n b\x1b[0m" + "c" * 200, 20) == "a b " + "c" * 15 + "…"
