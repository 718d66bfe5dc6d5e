"""What holds for any bytes: nothing raises, cleaning settles, a cut file never says otherwise than the whole one."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skills_core.document import (
    FRONTMATTER_MAX_BYTES,
    PROBLEM_KINDS,
    DocumentReading,
    clean_text,
    read_document,
    read_whole,
    yaml_reader,
)
from skills_core.skill import is_skill_name
from tests.core.document.support import entry

REAL = (
    b"---\nname: draw-charts\ndescription: \"Draws charts: bars, lines. Use when 'a picture' is wanted.\"\n"
    b"when_to_use: On request\nlicense: MIT\nmetadata:\n  author: ada\n  tags: [a, {b: c}]\n"
    b"disable-model-invocation: false\nallowed-tools: Read, Write\n---\n\n# Charts\n\nDo it.\n"
)
FRAGMENTS = st.sampled_from(
    [
        *(b"---\n", b"---", b"----\n", b"...\n", b"<!--", b"-->", b"```\n", b"<<<<<<< x\n", b">>>>>>> x\n"),
        *(
            b"\r\n",
            b"\n",
            b"\r",
            b"\t",
            b"  ",
            b": ",
            b":",
            b" #",
            b"'",
            b'"',
            b"\\",
            b"[",
            b"]",
            b"{",
            b"}",
            b"|",
            b">",
        ),
        *(b"&a ", b"*a", b"!t ", b"- ", b"? ", b"<<: ", b"%", b"@", b"`", b"word ", b"{{x}}", b"TODO", b"true"),
        *(b"name: ", b"description: ", b"user-invocable: ", b"disableModelInvocation: "),
        *(b"\x1b[31m", b"\x00", b"\x85", b"\xff", b"\xef\xbb\xbf", b"\xc2\x85", b"\xe2\x80\x8b", b"\xe2\x80\xa8"),
        *("日本".encode(), "👩‍👧".encode()),
    ]
)
MADE = st.lists(FRAGMENTS, max_size=40).map(b"".join)


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """A real file with pieces of other files put in, taken out or doubled."""
    data = REAL
    for _ in range(draw(st.integers(0, 6))):
        at = draw(st.integers(0, len(data)))
        to = draw(st.integers(at, min(len(data), at + 30)))
        data = data[:at] + draw(st.one_of(MADE, st.just(data[at:to] * 2), st.just(b""))) + data[to:]
    return data


ANY = st.one_of(st.binary(max_size=300), MADE, mutated(), MADE.map(lambda made: b"---\n" + made + b"\n---\n"))
KINDS = st.sampled_from(["bundle", "flat"])
STEMS = st.one_of(st.just("draw-charts"), st.text(max_size=20))


def check(reading: DocumentReading) -> None:
    document = reading.document
    assert not reading.needs_more
    if document is None:
        assert reading.problems or reading.not_a_skill
    else:
        assert is_skill_name(document.name)
        assert document.description.strip() and clean_text(document.description) == document.description
        assert all(problem.severity == "warning" for problem in reading.problems)
        assert all(problem.skill == document.name for problem in reading.problems)
    for problem in reading.problems:
        assert problem.code in PROBLEM_KINDS and problem.code != "file.unexpected", problem
        assert (problem.line or 1) >= 1 and (problem.column or 1) >= 1
        assert problem.message and problem.hint and "\n" not in problem.message
        assert clean_text(problem.message) == problem.message


@given(data=ANY, kind=KINDS, stem=STEMS)
@settings(max_examples=600, deadline=None)
def test_any_bytes_are_read_or_explained(data: bytes, kind: str, stem: str):
    reading, body = read_whole(data, entry(stem, kind))  # type: ignore[arg-type]
    check(reading)
    body.encode()
    assert reading == read_document(data, entry(stem, kind)) or reading.document is None  # type: ignore[arg-type]
    lines = data.decode(errors="replace").replace("\r\n", "\n").replace("\r", "\n").count("\n") + 1
    assert all((problem.line or 1) <= lines for problem in reading.problems)


@given(data=ANY, kind=KINDS, cut=st.integers(0, 400))
@settings(max_examples=600, deadline=None)
def test_a_cut_file_agrees_with_the_whole_or_asks_for_more(data: bytes, kind: str, cut: int):
    cut = min(cut, len(data))
    whole = read_document(data, entry(kind=kind))  # type: ignore[arg-type]
    part = read_document(data[:cut], entry(kind=kind), truncated=True, file_size=len(data))  # type: ignore[arg-type]
    if part.needs_more:
        assert part.document is None and part.problems == () and not part.not_a_skill
        return
    assert (part.document, part.not_a_skill) == (whole.document, whole.not_a_skill)
    assert [(p.code, p.severity, p.line, p.column) for p in part.problems] == [
        (p.code, p.severity, p.line, p.column) for p in whole.problems
    ]


@given(mutated())
@settings(max_examples=300, deadline=None)
def test_no_mutation_opens_a_closed_skill(data: bytes):
    """As long as the restriction stands on its own line in the frontmatter, the model never gets the skill."""
    closed = data.replace(b"disable-model-invocation: false", b"disable-model-invocation: true")
    reading = read_document(closed, entry("draw-charts"))
    block = closed.decode(errors="replace").replace("\r\n", "\n").replace("\r", "\n").split("\n---", 1)[0]
    if reading.document is not None and "\ndisable-model-invocation: true\n" in block + "\n":
        assert not reading.document.invocation.model_invocable


TRICKY = (
    "a \n\t\x00\x1b[]0;m\x07\\\x9b\x9d\x9c\u200b\u200c\u200d\u202e\ufe0f\ufe01\U000e0101\ufeff"
    "\U0001f469\U0001f467\U0001f3fd\u2764\u0645\u845b\U0001f3f4\U000e0067\U000e0062\U000e007f"
)


@given(st.text(st.sampled_from(TRICKY)))
@settings(max_examples=1000, deadline=None)
def test_cleaning_settles_at_once(text: str):
    cleaned = clean_text(text)
    assert clean_text(cleaned) == cleaned
    assert not set(cleaned) & set("\x00\x1b\x07\x9b\x9d\x9c\u200b\u202e\ufeff")


@given(st.text())
def test_cleaning_any_text_settles_and_can_be_encoded(text: str):
    cleaned = clean_text(text)
    assert clean_text(cleaned) == cleaned
    cleaned.encode()


@given(data=ANY)
@settings(max_examples=300, deadline=None)
def test_both_yaml_readers_offer_the_same(data: bytes):
    by_libyaml = read_document(data, entry())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(yaml_reader, "_open", yaml_reader.reader_class(libyaml=False))
        by_python = read_document(data, entry())
    check(by_python)
    if by_libyaml.document and by_python.document:
        assert by_libyaml.document.name == by_python.document.name
        assert by_libyaml.document.invocation == by_python.document.invocation


HOSTILE = {
    "brackets": "x: " + "[" * 60000,
    "braces": "x: " + "{" * 60000,
    "dashes": "x:\n " + "- " * 30000,
    "question marks": "? " * 30000,
    "open quote": 'description: "' + "a " * 30000,
    "escaped quotes": 'description: "' + '\\"' * 30000,
    "bad escapes": 'description: "' + "\\q" * 30000 + '"',
    "single quotes": "description: " + "'" * 60001,
    "keys": "".join(f"k{i}: v\n" for i in range(6000)),
    "broken keys": "".join(f"k{i}: v: w\n" for i in range(5000)),
    "quoted keys": 'a: "\n' * 12000,
    "same keys": "a: b\n" * 12000 + "a",
    "contradicting keys": "".join(f"a: {i}\n" for i in range(8000)),
    "wrong permissions": "".join(f"{'_' * (i % 40)}userInvocable: {i}\n" for i in range(1500)),
    "slashes": "/" * 60000 + ".md",
    "flow pairs": "x: {" + "a: b, " * 10000,
    "colons": ":" * 60000,
    "blank lines": "\n" * 60000,
    "tabs": "\t\n" * 30000,
    "anchors": "".join(f"k{i}: &a{i} [*a{max(i - 1, 0)}]\n" for i in range(2000)),
    "headings": "# a\n\n" * 12000,
    "escapes": "description: " + "\x1b]" * 30000,
    "csi": "description: " + "\x1b[0" * 20000,
    "joiners": "description: " + "\u200d" * 20000,
    "broken fold": "description: >\n" + "  x\n" * 14000 + " y\n",
    "placeholder": "description: [" + " A" * 29000,
    "comment": "<!--" * 15000,
    "plain metadata": "metadata:\n" + "".join(f"  k{i:x}: v\n" for i in range(6000)),
    "a title and blanks": "a: b\n---\n# Title\n" + " " * 60000 + "x",
    "a second fence and blanks": "a: b\n---\n---\n" + " " * 60000 + "x",
    "metadata": "metadata:\n" + "".join(f"  k{i}: v{i}\n" for i in range(4000)) + "  x: y: z",
}


@pytest.mark.parametrize("libyaml", [True, False], ids=["libyaml", "python"])
@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_files_are_bounded_in_time(what: str, libyaml: bool, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(yaml_reader, "_open", yaml_reader.reader_class(libyaml=libyaml))
    text = HOSTILE[what]
    files = (f"---\n{text}\n---\nBody", f"{text}\n---\n", f"---\n{text * 16}", f"# Title\n{text}\n---\n")
    for data in files:
        before = time.perf_counter()
        check(read_document(data.encode(), entry()))
        assert time.perf_counter() - before < (2 if libyaml else 10), what


def test_a_file_of_the_largest_size_is_read():
    data = REAL + b"x" * ((1 << 20) - len(REAL))
    reading, body = read_whole(data, entry("draw-charts"))
    assert reading.document is not None and len(body) > 1_000_000
    refused, nothing = read_whole(data + b"x", entry("draw-charts"))
    assert refused.document is None and nothing == ""
    assert len(REAL) < FRONTMATTER_MAX_BYTES
