"""Names, descriptions and the optional keys."""

from __future__ import annotations

import pytest

from skills_core.document.names import slug
from skills_core.skill import is_skill_name
from tests.core.document.support import DESCRIPTION, NAME, codes, offered, only, places, read, read_block


@pytest.mark.parametrize(
    "word", ["yes", "no", "on", "2048", "0123", "1e3", "null", "true", "2024-01-02", "0x1f", "007"]
)
def test_a_name_stays_the_text_that_was_written(word: str):
    reading = read_block(f"name: {word}\n{DESCRIPTION}", word)
    assert (offered(reading).name, reading.problems) == (word, ())


@pytest.mark.parametrize("text", ["true", "null", "1.10", "12:30", "2024-01-02", "off"])
def test_a_description_stays_the_text_that_was_written(text: str):
    assert offered(read_block(f"{NAME}description: {text}")).description == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("|\n  One.\n  Two.\n", "One.\nTwo.\n"),
        (">\n  One\n  two.\n", "One two.\n"),
        (">-\n  One\n  two.\n", "One two."),
        ("One\n  two\n\n  three", "One two\nthree"),
        ('"One \\\n  two: \\"x\\""', 'One two: "x"'),
        ("'It''s'", "It's"),
        ("\ttabbed", "tabbed"),
        ("A ---- marker", "A ---- marker"),
        ("http://x.y/z#a", "http://x.y/z#a"),
        ("<b>markup</b> & [link](x)", "<b>markup</b> & [link](x)"),
        ('"# no comment"', "# no comment"),
    ],
)
def test_descriptions_by_the_rules_of_yaml(value: str, text: str):
    reading = read_block(f"{NAME}description: {value}")
    assert offered(reading).description == text and reading.problems == ()


@pytest.mark.parametrize(
    ("written", "stem", "name", "label"),
    [
        ("Agent Development", "agent-development", "agent-development", "Agent Development"),
        ("Some Name", "folder", "folder", "Some Name"),
        ("My Cool Skill!", "Weird_Dir", "my-cool-skill", "My Cool Skill!"),
        ("tide_and_wind", "tide_and_wind", "tide-and-wind", "tide_and_wind"),
        ("Résumé Writer", "X Y", "resume-writer", "Résumé Writer"),
        ("shop:banner", "Shop", "shop-banner", "shop:banner"),
        ("../../escape", "path", "path", "../../escape"),
        ("../../escape", "Path!", "escape", "../../escape"),
        ("日本語", "Some Folder", "some-folder", "日本語"),
        ("-x-", "X_", "x", "-x-"),
        ("ﬁle Ⅳ", "-", "file-iv", "ﬁle Ⅳ"),
        ("x" * 70 + "!", "-", "x" * 64, "x" * 70 + "!"),
        ("l\u043e\u043ek-alike", "look-alike", "look-alike", "l\u043e\u043ek-alike"),
        ("zero\u200b-width", "other", "other", "zero-width"),
        ("zero\u200b-width", "Other!", "zero-width", None),
        ('"a\\u001b[31mb"', "Other!", "a-b", "a b"),
    ],
)
def test_a_name_against_the_rule_is_derived(written: str, stem: str, name: str, label: str | None):
    reading = read_block(f"name: {written}\n{DESCRIPTION}", stem)
    document = offered(reading)
    assert (document.name, document.label, document.name_derived) == (name, label, True)
    assert places(reading) == [("name.format", 2, 7)]
    assert name in reading.problems[0].message and f"`name: {name}`" in reading.problems[0].hint
    assert reading.problems[0].skill == name


@pytest.mark.parametrize(
    "block", [DESCRIPTION, "name:\n" + DESCRIPTION, 'name: ""\n' + DESCRIPTION, 'name: "  "\n' + DESCRIPTION]
)
def test_a_missing_name_is_the_folders(block: str):
    reading = read_block(block, "some-folder")
    assert (offered(reading).name, offered(reading).label, offered(reading).name_derived) == ("some-folder", None, True)
    assert (only(reading).code, only(reading).severity) == ("name.missing", "warning")
    assert only(reading).message.startswith("There is no `name`" if block == DESCRIPTION else "`name` has no value")
    slugged = offered(read_block(block, "Some_Folder"))
    assert (slugged.name, slugged.label, slugged.name_derived) == ("some-folder", None, True)


