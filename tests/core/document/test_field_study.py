"""Shapes of skill files that people, formatters and exporters really write."""

from __future__ import annotations

import pytest

from skills_core.document import EntryName, read_document, yaml_reader
from tests.core.document.support import DESCRIPTION, NAME, codes, offered, only, places, read, read_block

EXAMPLES = (
    "name: my-skill\ndescription: Sorts books: all of them.\n\nExamples:\n<example>\nContext: A full shelf.\n"
    'user: "Sort it"\n</example>\n<example>\nContext: An empty shelf.\nuser: "Fill it"\n</example>\n'
)


@pytest.fixture(autouse=True, params=[True, False], ids=["libyaml", "python"])
def _both_readers(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(yaml_reader, "_open", yaml_reader.reader_class(libyaml=request.param))


@pytest.mark.parametrize("mark", [">-", "|", ">", "|+", ">2", "|-"])
def test_text_behind_a_block_mark_is_read_without_the_mark(mark: str):
    reading = read_block(f"name: my-skill\ndescription: {mark} Sorts books.")
    assert offered(reading).description == "Sorts books."
    assert places(reading) == [("yaml.block-header", 3, 14)]


def test_examples_of_a_dialogue_belong_to_the_description():
    reading = read_block(EXAMPLES + "license: MIT\n")
    assert offered(reading).description == (
        "Sorts books: all of them.\nExamples: <example> Context: A full shelf. "
        'user: "Sort it" </example> <example> Context: An empty shelf. user: "Fill it" </example>'
    )
    assert codes(reading) == ["yaml.unquoted-colon"]


def test_examples_hide_no_key_that_is_read():
    reading = read_block(EXAMPLES.replace("</example>\n<example>", "</example>\nuser-invocable: maybe\n<example>"))
    assert reading.document is None
    assert [problem.code for problem in reading.problems if problem.severity == "error"] == ["invocation.unreadable"]
    later = read_block(EXAMPLES + "color: red\ncolor: blue\n")
    assert [p.message for p in later.problems if p.severity == "error"] == [
        "`color` is given twice with different values; which one is meant cannot be known."
    ]


def test_a_quoted_description_takes_no_examples_to_itself():
    once = EXAMPLES.partition("<example>\nContext: An empty")[0]
    reading = read_block(once.replace("Sorts books: all of them.", '"Sorts books."'))
    assert offered(reading).description == "Sorts books."


@pytest.mark.parametrize(
    ("line", "column", "message"),
    [
        ("description:Use when: full.", 12, "`description` is not followed by a colon and a space."),
        ("description：Use when: full.", 12, "`description` is not followed by a colon and a space."),
        ("description： Use when: full.", 12, "`description` is not followed by a colon and a space."),
        (
            "description:\u00a0Use when: full.",
            12,
            "The space after `description:` is not an ordinary one, so YAML does not see it.",
        ),
    ],
)
def test_a_description_stuck_to_its_key_is_read(line: str, column: int, message: str):
    reading = read_block("name: my-skill\n" + line)
    assert offered(reading).description == "Use when: full."
    assert codes(reading) == ["yaml.missing-space", "yaml.unquoted-colon"]
    assert (reading.problems[0].line, reading.problems[0].column, reading.problems[0].message) == (3, column, message)


def test_a_space_that_is_not_ordinary_keeps_no_permission():
    reading = read_block(f"{NAME}{DESCRIPTION}user-invocable:\u00a0false\n")
    assert reading.document is None and codes(reading) == ["invocation.unreadable"]


@pytest.mark.parametrize(
    ("first", "message"),
    [
        ("---yaml", "Text follows the dashes of the first line: `yaml`."),
        ("--- # about", "Text follows the dashes of the first line: `# about`."),
        ("\\---", "A backslash stands before the dashes of the first line."),
        ("\u200b---", "The first line holds an invisible character beside the dashes."),
        ("---\u00a0", "The first line holds an invisible character beside the dashes."),
        ("______", "The first line is a row of `_`, not of dashes, as Markdown formatters write it."),
        ("***", "The first line is a row of `*`, not of dashes, as Markdown formatters write it."),
        ("===\n", "The first line is a row of `=`, not of dashes, as Markdown formatters write it."),
        ("—", "The first line is not three plain dashes."),
    ],
)
def test_a_spoiled_opening_fence_is_named(first: str, message: str):
    reading = read(f"{first}\n{NAME}{DESCRIPTION}---\nBody")
    problem = only(reading)
    assert (problem.code, problem.line, problem.column) == ("frontmatter.no-opening-fence", 1, 1)
    assert problem.message == message
    assert problem.hint and "---" in problem.hint
    mended = read(f"---\n{NAME}{DESCRIPTION}---\nBody")
    assert mended.problems == ()


def test_a_whole_frontmatter_on_one_line_is_named():
    problem = only(read("--- name: my-skill description: Sorts books. ---\nBody\n"))
    assert problem.code == "frontmatter.no-opening-fence"
    assert problem.hint == "Write `---` alone on the first line, and each key on a line of its own below it."


@pytest.mark.parametrize("first", ["---x", "***", "___", "====", "\\--"])
def test_a_rule_or_text_before_prose_is_no_spoiled_fence(first: str):
    assert codes(read(f"{first}\n\nOnly prose.\n")) == ["frontmatter.missing"]
    assert read(f"{first}\n{NAME}", kind="flat").not_a_skill


@pytest.mark.parametrize("first", ["---yaml", "______", "***", "\\---", "--- name: x"])
def test_a_spoiled_fence_reads_the_same_from_any_part_of_the_file(first: str):
    data = f"{first}\n\n{NAME}{DESCRIPTION}---\n{'Body. ' * 40}".encode()
    entry = EntryName("/skills/my-skill/SKILL.md", "my-skill", "bundle")
    whole = read_document(data, entry)
    for size in range(len(data)):
        reading = read_document(data[:size], entry, truncated=True, file_size=len(data))
        assert reading.needs_more or reading.problems == whole.problems


@pytest.mark.parametrize(
    ("closing", "hint"),
    [
        ("---# Title", "Write `---` alone on that line, and what follows the dashes on the next one."),
        ("--- # end", "Write `---` alone on that line, and what follows the dashes on the next one."),
        ("...", "Write `---` instead of `...`."),
        ("--", "Write `---` instead of `--`."),
        ("______", "Write `---` instead of `______`."),
        ("\\---", "Write `---` instead of `\\---`."),
        ("—", "Write `---` instead of `—`."),
        ("---\u00a0", "Delete the line and type three hyphens, `---`; retyping is the surest way."),
    ],
)
def test_a_spoiled_closing_fence_is_named(closing: str, hint: str):
    problem = only(read(f"---\n{NAME}{DESCRIPTION}{closing}\n\nBody.\n"))
    assert (problem.code, problem.line, problem.column) == ("frontmatter.unclosed", 4, 1)
    assert problem.hint == hint
    assert f"`{closing}`" in problem.message or "invisible character" in problem.message


def test_a_heading_stuck_to_the_closing_fence_does_not_lose_the_instructions():
    reading = read(f"---\n{NAME}{DESCRIPTION}---# Title\n\nDo this.\n\n---\n\nAnd that.\n")
    problem = only(reading)
    assert (problem.code, problem.line, problem.severity) == ("frontmatter.unclosed", 4, "error")
    assert not reading.looks_unfinished
    mended = read(f"---\n{NAME}{DESCRIPTION}---\n# Title\n\nDo this.\n\n---\n\nAnd that.\n")
    assert offered(mended).description == "Does it."


@pytest.mark.parametrize("more", ["", "---\n"])
def test_a_fence_that_is_doubled_is_named(more: str):
    problem = only(read(f"---\n---\n{more}{NAME}{DESCRIPTION}---\nBody\n"))
    assert (problem.code, problem.line, problem.severity) == ("frontmatter.missing", 2, "error")
    assert problem.message == "The frontmatter is empty: line 2 closes it, and the keys come only after that line."
    flat = only(read(f"---\n---\n{more}{NAME}{DESCRIPTION}---\nBody\n", kind="flat"))
    assert flat.severity == "warning"


def test_an_empty_frontmatter_before_prose_lacks_its_description():
    assert codes(read("---\n---\nProse.\n")) == ["description.missing", "name.missing"]


@pytest.mark.parametrize(
    ("file", "code", "line"),
    [
        ("---\n\n## name: my-skill description: Sorts books.\n\n# Title\n", "frontmatter.unclosed", 3),
        ("---\n\n## name: my-skill\ndescription: Sorts books.\n\n# Title\n", "frontmatter.unclosed", 3),
        ("____\n\n## name: my-skill description: Sorts books.\n\n# Title\n", "frontmatter.no-opening-fence", 1),
        ("---\n\n## name: my-skill description: Sorts books.\n\n---\n\nMore.\n", "description.missing", 3),
    ],
)
def test_a_frontmatter_that_a_formatter_made_a_heading_of_is_named(file: str, code: str, line: int):
    reading = read(file)
    first = next(problem for problem in reading.problems if problem.severity == "error")
    assert (first.code, first.line) == (code, line)
    assert first.hint and "without `#`" in first.hint


def test_a_value_that_begins_with_a_backtick_says_so():
    reading = read_block("name: my-skill\ndescription: `code` first")
    assert only(reading).message.startswith("The value begins with a backtick,")


def test_the_hint_for_a_name_or_tools_that_are_not_yaml_fits_them():
    hints = {p.code: p.hint for p in read_block("name: Skill: Sort\n" + DESCRIPTION).problems}
    assert hints["yaml.unquoted-colon"] == (
        "Write the name in small letters a to z, digits, and single hyphens; it needs no quotes then."
    )
    tools = only(read_block(f'{NAME}{DESCRIPTION}allowed-tools: "Read", "Write"\n'))
    assert tools.hint == "Write the tools in brackets, `[Read, Write]`, or with commas between them and without quotes."
    assert read_block(f"{NAME}{DESCRIPTION}allowed-tools: [Read, Write]\n").problems == ()
    assert read_block(f"{NAME}{DESCRIPTION}allowed-tools: Read, Write\n").problems == ()


@pytest.mark.parametrize("line", ["TRIGGER when: a shelf is full", "Use when: full", "<b>Also</b> for: papers"])
def test_a_sentence_that_yaml_takes_for_a_key_is_not_lost_in_silence(line: str):
    key = line.partition(":")[0]
    reading = read_block(f"name: my-skill\ndescription: Sorts books.\n{line}\nlicense: MIT\n")
    assert offered(reading).description == "Sorts books."
    problem = only(reading)
    assert (problem.code, problem.severity, problem.line, problem.column) == ("yaml.unindented-text", "warning", 4, 1)
    assert problem.message == f"`{key}` is a key of its own for YAML, so its text is no part of the description."
    assert problem.hint == "If it belongs to the description, indent it by two spaces below `description: >-`."
    mended = read_block(f"name: my-skill\ndescription: >-\n  Sorts books.\n  {line}\nlicense: MIT\n")
    assert mended.problems == () and offered(mended).description == f"Sorts books. {line}"


@pytest.mark.parametrize("line", ["license: MIT", "Allowed Tools: Read", "version: 1\nSee also: more"])
def test_a_key_below_the_description_is_no_sentence(line: str):
    assert read_block(f"name: my-skill\ndescription: Sorts books.\n{line}\n").problems == ()


def test_half_a_character_of_json_is_named_in_metadata_and_in_words(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(yaml_reader, "_open", yaml_reader.reader_class(libyaml=True))
    metadata = only(read_block(f'{NAME}{DESCRIPTION}metadata: {{"icon": "\\ud83d\\udcda", "os": "it\'s any"}}\n'))
    assert (metadata.code, metadata.line, metadata.column) == ("yaml.bad-escape", 4, 21)
    assert metadata.message == (
        "`\\ud83d` is half a character for JSON, and no character for YAML; the key `metadata` is left out."
    )
    assert metadata.hint == "Write the character itself instead of its two escape sequences."
    mended = read_block(f'{NAME}{DESCRIPTION}metadata: {{"icon": "📚", "os": "it\'s any"}}\n')
    assert mended.problems == () and offered(mended).metadata == {"icon": "📚", "os": "it's any"}
    words = read_block('name: my-skill\ndescription: "Sorts \\ud83d\\udcda books"\n')
    assert offered(words).description == "Sorts 📚 books"
    assert only(words).hint == metadata.hint


def test_brackets_without_a_bad_escape_keep_their_cause():
    assert codes(read_block(f'{NAME}{DESCRIPTION}tags: [a, "b\\d"]\n')) == ["yaml.bad-escape"]
    assert codes(read_block(f'{NAME}{DESCRIPTION}tags: [a, b: c, "d" e]\n')) == ["yaml.bracket-syntax"]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (r"'It\'s the user\'s shelf'", "It's the user's shelf"),
        (r"""'It\'s "the" shelf, isn''t it: yes'""", """It's "the" shelf, isn't it: yes"""),
    ],
)
def test_an_escaped_quote_in_single_quotes_is_only_a_quote(value: str, text: str):
    assert offered(read_block(f"name: my-skill\ndescription: {value}")).description == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (r'"Reads C:\Users\fran\notes, \"all\" of them"', r'Reads C:\Users\fran\notes, "all" of them'),
        (r'"Reads D:\\new and C:\Users"', r"Reads D:\new and C:\Users"),
        (r'"One line\nand \d digits"', "One line\nand \\d digits"),
    ],
)
def test_backslashes_of_a_path_are_no_escape_sequences(value: str, text: str):
    reading = read_block(f"name: my-skill\ndescription: {value}")
    assert offered(reading).description == text
    assert codes(reading) == ["yaml.bad-escape"]


