"""Blocks that are not YAML: what is read all the same, and what is said about it."""

from __future__ import annotations

import pytest

from skills_core.document import yaml_reader
from tests.core.document.support import DESCRIPTION, NAME, codes, offered, only, places, read_block


@pytest.fixture(autouse=True, params=[True, False], ids=["libyaml", "python"])
def _both_readers(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(yaml_reader, "_open", yaml_reader.reader_class(libyaml=request.param))


@pytest.mark.parametrize(
    ("value", "text", "code", "line", "column"),
    [
        ('Use when: a, "b": c', 'Use when: a, "b": c', "yaml.unquoted-colon", 3, 22),
        ("Text with a trailing colon:", "Text with a trailing colon:", "yaml.unquoted-colon", 3, 40),
        ("Foo\n  bar: baz\n  qux", "Foo bar: baz qux", "yaml.unquoted-colon", 4, 6),
        ("\n  Indented: with colon\n  more", "Indented: with colon more", "yaml.unquoted-colon", 4, 11),
        ("'It's a tool'", "It's a tool", "yaml.quotes-in-quotes", 3, 18),
        ('"Say "hi" to "all""', 'Say "hi" to "all"', "yaml.quotes-in-quotes", 3, 20),
        ('"quoted" - and more', '"quoted" - and more', "yaml.text-after-quote", 3, 23),
        ('"quoted": and more', '"quoted": and more', "yaml.text-after-quote", 3, 22),
        ('"a" + "b"', '"a" + "b"', "yaml.quotes-in-quotes", 3, 18),
        ('"Say "a" and "b", it\'s "c""', 'Say "a" and "b", it\'s "c"', "yaml.quotes-in-quotes", 3, 20),
        ("''quoted''", "'quoted'", "yaml.quotes-in-quotes", 3, 16),
        ('"One\n\n  two: "three" four"', 'One\ntwo: "three" four', "yaml.quotes-in-quotes", 5, 9),
        ('"one" and\n  "two"', '"one" and "two"', "yaml.text-after-quote", 3, 20),
        ('"first line"\n  second line', "first line second line", "yaml.text-after-quote", 4, 3),
        ('"a line of JSON",', "a line of JSON", "yaml.text-after-quote", 3, 30),
        ('"never closed', "never closed", "yaml.unclosed-quote", 3, 14),
        ("'never closed\nlicense: MIT", "never closed", "yaml.unclosed-quote", 3, 14),
        ('"C:\\path\\d+"', "C:\\path\\d+", "yaml.bad-escape", 3, 17),
        ('"It\\\'s \\"quoted\\"\\t."', 'It\'s "quoted"\t.', "yaml.bad-escape", 3, 17),
        ("[WIP] Something", "[WIP] Something", "yaml.reserved-start", 3, 14),
        ("{a} and {b}", "{a} and {b}", "yaml.reserved-start", 3, 14),
        ("`code` first", "`code` first", "yaml.reserved-start", 3, 14),
        ("@agent does", "@agent does", "yaml.reserved-start", 3, 14),
        ("%done", "%done", "yaml.reserved-start", 3, 14),
        ("**bold** text", "**bold** text", "yaml.reserved-start", 3, 14),
        ("*word", "*word", "yaml.reserved-start", 3, 14),
        ("&amp thing", "&amp thing", "yaml.reserved-start", 3, 14),
        ("!important thing", "!important thing", "yaml.reserved-start", 3, 14),
        ("- dash first", "- dash first", "yaml.reserved-start", 3, 14),
        ("[never closed", "[never closed", "yaml.unclosed-bracket", 3, 14),
        ("> Folded on one line", "Folded on one line", "yaml.block-header", 3, 14),
        ("| Literal on one line\n  and more", "Literal on one line and more", "yaml.block-header", 3, 14),
        ("|\nNot indented.\nSecond line.", "Not indented.\nSecond line.", "yaml.unindented-text", 4, 1),
        (">\nNot indented.\nSecond line.", "Not indented. Second line.", "yaml.unindented-text", 4, 1),
        ("First line\nsecond line", "First line second line", "yaml.unindented-text", 4, 1),
        ("\nText below", "Text below", "yaml.unindented-text", 4, 1),
        (">\n  Good line\n bad line\n  good", "Good line bad line good", "yaml.indentation", 5, 2),
        ("foo #1\n  second line", "foo #1 second line", "yaml.comment", 3, 18),
        ("foo\n  # inside\n  bar", "foo # inside bar", "yaml.comment", 4, 3),
    ],
)
def test_a_broken_description_is_the_text_that_is_plainly_there(
    value: str, text: str, code: str, line: int, column: int
):
    reading = read_block(f"{NAME}description: {value}")
    assert offered(reading).description == text
    assert places(reading) == [(code, line, column)]
    assert only(reading).severity == "warning"


def test_surrogate_pairs_of_json_are_joined(request: pytest.FixtureRequest):
    reading = read_block(NAME + 'description: "A \\ud83d\\ude00 \\\' face"')
    assert offered(reading).description == "A 😀 ' face"


def test_the_place_counts_characters_and_knows_crlf():
    reading = read_block(NAME.replace("\n", "\r\n") + "description: Größe: viel 👩‍👧: ja\r")
    assert offered(reading).description == "Größe: viel 👩‍👧: ja"
    assert places(reading) == [("yaml.unquoted-colon", 3, 19)]


@pytest.mark.parametrize(
    ("extra", "code", "line", "column"),
    [
        ("summary: Says: this", "yaml.unquoted-colon", 4, 14),
        ("metadata:\n  a: b: c\n  d: e", "yaml.unquoted-colon", 5, 7),
        ('metadata:\n  a: "x" y', "yaml.text-after-quote", 5, 10),
        ('triggers:\n  - "foo" or "bar"\n  - baz', "yaml.quotes-in-quotes", 5, 11),
        ('triggers:\n- "foo" or "bar"\n- baz', "yaml.quotes-in-quotes", 5, 9),
        ("triggers:\n  - foo\n - bar", "yaml.indentation", 6, 2),
        ("triggers: [a, b] and c", "yaml.text-after-bracket", 4, 18),
        ('tags: ["a" "b"]', "yaml.bracket-syntax", 4, 7),
        ('metadata: {"a": {"b": ["c"]}', "yaml.unclosed-bracket", 4, 11),
        ("metadata: {a: [b}", "yaml.unclosed-bracket", 4, 15),
        ("metadata:\n\tauthor: x", "yaml.tab", 5, 1),
        ("metadata:\n  author:\n  \tx: y\n  z: 1", "yaml.tab", 6, 3),
        ('path: "C:\\dir"', "yaml.bad-escape", 4, 10),
        ('note: "open\nother: x', "yaml.unclosed-quote", 4, 7),
        ("owner: @team", "yaml.reserved-start", 4, 8),
    ],
)
def test_a_broken_extra_key_is_dropped_with_its_cause(extra: str, code: str, line: int, column: int):
    reading = read_block(NAME + DESCRIPTION + extra)
    document = offered(reading)
    assert (document.description, document.metadata) == ("Does it.", None)
    assert (code, line, column) in places(reading)
    assert all(problem.severity == "warning" for problem in reading.problems)
    before = read_block(extra + "\n" + NAME + DESCRIPTION)
    assert offered(before).description == "Does it." and (code, line - 2, column) in places(before)


def test_good_keys_beside_a_broken_one_keep_their_values():
    reading = read_block(
        'metadata:\n  owner: ada\n  tags: [a, "b"]\n'
        + NAME
        + "description: Use: this\nwhen_to_use: Later: on\nargument-hint: [file] [x]\n"
    )
    document = offered(reading)
    assert document.metadata == {"owner": "ada", "tags": ("a", "b")}
    assert (document.when_to_use, document.argument_hint) == ("Later: on", "[file] [x]")
    assert codes(reading) == ["yaml.unquoted-colon", "yaml.unquoted-colon", "yaml.text-after-bracket"]


@pytest.mark.parametrize(
    ("block", "code", "line", "column"),
    [
        (NAME + " " + DESCRIPTION, "yaml.indentation", 3, 2),
        (" " + NAME + DESCRIPTION, "yaml.indentation", 2, 2),
        ("name:my-skill\n" + DESCRIPTION, "yaml.missing-space", 2, 5),
        ("name：my-skill\n" + DESCRIPTION, "yaml.missing-space", 2, 5),
        ("\tname: my-skill\n" + DESCRIPTION, "yaml.tab", 2, 1),
        (NAME + DESCRIPTION + "\nA line of its own\n\nlicense: MIT", "yaml.stray-text", 5, 1),
        (NAME + DESCRIPTION + "...\nlicense: MIT", "yaml.stray-text", 4, 1),
        (NAME + DESCRIPTION + "a: &x 1\nb: &x 2\n", "yaml.syntax", 5, 4),
    ],
)
def test_keys_that_stand_wrongly_are_read(block: str, code: str, line: int, column: int):
    reading = read_block(block)
    assert (offered(reading).name, offered(reading).description) == ("my-skill", "Does it.")
    assert places(reading) == [(code, line, column)]


def test_a_quoted_value_over_several_lines_hides_no_keys_and_makes_none():
    reading = read_block(NAME + 'summary: "goes on\n\nnote: here\n- and there"\ndescription: Use: it\nlicense: "x" y')
    assert offered(reading).description == "Use: it"
    assert codes(reading) == ["yaml.unquoted-colon", "yaml.text-after-quote"]


def test_an_unreadable_name_gives_way_to_the_folder():
    reading = read_block("name: [unclosed\n" + DESCRIPTION, "given-name")
    assert (offered(reading).name, offered(reading).label, offered(reading).name_derived) == (
        "given-name",
        "[unclosed",
        True,
    )
    assert codes(reading) == ["name.format", "yaml.unclosed-bracket"]
    no_folder = read_block("name: My: skill\n" + DESCRIPTION, "Some Folder")
    assert offered(no_folder).name == "my-skill"


@pytest.mark.parametrize("depth", [70, 400, 3000, 20000])
@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ("{a: ", "}"), ("[", "")])
def test_deep_nesting_costs_the_key_and_no_more(depth: int, opening: str, closing: str):
    depth = min(depth, 50000 // len(opening + closing))
    reading = read_block(NAME + DESCRIPTION + "metadata: " + opening * depth + closing * depth)
    assert offered(reading).metadata is None
    assert places(reading) == [("yaml.too-deep", 4, 11)]


def test_a_deeply_nested_name_or_description_is_an_error():
    deep = "[" * 200 + "]" * 200
    for block, code in (
        (f"name: {deep}\n{DESCRIPTION}", "name.type"),
        (f"{NAME}description: {deep}", "description.type"),
    ):
        reading = read_block(block)
        assert reading.document is None
        assert set(codes(reading)) == {"yaml.too-deep", code}


def test_the_place_with_lone_carriage_returns():
    reading = read_block((NAME + "description: Use: it\nlicense: a: b\n").replace("\n", "\r"))
    assert offered(reading).description == "Use: it"
    assert places(reading) == [("yaml.unquoted-colon", 3, 17), ("yaml.unquoted-colon", 4, 11)]


def test_stray_lines_between_keys_do_not_end_the_frontmatter():
    reading = read_block(NAME + DESCRIPTION + "\nstray one\n\nlicense: MIT\n\nstray two\n\nmodel: x\n")
    assert offered(reading).description == "Does it."
    assert places(reading) == [("yaml.stray-text", 5, 1), ("yaml.stray-text", 9, 1)]
    headings = read_block(NAME + DESCRIPTION + "\n# Origin\n\nlicense: a: b\n\n# Model\n\nmodel: x\n")
    assert offered(headings).description == "Does it." and codes(headings) == ["yaml.unquoted-colon"]


def test_deep_nesting_by_indentation_is_bounded_too():
    stairs = "".join("  " * level + "k:\n" for level in range(1, 120))
    assert places(read_block(NAME + DESCRIPTION + "metadata:\n" + stairs)) == [("yaml.too-deep", 5, 3)]
    dashes = read_block(NAME + DESCRIPTION + "metadata:\n  " + "- " * 5000 + "x")
    assert codes(dashes) == ["yaml.too-deep"]
    assert read_block(NAME + DESCRIPTION + "metadata:\n  a: " + "[" * 60 + "]" * 60).problems == ()


def test_warnings_are_bounded_in_number():
    reading = read_block(NAME + DESCRIPTION + "".join(f"k{i}: a: b\n" for i in range(300)))
    assert offered(reading).name == "my-skill"
    assert len(reading.problems) == 20
    late_error = read_block(
        NAME + DESCRIPTION + "".join(f"k{i}: a: b\n" for i in range(300)) + "user-invocable: maybe\n"
    )
    assert late_error.document is None and codes(late_error)[-1] == "invocation.value"