def test_nothing_to_make_a_name_of_is_an_error():
    assert [(p.code, p.severity) for p in read_block(DESCRIPTION, "日本").problems] == [("name.missing", "error")]
    assert [(p.code, p.severity) for p in read_block("name: 日本語\n" + DESCRIPTION, "日本").problems] == [
        ("name.format", "error")
    ]
    flat = read("---\n" + DESCRIPTION + "---\n", "SKILL", "flat")
    assert flat.document is None and codes(flat) == ["name.missing"]


def test_a_valid_name_is_kept_whatever_the_folder():
    reading = read_block("name: fold-maps\n" + DESCRIPTION, "maps")
    assert (offered(reading).name, offered(reading).label, offered(reading).name_derived) == ("fold-maps", None, False)
    assert places(reading) == [("name.directory-mismatch", 2, 7)]
    assert "maps" in reading.problems[0].message and "fold-maps" in reading.problems[0].message
    assert read("---\n" + NAME + DESCRIPTION + "---\n", "SKILL", "flat").problems == ()
    assert codes(read("---\n" + NAME + DESCRIPTION + "---\n", "notes", "flat")) == ["name.directory-mismatch"]
    assert offered(read_block('name: " my-skill "\n' + DESCRIPTION)).name == "my-skill"


def test_a_long_name_is_offered_with_a_warning():
    name = "a-" * 40 + "z"
    reading = read_block(f"name: {name}\n{DESCRIPTION}", name)
    assert offered(reading).name == name and codes(reading) == ["name.too-long"]
    assert codes(read_block(f"name: {'a' * 64}\n{DESCRIPTION}", "a" * 64)) == []


@pytest.mark.parametrize(
    "text", ["Ünïcödé Näme", "--", "", "a--b", "x" * 200, "-" * 200 + "y", "İstanbul", "ß", "日本"]
)
def test_a_slug_fits_the_rule_or_is_empty(text: str):
    made = slug(text)
    assert made == "" or (is_skill_name(made) and len(made) <= 64)
    assert slug(made) == made


@pytest.mark.parametrize(
    "placeholder",
    ["{{SKILL_NAME}}", "{{ name }}", "<your-skill-name>", "[skill name]", "[Skill Name]", "TODO", "tbd", "{skill-name}",
     "${NAME}", "$SKILL_NAME", "%NAME%", "__NAME__", "'{{name}}'", '"<name>"', "{% name %}", "[skill-name]", "..."],
)  # fmt: skip
def test_a_placeholder_is_named_as_what_it_is(placeholder: str):
    for reading, column in (
        (read_block(f"name: {placeholder}\n{DESCRIPTION}"), 7),
        (read_block(f"{NAME}description: {placeholder}\n"), 14),
    ):
        assert reading.document is None
        errors = [(problem.code, problem.column) for problem in reading.problems if problem.severity == "error"]
        assert errors == [("template.placeholder", column)]


def test_the_placeholder_of_a_description_template():
    reading = read_block(NAME + "description: [TODO: Complete explanation of what the skill does, and when to use it.]")
    assert codes(reading) == ["template.placeholder"]


@pytest.mark.parametrize(
    "text", ["Fills {{name}} in", "TODO lists and how to keep them", "<b>bold</b> claims <i>x</i>", "Uses $HOME"]
)
def test_text_with_a_placeholder_in_it_is_text(text: str):
    assert offered(read_block(f"{NAME}description: {text}")).description == text


@pytest.mark.parametrize(
    ("block", "code"),
    [
        ("name: [a, b]\n" + DESCRIPTION, "name.type"),
        ("name: {a: b}\n" + DESCRIPTION, "name.type"),
        ("name:\n  first: x\n" + DESCRIPTION, "name.type"),
        (NAME + "description: [a, b]", "description.type"),
        (NAME + "description:\n  - a", "description.type"),
        (NAME + "description:\n  en: a", "description.type"),
        (NAME + "description: ''", "description.empty"),
        (NAME + "description:", "description.empty"),
        (NAME + "description: ~", "description.empty"),
        (NAME + "license: MIT # or not\ndescription:   ~ # later", "description.empty"),
        (NAME + "description: |\n", "description.empty"),
        (NAME + 'description: "\\u200b"', "description.empty"),
        (NAME, "description.missing"),
        (NAME + "description: a\ndescription: b", "yaml.duplicate-key"),
        ("name: a\nname: b\n" + DESCRIPTION, "yaml.duplicate-key"),
        (NAME + DESCRIPTION + "license: a\nlicense: b", "yaml.duplicate-key"),
        (NAME + DESCRIPTION + "tags: [a]\ntags: [b]", "yaml.duplicate-key"),
        ("x: &a foo\n" + NAME + "description: *a", "yaml.alias-limit"),
        ("x: &a my-skill\nname: *a\n" + DESCRIPTION, "yaml.alias-limit"),
    ],
)
def test_what_keeps_a_skill_from_being_offered(block: str, code: str):
    reading = read_block(block)
    assert reading.document is None
    assert code in [problem.code for problem in reading.problems if problem.severity == "error"]


