"""Where the frontmatter begins and ends, and what is said when it does not."""

from __future__ import annotations

import pytest

from skills_core.document import FRONTMATTER_MAX_BYTES, read_document, read_whole
from tests.core.document.support import DESCRIPTION, NAME, codes, entry, offered, places, read

BLOCK = NAME + DESCRIPTION
GOOD = f"---\n{BLOCK}---\nDo the work.\n"


@pytest.mark.parametrize(
    "file",
    [
        GOOD,
        "\ufeff" + GOOD,
        GOOD.replace("\n", "\r\n"),
        GOOD.replace("\n", "\r"),
        f"--- \t\n{BLOCK}---  \nDo the work.\n",
        f"---\n{BLOCK}---",
        f"---\n\n{BLOCK}\n---\n---\n",
        f"---\nsummary: a --- b\n{BLOCK}---\n",
        f"---\nsummary: |\n  ---\n  ----\n{BLOCK}---\n",
    ],
)
def test_an_ordinary_frontmatter_is_read_without_a_problem(file: str):
    reading = read(file)
    assert reading.problems == ()
    assert (offered(reading).name, offered(reading).description) == ("my-skill", "Does it.")
    assert not reading.looks_unfinished


@pytest.mark.parametrize(
    ("file", "code", "line", "column"),
    [
        ("\n\n" + GOOD, "frontmatter.late", 3, 1),
        ("  \n" + GOOD, "frontmatter.late", 2, 1),
        ("\ufeff\n" + GOOD, "frontmatter.late", 2, 1),
        ("<!-- one\ntwo -->\n<!-- three -->\n\n" + GOOD, "frontmatter.late", 5, 1),
        ("<!-- größer 日本 -->\n" + GOOD, "frontmatter.late", 2, 1),
        ("\ufeff<!-- größer -->\n" + GOOD, "frontmatter.late", 2, 1),
        ("# Title\n" + GOOD, "frontmatter.late", 2, 1),
        ("### A title\r\n \r\n" + GOOD.replace("\n", "\r\n"), "frontmatter.late", 3, 1),
        ("\ufeff<!-- a -->\n# Größer\n\n" + GOOD, "frontmatter.late", 4, 1),
        (f"---\n{BLOCK}-----\nBody", "frontmatter.long-fence", 4, 1),
        (f"---\n{BLOCK}----\nBody", "frontmatter.long-fence", 4, 1),
        (f"----\n{BLOCK}---\nBody", "frontmatter.long-fence", 1, 1),
    ],
)
def test_a_doubtful_fence_is_a_warning(file: str, code: str, line: int, column: int):
    reading = read(file)
    assert offered(reading).description == "Does it."
    assert places(reading) == [(code, line, column)]


@pytest.mark.parametrize(
    ("file", "code", "line", "column"),
    [
        ("# Title\n\nText.\n", "frontmatter.missing", 1, 1),
        ("\n\n# Title\n", "frontmatter.missing", 1, 1),
        ("Title\n" + GOOD, "frontmatter.missing", 1, 1),
        ("----\n\nText between rules.\n----\n", "frontmatter.missing", 1, 1),
        ("+++\nname = 'x'\n+++\n", "frontmatter.missing", 1, 1),
        ("\0\1\2 binary", "frontmatter.missing", 1, 1),
        ("---x\n", "frontmatter.missing", 1, 1),
        ("../other/SKILL.md", "frontmatter.missing", 1, 1),
        ("version https://git-lfs.github.com/spec/v1\n", "frontmatter.missing", 1, 1),
        ("Name: My skill\nDescription: Does it.\n", "frontmatter.no-opening-fence", 1, 1),
        (BLOCK + "---\nBody", "frontmatter.no-opening-fence", 1, 1),
        ("\n" + BLOCK + "---\nBody", "frontmatter.no-opening-fence", 2, 1),
        (GOOD.replace("---\n", "—\n", 1), "frontmatter.no-opening-fence", 1, 1),
        ("  " + GOOD, "frontmatter.fence-indented", 1, 3),
        (f"---\n{BLOCK} ---\nBody", "frontmatter.fence-indented", 4, 2),
        (f"---\n{BLOCK}\n# Steps\n", "frontmatter.unclosed", 1, 1),
        ("---\n" + NAME, "frontmatter.unclosed", 1, 1),
        (f"---\n{BLOCK}\n# Steps\n\nDo it.\n\n---\n\nMore.\n", "frontmatter.unclosed", 1, 1),
        (f"```yaml\n{GOOD}```\n", "frontmatter.in-code-fence", 1, 1),
        (f"\n~~~\n{GOOD}~~~\n", "frontmatter.in-code-fence", 2, 1),
        ("```sh\nls\n```\n", "frontmatter.missing", 1, 1),
        (f"---\n{NAME}<<<<<<< HEAD\n{DESCRIPTION}=======\n>>>>>>> x\n---\n", "frontmatter.merge-conflict", 3, 1),
        (f"---\n{NAME}<<<<<<< HEAD\r\n{DESCRIPTION}", "frontmatter.merge-conflict", 3, 1),
        (f"<<<<<<< HEAD\n{GOOD}", "frontmatter.merge-conflict", 1, 1),
        (f"---\n{BLOCK}>>>>>>> x\n---\n", "frontmatter.merge-conflict", 4, 1),
        ("---\n- a\n- b\n---\n", "frontmatter.not-a-mapping", 2, 1),
        ("---\nOnly text.\n---\n", "frontmatter.not-a-mapping", 2, 1),
        ("", "file.empty", 1, 1),
        (" \n\n", "file.empty", 1, 1),
        ("<!-- only a comment -->\n", "frontmatter.missing", 1, 1),
    ],
)
def test_without_a_frontmatter_the_cause_is_named(file: str, code: str, line: int, column: int):
    reading = read(file)
    assert reading.document is None
    assert places(reading) == [(code, line, column)]
    assert reading.problems[0].severity == "error"


