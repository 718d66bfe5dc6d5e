import time

import pytest

from skills_core.agent.models.offline import route
from skills_core.agent.models.offline.decision import FIT_SCORE
from skills_core.agent.models.offline.index import split_exclusions, unknown_names
from skills_core.catalog import CatalogEntry


def entries(**descriptions: str) -> tuple[CatalogEntry, ...]:
    return tuple(CatalogEntry(name.replace("_", "-"), text) for name, text in descriptions.items())


SKILLS = entries(
    pdf_tools="Extract text from PDF files, merge or split PDFs.",
    word_document="Create Word documents: letters and reports. Do NOT use for PDFs or spreadsheets.",
    spreadsheet="Create spreadsheets with formulas. Not for Word documents.",
)


def names(query: str, skills=SKILLS) -> list[str]:
    return [each.name for each in route(query, skills)]


def test_best_first_with_the_words_that_said_so():
    best = route("please merge these two pdf files", SKILLS)[0]
    assert best.name == "pdf-tools" and set(best.words) >= {"merge", "pdf"}


def test_nothing_shared_is_no_route():
    assert route("zebra", SKILLS) == () and route("", SKILLS) == () and route("the of and", SKILLS) == ()
    assert route("anything", ()) == ()


def test_words_of_the_name_weigh_more():
    skills = entries(aa_one="Something about towels.", hem_towels="Something about cloths.")
    assert names("towels", skills) == ["hem-towels", "aa-one"]


def test_what_a_description_excludes_counts_against_it():
    assert "word-document" not in names("a spreadsheet")
    assert names("a word document")[0] == "word-document"


@pytest.mark.parametrize(
    ("description", "excluded"),
    [
        ("Edits. Do NOT use for PDFs or decks. Fast.", "PDFs or decks"),
        ("Edits (not for tables).", "tables"),
        ("Edits. Don't use when drawing", "drawing"),
        ("Schreibt Rechnungen. Nicht für Mahnungen.", "Mahnungen"),
        ("写周报。不要用于合同。", "合同"),
        ("議事録を作る。見積書には使わない。速い。", "見積書"),
        ("Не для договоров. Пишет письма.", "договоров"),
    ],
)
def test_exclusions_are_told_apart(description: str, excluded: str):
    included, out = split_exclusions(description)
    assert excluded in out and excluded not in included


@pytest.mark.parametrize("description", ["Does not need a key. Use it daily.", "Notes for everyone", "Nothing"])
def test_other_negations_exclude_nothing(description: str):
    assert split_exclusions(description) == (description, "")


def test_a_score_of_one_is_one_word_that_only_this_skill_uses():
    skills = entries(aa="alpha", bb="beta", cc="gamma")
    assert route("alpha", skills)[0].score == pytest.approx(1.0)
    many = tuple(CatalogEntry(f"s{number}", f"word{number}") for number in range(500))
    assert route("word77", many)[0].score == pytest.approx(1.0)


def test_a_shared_word_says_less():
    skills = entries(aa="shared alpha", bb="shared beta", cc="shared gamma", dd="delta epsilon")
    shared, own = route("shared", skills)[0].score, route("delta", skills)[0].score
    assert shared < own


def test_a_word_said_twice_counts_once():
    assert route("pdf pdf pdf", SKILLS) == route("pdf", SKILLS)


@pytest.mark.parametrize(
    "query",
    ["use word-document", "`spreadsheet` please", "the spreadsheet skill", "skill: spreadsheet", "/spreadsheet"],
)
def test_a_name_that_is_called_wins(query: str):
    best = route(f"merge pdf: {query}", SKILLS)[0]
    assert best.name in query and best.score > 10


def test_a_common_word_is_not_a_call_by_name():
    skills = entries(banner="Draws shop signs.", other="Reads a banner aloud from the top line.")
    assert route("read the banner aloud", skills)[0].name == "other"


def test_names_that_are_called_but_unknown():
    known = {"pdf-tools"}
    assert unknown_names("use the tidy-shelf skill and `pdf-tools`", known) == ("tidy-shelf",)
    assert unknown_names("what skill is there for this skill", known) == ()


def test_equal_scores_go_by_name():
    assert names("thing", entries(bb="thing", aa="thing")) == ["aa", "bb"]


def test_a_word_of_the_same_topic_finds_a_skill_but_does_not_suffice_alone():
    skills = entries(aa="Prepares a rollout.", bb="Waters the lawn.")
    (found,) = route("production", skills)
    assert found.name == "aa" and 0 < found.score < FIT_SCORE
    assert route("staging, then production", skills)[0].score > FIT_SCORE


def test_a_word_of_a_phrase_has_the_meaning_of_the_phrase():
    skills = entries(aa="Calls an endpoint.", bb="Comments on a diff.")
    assert names("my pull request", skills) == ["bb"]
    assert names("my request", skills) == ["aa"]


def test_hostile_text_costs_little_time():
    skills = tuple(CatalogEntry(f"s{number}", ("not " * 120 + "使" * 20)[:500]) for number in range(300))
    began = time.monotonic()
    route("do not use for " * 5000 + "`a-" * 5000 + "-a" * 50_000, skills)
    assert time.monotonic() - began < 30
