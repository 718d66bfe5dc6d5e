"""Injected context: titles, bodies by form, all or nothing, and the opaque row."""

from __future__ import annotations

from typing import Any

import pytest

from app.controllers.catalog_rows import difference_text
from app.controllers.context_source import context_label, declared_form
from app.controllers.row_body import Fact, Heading, ListLine, Verbatim
from app.controllers.row_lines import row_lines
from app.controllers.transcript import Transcript
from app.controllers.transcript_row import Row, row_parts, row_title
from skills_core.catalog import CatalogDifference
from skills_core.session.event import SessionEvent
from tests.app.controllers.events import catalog, context, text


def rows(*events: SessionEvent) -> list[Row]:
    transcript = Transcript()
    transcript.load(events)
    return transcript.rows


def title(row: Row) -> str:
    return "".join(piece.text for piece in row_title(row))


def entries(row: Row) -> list[tuple[str, str, str]]:
    return [(part.mark, part.name, part.text) for part in row_parts(row) if isinstance(part, ListLine)]


def fields(row: Row) -> dict[str, str]:
    return {part.name: part.value for part in row_parts(row) if isinstance(part, Fact)}


def texts(row: Row) -> list[str]:
    return [part.text for part in row_parts(row) if isinstance(part, Verbatim)]


def headings(row: Row) -> list[str]:
    return [part.text for part in row_parts(row) if isinstance(part, Heading)]


def source(**facts: Any) -> dict[str, Any]:
    return {"kind": "skill-catalog", "form": "catalog", **facts}


SOME = [{"name": "a-skill", "description": "Does A"}, {"name": "b-skill", "description": "Does B"}]


def test_a_catalog_lists_its_entries_then_the_exact_text() -> None:
    row = rows(context(1, source(entries=SOME)))[0]
    assert entries(row) == [("·", "a-skill", "Does A"), ("·", "b-skill", "Does B")]
    assert headings(row)[-1] == "Exact text that the model received"
    assert texts(row) == ["model text"]
    assert title(row).startswith("Skill catalog · 2 skills · ")


def test_a_replacement_says_so_and_shows_the_difference_first() -> None:
    before = catalog(1, ("a", "one"), ("b", "two"), ("c", "three"))
    after = catalog(2, ("a", "one"), ("b", "2"), ("d", "four"), ("e", "five"), update=True)
    row = rows(before, after)[1]
    assert title(row).startswith("Catalog replaced · 4 skills · +2 −1 ~1 · ")
    assert headings(row)[0] == "This catalog replaces every earlier one."
    assert entries(row)[:4] == [("+", "d", "four"), ("+", "e", "five"), ("−", "c", "three"), ("~", "b", "was: two")]


def test_an_empty_replacement_is_a_catalog() -> None:
    row = rows(catalog(1, ("a", "one")), catalog(2, update=True))[1]
    assert title(row) == "Catalog replaced · no skills; every earlier name is retired"
    assert entries(row) == [("−", "a", "one")]
    assert "form" not in fields(row)


def test_the_difference_is_to_the_newest_readable_catalog() -> None:
    broken = context(2, source(entries="not-a-list"))
    row = rows(catalog(1, ("a", "one")), broken, catalog(3, ("a", "one"), ("b", "two"), update=True))[2]
    assert "· +1 ·" in title(row)


@pytest.mark.parametrize(
    "facts",
    [
        {"entries": "not-a-list"},
        {"entries": [{"name": "a-skill", "description": "Does A"}, {"name": "b-skill"}]},
        {"entries": [{"name": "", "description": "x"}]},
        {"entries": [1]},
        {},
    ],
    ids=["text", "half", "nameless", "number", "missing"],
)
def test_an_unreadable_catalog_is_opaque_as_a_whole(facts: dict[str, Any]) -> None:
    row = rows(context(1, source(**facts)))[0]
    assert entries(row) == []
    assert texts(row) == ["model text"]
    assert fields(row)["form"] == "catalog"
    assert title(row) == "Context injection · skill-catalog"


def test_a_large_catalog_says_how_much_it_withheld() -> None:
    row = rows(catalog(1, *((f"s{number}", "x") for number in range(205))))[0]
    assert len(entries(row)) == 200
    assert "… 5 more" in headings(row)


def test_duplicate_names_keep_their_rows() -> None:
    row = rows(context(1, source(entries=[SOME[0], SOME[0]])))[0]
    assert len(entries(row)) == 2


def test_an_unknown_block_is_kept_in_a_catalog_and_in_place_in_an_opaque_row() -> None:
    unknown = {"type": "hologram", "x": 1}
    row = rows(context(1, source(entries=SOME), [*text("model text"), unknown]))[0]
    assert fields(row) == {"unknown block hologram": '{"type":"hologram","x":1}'}
    row = rows(context(1, {"kind": "plugin", "plugin": "p"}, [*text("before"), unknown, *text("after")]))[0]
    kinds = [type(part).__name__ for part in row_parts(row)]
    assert kinds == ["Verbatim", "Fact", "Verbatim", "Heading", "Fact"]
    assert texts(row) == ["before", "after"]


def test_adjacent_text_blocks_join_without_a_separator() -> None:
    row = rows(context(1, {"kind": "plugin", "plugin": "p"}, text("first", "second")))[0]
    assert texts(row) == ["firstsecond"]


