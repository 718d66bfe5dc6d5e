"""Floors well below what is measured, so that a change that spoils the routing is seen.

``scripts/offline-routing`` prints the numbers.
"""

import pytest

from skills_core.agent.models.offline import route
from skills_core.catalog import CatalogEntry
from tests.core.offline.routing import BUNDLED, CASES, case_entries, measure, stored, stored_set, without_glossary


async def test_requests_for_the_shared_cases_and_the_bundled_skills():
    entries = await case_entries()
    requests = stored("requests")
    assert len(requests) >= 60 and sum(request["language"] != "en" for request in requests) * 3 >= len(requests)
    names = {entry.name for entry in entries}
    missing = {name for request in requests for name in request["expected"]} - names
    assert not missing, f"not among the skills in {CASES} and {BUNDLED}: {missing}"
    result = measure(entries, requests)
    assert result.english.first >= 0.85 * result.english.asked, result.misses
    assert result.other.first >= 0.75 * result.other.asked, result.misses
    assert result.all.left_alone >= 0.6 * result.all.idle, result.misses


@pytest.mark.parametrize(
    ("name", "share", "idle_share"),
    [("native", 0.85, 0.8), ("everyday", 0.85, 0.8), ("heldout", 0.7, 0.8), ("independent", 0.65, 0.7)],
)
def test_requests_for_other_skills(name: str, share: float, idle_share: float):
    result = measure(*stored_set(name))
    assert result.all.first >= share * result.all.asked, result.misses
    assert result.all.left_alone >= idle_share * result.all.idle, result.misses


@pytest.mark.parametrize("name", ["native", "everyday", "heldout", "independent"])
def test_questions_of_general_knowledge_are_left_alone(name: str):
    entries, _ = stored_set(name)
    result = measure(entries, stored("chatter"))
    assert result.all.idle >= 40 and result.all.left_alone >= 0.75 * result.all.idle, result.misses


def test_the_independent_set_is_as_large_as_it_is_said_to_be():
    skills, requests = stored_set("independent")
    assert len(skills) == 30 and len(requests) == 60
    assert sum(request["language"] != "en" for request in requests) * 3 >= len(requests)
    assert sum(not request["expected"] for request in requests) * 6 >= len(requests)
    assert {name for request in requests for name in request["expected"]} <= {skill.name for skill in skills}


def test_skills_and_requests_of_one_language_need_no_glossary():
    with without_glossary():
        result = measure(*stored_set("native"))
    assert result.all.first >= 0.8 * result.all.asked, result.misses


@pytest.mark.parametrize(
    ("request_text", "description"),
    [
        ("把合同翻译成中文", "把合同从英文翻译成中文。"),
        ("会議の議事録を作って", "会議の録音から議事録を作成します。"),
        ("냉장고 재료로 요리", "냉장고에 있는 재료로 요리법을 추천합니다."),
        ("резюме для вакансии", "Составляет резюме по вакансиям."),
        ("خطط رحلة", "يخطط للرحلات"),
        ("สรุปกำไรรายเดือน", "สรุปกำไรรายเดือนของร้าน"),
        ("Rechnungen schreiben", "Schreibt eine Rechnung mit Umsatzsteuer."),
        ("REPARE MON VELO", "Répare un vélo."),
        ("Ｃａｆé ｌｉｓｔ", "Lists every cafe."),
    ],
)
def test_words_meet_across_forms_in_any_script(request_text: str, description: str):
    entries = (CatalogEntry("zz-right", description), CatalogEntry("aa-wrong", "Nothing of the kind."))
    with without_glossary():
        routes = route(request_text, entries)
    assert [each.name for each in routes] == ["zz-right"] and routes[0].score > 0.4