def test_the_place_of_what_is_missing_is_the_opening_fence():
    reading = read("\n\n---\n" + NAME + "---\n")
    assert places(reading) == [("description.missing", 3, 1), ("frontmatter.late", 3, 1)]


def test_a_key_in_other_letters_is_pointed_out():
    reading = read_block(NAME + "Description: Does it.")
    assert places(reading) == [("description.missing", 3, 1)] and "`Description`" in reading.problems[0].message


@pytest.mark.parametrize(
    "key", ["descripton", "desciption", "Descriptions", "descriptoin", "DESCRIPTION", "des-cription"]
)
def test_a_misspelt_description_is_recognised_at_its_place(key: str):
    reading = read_block(f"{NAME}{key}: Fixes things.")
    assert reading.document is None
    assert places(reading) == [("description.missing", 3, 1)]
    assert "did you mean" in only(reading).message
    assert only(reading).hint == f"Write `description` instead of `{key}`."


@pytest.mark.parametrize("key", ["nmae", "names", "Name", "nam"])
def test_a_misspelt_name_is_recognised_at_its_place(key: str):
    reading = read_block(f"{key}: my-skill\n{DESCRIPTION}")
    assert offered(reading).name == "my-skill"
    assert places(reading) == [("name.missing", 2, 1)]
    assert only(reading).hint == f"Write `name` instead of `{key}`."


@pytest.mark.parametrize("key", ["title", "game-rules", "tags", "label", "summary", "prescription-plan"])
def test_another_key_is_not_taken_for_a_misspelt_one(key: str):
    reading = read_block(f"{key}: some words\n")
    assert places(reading) == [("description.missing", 1, 1), ("name.missing", 1, 1)]
    assert not any("did you mean" in problem.message for problem in reading.problems)


def test_a_misspelt_description_with_a_colon_is_mended_by_its_spelling():
    reading = read_block(f"{NAME}descripton: Fixes: things")
    assert codes(reading) == ["description.missing", "yaml.unquoted-colon"]
    assert reading.problems[0].hint == "Write `description` instead of `descripton`."
    assert reading.problems[1].hint.startswith("Write `description` instead of `descripton`,")
    assert not any("descripton: >-" in problem.hint for problem in reading.problems)


def test_a_flat_file_with_a_misspelt_description_alone_says_so():
    reading = read_block("descripton: Fixes things.", "notes", "flat")
    assert reading.document is None
    assert places(reading) == [("description.missing", 2, 1)]
    assert only(reading).severity == "warning" and "`descripton`" in only(reading).hint


@pytest.mark.parametrize("value", ["'~'", '"~"', "!!str ~", ">-\n  ~", "~ ~", "null"])
def test_words_that_only_look_like_nothing_are_words(value: str):
    assert offered(read_block(f"{NAME}description: {value}")).description in ("~", "~ ~", "null")


def test_an_empty_description_before_a_comment_says_so():
    reading = read_block(NAME + "description: # tidy the shelf")
    assert codes(reading)[0] == "description.empty" and "comment" in reading.problems[0].hint


def test_the_length_of_a_description_is_counted_in_characters():
    assert read_block(NAME + "description: " + "é" * 1024).problems == ()
    reading = read_block(NAME + "description: " + "é" * 1025)
    assert offered(reading).description == "é" * 1025
    assert only(reading).code == "description.too-long" and "1,025" in only(reading).message
    assert read_block(NAME + "description: |\n  " + "x" * 1024 + "\n").problems == ()


@pytest.mark.parametrize("key", ["whenToUse", "when_to_use", "when-to-use"])
def test_each_spelling_of_when_to_use(key: str):
    reading = read_block(f"{NAME}{DESCRIPTION}{key}: At dawn.\n")
    assert offered(reading).when_to_use == "At dawn." and reading.problems == ()
    odd = read_block(f"{NAME}{DESCRIPTION}{key}: [a, b]\n")
    assert offered(odd).when_to_use is None and codes(odd) == ["field.type"]
    assert offered(read_block(f"{NAME}{DESCRIPTION}{key}: ''\n")).when_to_use is None