def test_keys_in_a_code_block_instead_of_fences_are_named():
    problem = only(read(f"```yaml\n{NAME}{DESCRIPTION}```\n\nBody.\n"))
    assert (problem.code, problem.line) == ("frontmatter.in-code-fence", 1)
    assert problem.hint == "Write `---` instead of the first line, and instead of the line that ends the code block."
    assert codes(read("```yaml\nother: x\n```\n")) == ["frontmatter.missing"]


def test_a_broken_map_in_braces_says_so():
    problem = only(read_block("{name: my-skill, description: Sorts: books}"))
    assert (problem.code, problem.severity, problem.line) == ("frontmatter.not-a-mapping", "error", 2)
    assert problem.message.startswith("The frontmatter is a map in braces that cannot be read.")
    assert offered(read_block('{name: my-skill, description: "Sorts: books"}')).description == "Sorts: books"


@pytest.mark.parametrize("name", ["", "name: My Skill\n"])
def test_a_refused_skill_is_not_said_to_be_offered(name: str):
    reading = read_block(f"{name}license: MIT\n")
    assert reading.document is None and len(reading.problems) == 2
    assert not any("offered" in problem.message for problem in reading.problems)
    assert any("goes by `my-skill`, after the folder's name" in problem.message for problem in reading.problems)


@pytest.mark.parametrize(
    ("block", "code", "line", "column"),
    [
        ("metadata:\n  shop:\n    note: No papers: only books\n", "yaml.unquoted-colon", 6, 20),
        ("tags:\n  - @home\n  - shelf\n", "yaml.reserved-start", 5, 5),
    ],
)
def test_the_hint_for_a_nested_value_leaves_its_key_a_list_or_map(block: str, code: str, line: int, column: int):
    problem = only(read_block(NAME + DESCRIPTION + block))
    assert (problem.code, problem.line, problem.column) == (code, line, column)
    assert problem.hint == "Put the value on that line in double quotes."
    value = "No papers: only books" if "papers" in block else "@home"
    assert read_block(NAME + DESCRIPTION + block.replace(value, f'"{value}"')).problems == ()


def test_markup_in_the_value_of_another_key_is_none_of_the_descriptions():
    reading = read_block(f"{NAME}{DESCRIPTION}prompt: |\n<role>\nYou sort: books.\n</role>\nlicense: MIT\n")
    assert offered(reading).description == "Does it."
    assert codes(reading) == ["yaml.unindented-text"] and reading.problems[0].line == 5
