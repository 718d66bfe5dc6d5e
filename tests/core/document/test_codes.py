"""The table of codes, the page that explains them, and the examples on that page."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest

from skills_core.document import PROBLEM_KINDS, DocumentReading, EntryName, read_document
from skills_core.document import reader as reader_module
from tests.core.document.support import codes, entry, offered, read, read_block

PAGE = (Path(__file__).resolve().parents[3] / "app/docs/problems.md").read_text(encoding="utf-8")
SECTION = re.compile(r"^### (\S+)\n(.*?)(?=^##|\Z)", re.MULTILINE | re.DOTALL)
BLOCK = re.compile(r"^(`{3,4})([^`\n]*)\n(.*?)\n?^\1$", re.MULTILINE | re.DOTALL)
SECTIONS = {match[1]: match[2] for match in SECTION.finditer(PAGE)}
ELSEWHERE = {"file.too-large", "file.unexpected", "yaml.too-many-keys"}


@dataclass(frozen=True)
class Example:
    path: str
    data: bytes

    def read(self) -> DocumentReading:
        kind: Literal["bundle", "flat"] = "bundle" if "/" in self.path else "flat"
        stem = self.path.split("/")[0].removesuffix(".md")
        return read_document(self.data, EntryName(self.path, stem, kind))


def examples(code: str) -> list[Example]:
    found: list[Example] = []
    for block in BLOCK.finditer(SECTIONS[code]):
        path, _, how = block[2].partition(" ")
        text = block[3]
        data = re.sub(rb"\\x([0-9a-f]{2})|\\n", unescaped, text.encode()) if how == "bytes" else text.encode()
        found.append(Example(path, data))
    return found


def unescaped(match: re.Match[bytes]) -> bytes:
    return bytes.fromhex(match[1].decode()) if match[1] else b"\n"


def test_the_page_explains_each_code_once_and_no_other():
    headings = [match[1] for match in SECTION.finditer(PAGE)]
    assert sorted(headings) == sorted(PROBLEM_KINDS)


@pytest.mark.parametrize("code", PROBLEM_KINDS)
def test_each_entry_names_severity_hint_and_two_examples(code: str):
    section = SECTIONS[code]
    assert section.strip().startswith(f"*{PROBLEM_KINDS[code].severity.capitalize()}.*")
    assert "Before" in section and "\nAfter:\n" in section and "\nHint: " in section
    assert len(examples(code)) == 2


@pytest.mark.parametrize(
    "code", [code for code, kind in PROBLEM_KINDS.items() if kind.found_by == "document" and code not in ELSEWHERE]
)
def test_the_example_has_the_problem_and_the_mended_one_has_none(code: str):
    before, after = examples(code)
    reading = before.read()
    assert code in codes(reading)
    assert all(problem.hint and problem.message for problem in reading.problems)
    severity = PROBLEM_KINDS[code].severity
    assert [p.severity for p in reading.problems if p.code == code] == [severity]
    assert (reading.document is None) == (severity == "error")
    mended = after.read()
    assert mended.problems == ()
    assert offered(mended).name == "my-skill"


@pytest.mark.parametrize(
    "code",
    [
        code
        for code, kind in PROBLEM_KINDS.items()
        if "{key}" in kind.hint and kind.found_by == "document" and not code.startswith("invocation.")
    ],
)
def test_the_hint_of_an_entry_is_the_one_of_its_example(code: str):
    before, _ = examples(code)
    shown = SECTIONS[code].rsplit("\nHint: ", 1)[1].strip()
    assert shown in [problem.hint for problem in before.read().problems if problem.code == code]


def test_too_large_by_the_size_of_the_file_and_of_the_frontmatter():
    head = b"---\nname: my-skill\ndescription: Does it.\n---\n"
    by_file = read_document(head, entry(), truncated=True, file_size=2_000_000)
    assert codes(by_file) == ["file.too-large"] and "2,000,000" in by_file.problems[0].message
    assert read_document(head, entry(), truncated=True, file_size=1 << 20).document is not None
    by_frontmatter = read("---\nname: my-skill\n" + "# filler\n" * 8000 + "description: Does it.\n---\n")
    assert codes(by_frontmatter) == ["file.too-large"]


def test_a_fault_of_the_reader_is_a_problem_of_the_file(monkeypatch: pytest.MonkeyPatch):
    def fails(*_: object, **__: object) -> None:
        raise KeyError("\x1b[31mboom")

    monkeypatch.setattr(reader_module, "find_frontmatter", fails)
    reading = read("---\nname: my-skill\ndescription: x\n---\n")
    assert codes(reading) == ["file.unexpected"]
    assert "\x1b" not in reading.problems[0].message


def test_too_many_keys_of_a_broken_block():
    many = "".join(f"key{number}: a: b\n" for number in range(600))
    assert codes(read_block("name: my-skill\ndescription: x\n" + many)) == ["yaml.too-many-keys"]
    whole = "".join(f"key{number}: a\n" for number in range(600))
    assert offered(read_block("name: my-skill\ndescription: x\n" + whole)).name == "my-skill"


def test_every_code_is_settled_in_the_table():
    sources = Path(reader_module.__file__).parent.glob("*.py")
    used = {
        code
        for path in sources
        for code in re.findall(
            r'"((?:file|frontmatter|yaml|name|description|invocation|field|text|template)\.[a-z0-9-]+)"',
            path.read_text(encoding="utf-8"),
        )
    }
    assert used <= set(PROBLEM_KINDS)
    assert {"name.type", "description.type"} <= set(PROBLEM_KINDS)