def test_two_spellings_of_when_to_use():
    reading = read_block(NAME + DESCRIPTION + "when-to-use: first\nwhenToUse: second\n")
    assert offered(reading).when_to_use == "first" and places(reading) == [("field.repeated", 5, 1)]
    assert read_block(NAME + DESCRIPTION + "when-to-use: same\nwhenToUse: same\n").problems == ()


@pytest.mark.parametrize(
    ("value", "hint"),
    [("[file]", "[file]"), ("<file> [--all]", "<file> [--all]"), ('"[a] [b]"', "[a] [b]"), ("{a}", "{a}"), ("", None)],
)
def test_an_argument_hint_is_usage_text(value: str, hint: str | None):
    reading = read_block(f"{NAME}{DESCRIPTION}argument-hint: {value}\n")
    assert offered(reading).argument_hint == hint
    assert places(reading) == ([("field.type", 4, 16)] if value[:1] in ("[", "{") else [])


def test_metadata_values_are_text():
    reading = read_block(
        NAME
        + DESCRIPTION
        + 'metadata:\n  shelf: 3\n  on: yes\n  tags: [a, 1.0]\n  deep: {x: {y: null}}\n  text: "\\e[0mx"'
    )
    metadata = offered(reading).metadata
    assert metadata == {"shelf": "3", "on": "yes", "tags": ("a", "1.0"), "deep": {"x": {"y": "null"}}, "text": " x"}
    with pytest.raises(TypeError):
        metadata["shelf"] = "4"  # type: ignore[index]
    assert offered(read_block(NAME + DESCRIPTION + "metadata:\n")).metadata is None
    odd = read_block(NAME + DESCRIPTION + "metadata: some text\n")
    assert offered(odd).metadata is None and codes(odd) == ["field.type"]


@pytest.mark.parametrize(
    "value", ["Read, Write", "Read Write", "[Read, Write]", "\n  - Read\n  - Write", "Bash(git:*)", "", '"*"']
)
def test_allowed_tools_in_any_usual_form(value: str):
    reading = read_block(f"{NAME}{DESCRIPTION}allowed-tools: {value}\n")
    assert offered(reading).name == "my-skill" and reading.problems == ()


@pytest.mark.parametrize("value", ["{a: b}", "[[a]]", "*", "[a", "&x", "- a"])
def test_a_fault_in_allowed_tools_is_only_a_warning(value: str):
    reading = read_block(f"{NAME}{DESCRIPTION}allowed-tools: {value}\n")
    assert offered(reading).name == "my-skill"
    assert all(problem.severity == "warning" for problem in reading.problems)
    assert reading.problems or value == "&x"


@pytest.mark.parametrize("key", ["license", "compatibility"])
def test_optional_text_of_another_kind(key: str):
    assert places(read_block(f"{NAME}{DESCRIPTION}{key}: [a]\n")) == [("field.type", 4, len(key) + 3)]


def test_aliases_cost_the_extra_key():
    reading = read_block(NAME + DESCRIPTION + "metadata:\n  a: &a [x]\n  b: [*a, *a]\nother: *a\nwhen_to_use: *a\n")
    assert (offered(reading).metadata, offered(reading).when_to_use) == (None, None)
    assert places(reading) == [("yaml.alias-limit", 5, 6)]
    assert "`metadata`, `other`, `when_to_use`" in reading.problems[0].message
    loop = read_block(NAME + DESCRIPTION + "metadata: &m {a: *m}\n")
    assert offered(loop).metadata is None and codes(loop) == ["yaml.alias-limit"]
    unused = read_block(NAME + "description: &d Does it.\nlicense: *d\n")
    assert offered(unused).description == "Does it."


def test_extra_keys_are_ignored():
    reading = read_block(
        NAME + DESCRIPTION + "model: tiny\nversion: 1.0\ncustom: !mine {a: [b]}\n? [odd, key]\n: value\n"
    )
    assert offered(reading).name == "my-skill" and reading.problems == ()


def test_problems_come_in_order_of_their_places_and_bear_the_offered_name():
    reading = read_block("metadata: x\nname: My Skill\ndescription: a: b\nlicense: [x]\n")
    assert [line for _, line, _ in places(reading)] == [2, 3, 4, 5]
    assert {problem.skill for problem in reading.problems} == {"my-skill"}
    assert {problem.skill for problem in read_block("name: My Skill\n").problems} == {None}