@pytest.mark.parametrize(
    "file", ["# Read me\n", "", "Text: with a colon\n", "```\n---\n---\n```\n", "  ---\n", "----\n\ntext"]
)
def test_a_flat_file_without_a_frontmatter_is_neither_skill_nor_problem(file: str):
    reading = read(file, "README", "flat")
    assert reading.not_a_skill and reading.problems == () and reading.document is None


def test_the_message_says_what_the_file_is_instead():
    assert "link" in read("../other/SKILL.md").problems[0].message
    assert "LFS" in read("version https://git-lfs.github.com/spec/v1\noid sha256:0\n").problems[0].message
    assert "line 3" in read("Title\n\n" + GOOD).problems[0].message
    assert "TOML" in read("+++\nname = 1\n+++\n").problems[0].hint


def test_a_flat_file_with_other_keys_only_is_a_warning():
    reading = read("---\ntitle: Notes\nlayout: post\n---\nText", "notes", "flat")
    assert reading.document is None and not reading.not_a_skill
    assert [(p.code, p.severity) for p in reading.problems] == [("description.missing", "warning")]
    text_only = read("---\nA paragraph between two rules.\n---\nText", "notes", "flat")
    assert [(p.code, p.severity) for p in text_only.problems] == [("frontmatter.not-a-mapping", "warning")]
    rule_only = read("---\nA paragraph below a rule.\n", "notes", "flat")
    assert [(p.code, p.severity) for p in rule_only.problems] == [("frontmatter.unclosed", "warning")]


def test_a_flat_file_with_one_of_the_keys_is_read_like_a_skill():
    assert offered(read("---\ndescription: Does it.\n---\n", "notes", "flat")).name == "notes"
    only_name = read("---\nname: notes\n---\n", "notes", "flat")
    assert [(p.code, p.severity) for p in only_name.problems] == [("description.missing", "error")]


def test_a_flat_file_in_conflict_is_a_problem():
    assert codes(read(f"<<<<<<< HEAD\n{GOOD}", "notes", "flat")) == ["frontmatter.merge-conflict"]


@pytest.mark.parametrize(
    "file", ["", "\n", "-", "--", "---", "---\n", "---\nname: my-sk", f"---\n{BLOCK}--", "<!-- half"]
)
def test_a_file_that_breaks_off_looks_unfinished(file: str):
    assert read(file).looks_unfinished
    assert read(file, "notes", "flat").looks_unfinished


@pytest.mark.parametrize(
    "file",
    [GOOD, f"---\n{NAME}>>>>>>> x\n---\n", "# Title\n", "---\n- a\n---\n", f"---\n{NAME}---\n", "---\nname: [a\n---\n"],
)
def test_a_file_that_is_all_there_does_not_look_unfinished(file: str):
    assert not read(file).looks_unfinished


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_wide_encodings_are_named(encoding: str):
    reading = read(GOOD.encode(encoding))
    assert places(reading) == [("file.utf16", 1, 1)]
    assert ("UTF-32" if "32" in encoding else "UTF-16") in reading.problems[0].message
    assert read("# Read me\n".encode(encoding), "README", "flat").not_a_skill
    assert codes(read(GOOD.encode(encoding), "notes", "flat")) == ["file.utf16"]


def test_bytes_that_are_not_utf8_are_replaced_and_placed():
    reading = read(b"---\nname: my-skill\ndescription: \xc3\xa9 caf\xe9\n---\n")
    assert offered(reading).description == "é caf\ufffd"
    assert places(reading) == [("file.not-utf8", 3, 19)]


