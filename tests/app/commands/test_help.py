"""`skilldeck help` on a terminal."""

from __future__ import annotations

from io import StringIO

import pytest

from app.commands.help import topic_files
from app.help_text import HelpLine, help_lines
from app.output import Output, cell_width
from tests.app.commands.conftest import Place
from tests.app.commands.test_terminal import in_terminal


def test_a_table_is_columns_without_bars() -> None:
    table = "| name | what |\n|---|---|\n| `a|b` | one |\n| c | " + "long words " * 8 + "|\n"
    lines = help_lines(table, 40)
    assert lines[0] == HelpLine("name   what", "bold")
    assert lines[1].text == "`a|b`  one"
    assert lines[2].text.startswith("c      long words")
    assert lines[3].text.startswith("       ")
    assert all(len(line.text) <= 40 for line in lines)


def test_paragraphs_and_items_are_wrapped_and_code_is_not() -> None:
    code = "    skilldeck " + "x" * 60
    document = f"# Title\n\nSome words that go\non.\n\n- an item of many words, more than a line holds\n\n{code}\n"
    lines = [line.text for line in help_lines(document, 30)]
    assert lines[:4] == ["Title", "", "Some words that go on.", ""]
    assert lines[4:6] == ["- an item of many words, more", "  than a line holds"]
    assert lines[-1] == code


def test_fenced_code_is_indented_without_its_fences() -> None:
    assert [line.text for line in help_lines("```jsonl\n{}\n```\nwords", 40)] == ["    {}", "words"]


@pytest.mark.parametrize("topic", topic_files())
@pytest.mark.parametrize("width", [20, 80, 200])
def test_every_document_fits(topic: str, width: int) -> None:
    lines = help_lines(topic_files()[topic].read_text("utf-8"), width)
    assert not any(line.text.startswith("|") for line in lines)
    if width == 80:
        wide = [line.text for line in lines if cell_width(line.text) > 80 and not line.text.startswith("    ")]
        assert wide == []


def test_help_in_a_terminal_and_in_a_pipe(place: Place) -> None:
    status, shown = in_terminal(place, "help", "models")
    assert status == 0
    assert "|---|" not in shown
    assert "ANTHROPIC_API_KEY" in shown
    assert "|---|" in place.run("help", "models").out


@pytest.mark.parametrize(
    ("message", "hint", "told"),
    [
        ("it was not loaded", "It comes from here.", "it was not loaded. It comes from here."),
        ("it was not loaded", "did you mean x?", "it was not loaded; did you mean x?"),
        ("It was not loaded.", "Trust it.", "It was not loaded. Trust it."),
        ("no key", "OPENAI_API_KEY holds it", "no key; OPENAI_API_KEY holds it"),
    ],
)
def test_a_message_and_its_hint_are_two_sentences_or_one(message: str, hint: str, told: str) -> None:
    errors = StringIO()
    Output(StringIO(), errors).failure(message, hint)
    assert errors.getvalue() == f"skilldeck: {told}\n"


def test_wide_characters_count_as_the_columns_they_take() -> None:
    lines = help_lines("图表 " * 20 + "\n\n| a | b |\n|---|---|\n| 图 | " + "图表" * 30 + " |", 30)
    assert all(cell_width(line.text) <= 30 for line in lines)
    assert lines[0].text == " ".join(["图表"] * 6)
