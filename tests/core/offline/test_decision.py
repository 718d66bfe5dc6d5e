from skills_core.agent.models.offline import explain, explain_words, render_explanation
from tests.core.offline.conversations import SKILLS, call, catalog, content, request, result, said, words

CATALOG = catalog(*SKILLS)


def test_the_last_words_are_explained_also_after_the_reply():
    explanation = explain(
        request(words("hem these towels"), CATALOG, call("hem-towels"), result(content("hem-towels")), said())
    )
    decision = explanation.decision
    assert decision.verdict == "fits" and decision.chosen is not None and decision.chosen.name == "hem-towels"
    assert decision.words == "hem these towels" and explanation.skills == 3
    assert explanation.decision.routes[0] == decision.chosen


def test_the_catalog_of_then_is_used():
    messages = (words("hem towels"), CATALOG, said())
    later = (*messages, catalog(update=True))
    assert explain(request(*later)).decision == explain(request(*messages)).decision


def test_scores_of_what_did_not_fit_are_shown_too():
    explanation = explain(request(words("make it so that I have it printed"), CATALOG))
    text = render_explanation(explanation)
    assert "chart-maker" in text and f"fits from {explanation.fit_score:.2f}" in text


def test_every_verdict_has_a_line():
    for messages, line in [
        ((words("hem towels"), CATALOG), "Of 3 skills, hem-towels fits best."),
        ((words("zebra"), CATALOG), "Of 3 skills, none fits."),
        ((words("zebra"), catalog(SKILLS[0])), "Of 1 skill, none fits."),
        ((words("hello"), CATALOG), "It was a greeting"),
        ((words("list skills"), CATALOG), "It was a question about the skills"),
        ((words("/hem-towels"), CATALOG, words(content("hem-towels"))), "You invoked hem-towels yourself"),
        ((words("hem"),), "There were no skills"),
        ((said(),), "There are no words of yours"),
        ((), "There are no words of yours"),
    ]:
        assert render_explanation(explain(request(*messages))).startswith(line), line


def test_rows_hold_score_name_and_words():
    rows = render_explanation(explain(request(words("hem these towels"), CATALOG))).splitlines()
    assert rows[2].split()[1] == "hem-towels" and "towels" in rows[2] and float(rows[2].split()[0]) > 1


def test_words_are_explained_without_a_conversation():
    explanation = explain_words("hem these towels", SKILLS)
    assert explanation.decision == explain(request(words("hem these towels"), CATALOG)).decision
    assert explanation.skills == 3
