"""The short way through a plain frontmatter gives what YAML's own reader gives, or leaves the block to it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from skills_core.document import EntryName, read_document, yaml_reader
from skills_core.document import block as block_module
from skills_core.document.field import Field, field_of
from skills_core.document.plain_block import plain_fields

CASES = Path(__file__).resolve().parents[2] / "cases"

PLAIN = [
    "name: tidy-desk\ndescription: Plans how to tidy a desk.\n",
    "name: a\ndescription: b",
    "name:   a  \ndescription: it's no#1 at 10:30, see http://example.org/x#y\n",
    "name: \"a\"\ndescription: 'b: c # d'  \n",
    "name: a\n\n\ndescription: b\n\n",
    "name: a\r\nmetadata:\r\n  version: '1.2'\r\n\r\nlicense: MIT\r\n",
    "metadata:\n  version: '1.2'\n  author: ada\nlicense: MIT\n",
    "name: 日本\ndescription: 机を片付ける。use:ü#é\n",
    'name: ""\ndescription: 2048\n',
]
LEFT_TO_YAML = [
    "name: a: b\n",
    "name: a # b\n",
    "name: 'it''s'\n",
    'name: "a\\n"\n',
    "name: a\n  goes on\n",
    "name: |\n  a\n",
    "name: [a]\n",
    "name: -\n",
    "name: a\nname: a\n",
    "name:\n",
    "name:\ndescription: b\n",
    "metadata:\n  a: b\n    c: d\n",
    "metadata:\n  a:\n    c: d\n",
    "metadata:\n  a: b\n  a: c\n",
    "metadata:\n  a: b\n c: d\n",
    "- name\n",
    "? name\n: a\n",
    "name: a\tb\n",
    "name: a\rdescription: b\n",
    "name: &x a\n",
    "name: a:\n",
    "--- \nname: a\n",
    "name: a\n...\nmore: b\n",
    " name: a\n",
    "name : a\n",
    "name:a\n",
]


def by_yaml(block: str, start: int) -> dict[str, Field]:
    root: Any = yaml_reader.compose(block)
    return {key.value: field_of(key, value, start) for key, value in root.value} if root is not None else {}


def facts(fields: dict[str, Field]) -> list[tuple[Any, ...]]:
    return [
        (
            name,
            *(field.key, field.key_at, field.kind, field.text, field.at, field.end, field.plain),
            *((field.alias, field.recovered, field.repeats)),
            below(field.node) if field.kind == "map" else None,
        )
        for name, field in fields.items()
    ]


def below(node: Any) -> Any:
    return (
        node.start_mark.index,
        [
            *(
                (type(each), each.value, each.start_mark.index, each.end_mark.index)
                for pair in node.value
                for each in pair
            )
        ],
    )


@pytest.mark.parametrize("block", PLAIN)
def test_a_plain_block_is_read_as_yaml_reads_it(block: str) -> None:
    fields = plain_fields(block, 4)
    assert fields is not None
    assert facts(fields) == facts(by_yaml(block, 4))


@pytest.mark.parametrize("block", LEFT_TO_YAML)
def test_what_may_mean_more_is_left_to_yaml(block: str) -> None:
    assert plain_fields(block, 4) is None


WORDS = st.one_of(
    st.sampled_from(["name", "a", "Use when", "10:30", "x:", ": ", " #", "#", "yes", "null", "~", "- ", "---", "..."]),
    st.sampled_from(["'", '"', "''", "\\", "[", "]", "{", "}", "&a", "*a", "!t", "|", ">", "%", "@", "`", "?", ","]),
    st.sampled_from([" ", "  ", "\t", "\n", "\r\n", "\n\n", "\r", "é", "日本", "\xa0", "\u3000", "👩‍👧", "\u200b"]),
    st.characters(codec="utf-8"),
)
VALUES = st.lists(WORDS, max_size=6).map("".join)
QUOTED = st.one_of(VALUES.map(lambda text: f'"{text}"'), VALUES.map(lambda text: f"'{text}'"))
KEYS = st.sampled_from(["name", "description", "license", "metadata", "user-invocable", "a_b", "X9", "a b", "ü", "'q'"])
LINES = st.builds(
    lambda indent, key, colon, value, end: f"{indent}{key}{colon}{value}{end}",
    st.sampled_from(["", "", "", "  ", "    ", " "]),
    KEYS,
    st.sampled_from([": ", ":", ":   ", " : "]),
    st.one_of(VALUES, QUOTED, st.just("")),
    st.sampled_from(["\n", "\n", "\n", "\r\n", "", " \n", "\n\n", "\n# note\n"]),
)
BLOCKS = st.lists(LINES, min_size=1, max_size=6).map("".join)


@settings(max_examples=1_500, deadline=None)
@given(BLOCKS)
@example("metadata:\n  a: b\n\n\n")
@example("a: b\n\n  \nc: d\n")
def test_whatever_it_takes_yaml_takes_alike(block: str) -> None:
    if yaml_reader.has_foreign(block):
        return
    fields = plain_fields(block, 7)
    if fields is not None:
        assert facts(fields) == facts(by_yaml(block, 7))


@pytest.mark.parametrize("path", sorted(CASES.rglob("*.md")), ids=lambda path: str(path.relative_to(CASES)))
def test_real_files_are_the_same_documents_without_it(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data, entry = path.read_bytes(), EntryName(str(path), path.parent.name, "bundle")
    short = read_document(data, entry)
    monkeypatch.setattr(block_module, "plain_fields", lambda block, start: None)
    assert read_document(data, entry) == short
