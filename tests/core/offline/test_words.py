import time

import pytest

from skills_core.agent.models.offline.glossary import Glossary, Meaning, glossary
from skills_core.agent.models.offline.words import fold, stem_of, words


def stems(text: str) -> list[str]:
    return [word.stem for word in words(text)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("charts", "chart"),
        ("watering", "water"),
        ("planning", "planned"),
        ("brushes", "brush"),
        ("queries", "query"),
        ("codes", "code"),
        ("coding", "code"),
        ("taxes", "tax"),
        ("translator", "translation"),
        ("migrate", "migrations"),
        ("organising", "organized"),
        ("colours", "color"),
        ("writing", "write"),
        ("résumé", "resume"),
        ("STRASSE", "straße"),
        ("ｃａｆé", "cafe"),
        ("договора", "договоры"),
        ("презентацию", "презентация"),
        ("العقود", "عقود"),
        ("رحلة", "الرحلة"),
    ],
)
def test_forms_of_one_word_have_one_stem(one: str, other: str):
    assert stems(one) == stems(other) != []


@pytest.mark.parametrize(
    ("one", "other"), [("site", "sit"), ("plain", "play"), ("data", "date"), ("test", "text"), ("format", "form")]
)
def test_different_words_keep_different_stems(one: str, other: str):
    assert stem_of(one) != stem_of(other)


def test_stop_words_of_several_languages_say_nothing():
    assert stems("please can you do this for me, und was ist das? pour moi, por favor, пожалуйста") == []


def test_common_verbs_weigh_little():
    weights = {word.text: word.weight for word in words("make an excellent invoice")}
    assert weights["make"] < weights["invoice"] == 1.0


def test_text_without_spaces_becomes_pairs():
    assert stems("数据库设计") == ["数据", "据库", "库设", "设计"]
    assert stems("请帮我画图") == ["画图"]
    assert stems("グラフを作成してください") == ["グラフ", "作成"]


def test_korean_words_lose_their_particles():
    assert stems("보고서를") == stems("보고서") == ["보고", "고서"]


def test_marks_that_are_letters_stay():
    assert fold("が") == "が" and fold("ที่") == "ที่" and fold("हिन्दी") == "हिन्दी"


def test_numbers_are_words():
    assert stems("play 2048 at 7") == [*stems("play"), "2048", "7"]


@pytest.mark.parametrize(
    "text", ["a" * 300_000, "ab " * 100_000, "数" * 300_000, "é\u0301" * 100_000, "\ud800", "가" * 100_000]
)
def test_any_text_is_read_in_reasonable_time(text: str):
    began = time.monotonic()
    words(text)
    list(glossary().in_runs(text))
    assert time.monotonic() - began < 20


def meaning(word: str, known: Glossary | None = None) -> Meaning:
    return (known or glossary()).meaning(words(word)[0])


def test_glossary_joins_languages():
    assert {"table", "price"} <= meaning("Preistabelle").concepts
    assert dict(glossary().in_runs("柱状图和数据库"))["柱状图"].concepts == {"chart"}
    assert "translate" in meaning("übersetzen").concepts
    assert not meaning("zzzz")


def test_every_line_of_the_glossary_is_read():
    text = "# a comment\nchart graph: 图表 diagramm\n\nsign-in login: 登录\n"
    own = Glossary(text)
    assert meaning("graphs", own).concepts == {"chart"} and meaning("login", own).concepts == {"sign-in"}
    assert dict(own.in_runs("请登录"))["登录"].concepts == {"sign-in"}


def test_a_concept_belongs_to_the_topics_of_its_name():
    own = Glossary("chart graph: 图表 diagramm", "data chart csv")
    expected = Meaning(frozenset({"chart"}), frozenset({"data"}))
    assert meaning("Diagramm", own) == expected and dict(own.in_runs("图表"))["图表"] == expected
    assert meaning("csv", own) == Meaning(topics=frozenset({"data"}))


def test_a_word_that_only_the_thesaurus_knows_keeps_the_concepts_in_it():
    own = Glossary("contract: 契約", "legal clause: 契約書")
    assert dict(own.in_runs("契約書"))["契約書"] == Meaning(frozenset({"contract"}), frozenset({"legal"}))


def test_a_katakana_word_is_found_in_its_run_also_after_it_was_looked_up_alone():
    own = Glossary("presentation: プレゼン")
    assert not meaning("プレゼン", own)
    assert dict(own.in_runs("プレゼン資料"))["プレゼン"].concepts == {"presentation"}


def test_a_phrase_has_its_own_meaning():
    own = Glossary("", "review pull_request\nfetch pull get")
    assert dict(own.in_phrases("my pull requests")) == {("pul", "request"): Meaning(topics=frozenset({"review"}))}
    assert not list(own.in_phrases("pull a request"))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("deployment", "rollout"),
        ("summarise", "tldr"),
        ("translate", "localisation"),
        ("coverage", "specs"),
        ("crash", "defect"),
        ("invoice", "receipts"),
        ("screenshot", "photo"),
        ("agenda", "meetings"),
        ("powerpoint", "slides"),
        ("excel", "csv"),
        ("inbox", "e-mail"),
        ("refactor", "restructuring"),
        ("schema", "migration"),
        ("Mietvertrag", "landlord"),
        ("Hochzeit", "wedding"),
        ("frigo", "dinner"),
        ("зависимости", "packages"),
    ],
)
def test_words_of_one_kind_of_task_share_a_meaning(one: str, other: str):
    ours, theirs = meaning(one), Meaning()
    for word in words(other):
        found = glossary().meaning(word)
        theirs = Meaning(theirs.concepts | found.concepts, theirs.topics | found.topics)
    assert ours.concepts & theirs.concepts or ours.topics & theirs.topics


@pytest.mark.parametrize(
    ("one", "other"),
    [("deploy", "recipe"), ("invoice", "photo"), ("refactor", "garden"), ("slides", "crash"), ("wedding", "database")],
)
def test_words_of_other_tasks_share_none(one: str, other: str):
    ours, theirs = meaning(one), meaning(other)
    assert ours and theirs
    assert not ours.concepts & theirs.concepts and not ours.topics & theirs.topics