def test_the_body_is_stripped_and_else_unchanged():
    reading, body = read_whole(
        b"---\r\nname: my-skill\r\ndescription: x\r\n---\r\n\r\n one\r\n\r\n \ttwo \x1b[0m\r\n\r\n", entry()
    )
    assert offered(reading) and body == "one\r\n\r\n \ttwo \x1b[0m"
    assert read_whole(b"\xef\xbb\xbf" + GOOD.encode(), entry())[1] == "Do the work."
    assert read_whole(f"---\n{BLOCK}---".encode(), entry())[1] == ""
    assert read_whole(b"# None\n", entry())[1] == ""


def test_truncated_data_asks_for_more_until_the_frontmatter_has_ended():
    data = GOOD.encode()
    ended = data.index(b"---\nDo") + 4
    for cut in range(len(data)):
        reading = read_document(data[:cut], entry(), truncated=True)
        assert reading.needs_more == (cut < ended), cut
        assert cut < ended or reading == read_document(data, entry())


def test_a_closing_fence_counts_only_when_its_line_is_complete():
    head = f"---\n{BLOCK}---".encode()
    assert read_document(head, entry(), truncated=True).needs_more
    assert read_document(head + b"-x\nmore: 1\n---\n", entry()).document is not None


def test_the_frontmatter_may_take_64_kib_and_no_more():
    filler = "# filler line\n"
    room = FRONTMATTER_MAX_BYTES - len(f"---\n{BLOCK}---\n")
    largest = f"---\n{BLOCK}{filler * (room // len(filler))}---\nBody"
    assert offered(read(largest)).name == "my-skill"
    for data, truncated in (
        (largest.replace("---\nBody", filler + "---\nBody"), False),
        (f"---\n{BLOCK}{filler * 5000}", True),
    ):
        reading = read_document(data.encode()[:70000], entry(), truncated=truncated)
        assert codes(reading) == ["file.too-large"]


@pytest.mark.parametrize(
    "file",
    [
        f"# Title\n\n---\n{NAME}---\n",
        f"# Title\n\n---\n{DESCRIPTION}---\n",
        f"# Title\n\n---\nname: My Skill\n{DESCRIPTION}---\n",
        f"# Title\n\n---\n{BLOCK}disable-model-invocation: maybe\n---\n",
        f"# Title\n\n---\n{BLOCK}\nDo the work.\n",
        f"# Title\nText.\n\n---\n{BLOCK}---\n",
        f"#Title\n\n---\n{BLOCK}---\n",
        "# Title\n\n---\n\nText.\n\n---\n",
    ],
)
def test_what_stands_below_a_title_is_no_frontmatter_unless_it_makes_a_whole_skill(file: str):
    reading = read(file)
    assert reading.document is None
    assert codes(reading) == ["frontmatter.missing"]


def test_a_flat_file_with_a_title_is_no_skill():
    assert read("# Title\n\n" + GOOD, "notes", "flat").not_a_skill


def test_the_body_of_a_skill_with_a_title_is_what_follows_its_frontmatter():
    assert read_whole(("# Title\n\n" + GOOD).encode(), entry())[1] == "Do the work."


@pytest.mark.parametrize("gap", ["", "\n", " \n\n"])
def test_keys_in_a_second_frontmatter_are_pointed_out(gap: str):
    file = f"---\ntitle: x\n---\n{gap}{GOOD}"
    reading = read(file)
    assert reading.document is None
    assert places(reading) == [("frontmatter.missing", 4 + gap.count("\n"), 1)]
    assert "second frontmatter" in reading.problems[0].message
    assert [(p.code, p.severity) for p in read(file, kind="flat").problems] == [("frontmatter.missing", "warning")]


@pytest.mark.parametrize(
    "file", [f"---\n{NAME}---\n{GOOD}", "---\ntitle: x\n---\nText.\n" + GOOD, "---\ntitle: x\n---\n---\na: b\n---\n"]
)
def test_other_rules_below_a_frontmatter_are_no_second_one(file: str):
    assert "description.missing" in codes(read(file))


@pytest.mark.parametrize("start", ["# Title\n\n", "---\ntitle: x\n---\n\n", "<!-- a -->\n# Title\n"])
def test_a_part_of_the_file_says_the_same_as_the_whole_or_asks_for_more(start: str):
    data = (start + GOOD).encode()
    whole = read_document(data, entry())
    for length in range(len(data)):
        part = read_document(data[:length], entry(), truncated=True, file_size=len(data))
        assert part.needs_more or part == whole, data[:length]
