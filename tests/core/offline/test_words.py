import time

import pytest

from skills_core.agent.models.offline.glossary import Glossary, glossary
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


@pytest.mark.parametrize(("one", "other"), [("site", "sit"), ("plain", "play"), ("data", "date"), ("test", "text")])
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


def test_glossary_joins_languages():
    (table,) = words("Preistabelle")
    assert {"table", "price"} <= glossary().concepts(table)
    assert dict(glossary().in_runs("柱状图和数据库"))["柱状图"] == {"chart"}
    assert "translate" in glossary().concepts(words("übersetzen")[0])
    assert not glossary().concepts(words("zzzz")[0])


def test_every_line_of_the_glossary_is_read():
    text = "# a comment\nchart graph: 图表 diagramm\n\nsign-in login: 登录\n"
    own = Glossary(text)
    assert own.concepts(words("graphs")[0]) == {"chart"} and own.concepts(words("login")[0]) == {"sign-in"}
    assert dict(own.in_runs("请登录")) == {"登录": {"sign-in"}}