def test_an_opaque_row_is_closed_and_shows_text_and_fields_when_open() -> None:
    facts = {"kind": "plugin", "plugin": "fixture", "empty": {}, "list": [], "form": None}
    row = rows(context(1, facts, text("line one\n\nline two")))[0]
    assert [line.text for line in row_lines(row, 80)] == ["▸ Context injection · fixture"]
    row.expanded = True
    shown = [line.text.strip() for line in row_lines(row, 80)]
    assert shown[1:4] == ["line one", "", "line two"]
    assert fields(row) == {"plugin": "fixture", "empty": "{}", "list": "[]", "form": "null"}


def test_an_oversized_field_and_text_are_bounded() -> None:
    row = rows(context(1, {"kind": "plugin", "plugin": "x" * 21_000}, text("y" * 21_000)))[0]
    assert fields(row)["plugin"].endswith("… truncated, 21,000 characters total")
    assert texts(row)[0].endswith("… truncated, 21,000 characters total")
    assert len(texts(row)[0]) < 20_100


def test_a_later_form_stays_visible_in_the_opaque_row() -> None:
    row = rows(context(1, {"kind": "plugin", "plugin": "p", "form": "a-later-form"}))[0]
    assert fields(row) == {"plugin": "p", "form": "a-later-form"}


@pytest.mark.parametrize("form", ["snapshot", "notice", "relay", "recall"])
def test_a_form_that_nothing_here_produces_is_opaque(form: str) -> None:
    row = rows(context(1, {"kind": "plugin", "plugin": "p", "form": form, "summary": "s"}))[0]
    assert fields(row) == {"plugin": "p", "form": form, "summary": "s"}


CHANGES = [
    {"path": "AGENTS.md", "action": "loaded", "digest": "1"},
    {"path": "sub/AGENTS.md", "action": "removed", "digest": None},
    {"path": "AGENTS.md", "action": "updated", "digest": "2"},
]


def instructions(changes: object) -> Row:
    facts = {"kind": "agent-instructions", "form": "instructions", "changes": changes}
    return rows(context(1, facts, text("<system-reminder>\nrules")))[0]


def test_instructions_name_their_files_once_above_the_text() -> None:
    row = instructions(CHANGES)
    assert title(row) == "Project instructions · AGENTS.md, sub/AGENTS.md"
    assert entries(row) == [("+", "AGENTS.md", "loaded"), ("−", "sub/AGENTS.md", "removed")]
    assert texts(row) == ["<system-reminder>\nrules"]


def test_a_rewritten_file_differs_from_a_new_one() -> None:
    row = instructions([{"path": "a", "action": "loaded"}, {"path": "b", "action": "updated"}])
    assert [entry[0] for entry in entries(row)] == ["+", "~"]


@pytest.mark.parametrize(
    "changes",
    [[{"action": "loaded"}], [*CHANGES, {"path": "x", "action": "merge"}], "text", [], [1]],
    ids=["pathless", "unknown-action", "text", "empty", "number"],
)
def test_unreadable_instructions_are_opaque_as_a_whole(changes: object) -> None:
    row = instructions(changes)
    assert entries(row) == []
    assert fields(row)["form"] == "instructions"
    assert "changes" in fields(row)


def test_an_invoked_skill_is_named_and_shows_its_text_and_facts() -> None:
    facts = {"kind": "skill-invocation", "form": "instructions", "name": "hem", "path": "/p", "source": "user-agents"}
    row = rows(context(1, facts, text("<skill_content>")))[0]
    assert title(row) == "Skill loaded · hem · user-agents · about 4 tokens"
    assert texts(row) == ["<skill_content>"]
    assert fields(row) == {"form": "instructions", "name": "hem", "path": "/p", "source": "user-agents"}


@pytest.mark.parametrize(
    ("facts", "label"),
    [
        ({"kind": "plugin", "plugin": "dsh-tool-skill"}, "dsh-tool-skill"),
        ({"kind": "agent-instructions", "changes": CHANGES}, "AGENTS.md, sub/AGENTS.md"),
        ({"kind": "something-new"}, "something-new"),
        ({"kind": "plugin"}, "plugin"),
        ({"kind": "plugin", "plugin": ""}, "plugin"),
        ({"kind": "plugin", "plugin": 1}, "plugin"),
        ({"kind": "agent-instructions"}, "agent-instructions"),
        ({"kind": "skill-invocation", "name": "hem"}, "hem"),
        ({"kind": 1}, None),
        ({}, None),
    ],
)
def test_labels(facts: dict[str, Any], label: str | None) -> None:
    assert context_label(facts) == label


@pytest.mark.parametrize("facts", [None, "text", [], {}, {"kind": 1}], ids=["null", "text", "list", "empty", "number"])
def test_a_source_without_a_readable_kind_is_an_unnamed_injection(facts: object) -> None:
    assert title(rows(context(1, facts))[0]) == "Context injection"


def test_a_recall_has_its_own_name() -> None:
    assert title(rows(context(1, {"kind": "session-reference"}))[0]) == "Session recall · session-reference"


def test_forms() -> None:
    for form in ("instructions", "catalog", "snapshot", "notice", "relay", "recall"):
        assert declared_form({"form": form}) == form
    for form in (None, "", 1, "a-later-form"):
        assert declared_form({"form": form}) is None


def test_the_words_for_a_difference() -> None:
    assert difference_text(CatalogDifference(("a", "b"), ("c",), ("d",))) == "+2 −1 ~1"
    assert difference_text(CatalogDifference((), ("c",), ())) == "−1"
    assert difference_text(CatalogDifference()) == "unchanged"
