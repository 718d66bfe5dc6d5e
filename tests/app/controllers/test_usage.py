"""Tokens and cost from the log: what nobody counted is unknown and never zero."""

from __future__ import annotations

from typing import Any

import pytest

from app.controllers.usage import UsageTotals, usage_lines, usage_totals, usage_words
from skills_core.session.event import SessionEvent


def events(*usages: dict[str, Any] | None, model: str = "openai:m") -> list[SessionEvent]:
    return [
        SessionEvent(number, "2026-01-01T00:00:00Z", "assistant/message", {"model": model, "usage": usage})
        for number, usage in enumerate(usages, 1)
    ]


COUNTED = {"input_tokens": 1200, "output_tokens": 34, "cache_read_tokens": 1000, "cost": 0.0123}


def test_sums() -> None:
    totals = usage_totals(events(COUNTED, {**COUNTED, "cache_write_tokens": 7}))
    assert (totals.replies, totals.counted, totals.priced, totals.tokens) == (2, 2, 2, 2468)
    assert (totals.cache_read_tokens, totals.cache_write_tokens) == (2000, 7)
    assert usage_words(totals) == "2,468 tokens $0.0246"


@pytest.mark.parametrize(
    ("usages", "words"),
    [
        ([], ""),
        ([None], "tokens unknown"),
        ([{}], "tokens unknown"),
        ([COUNTED, None], "1,234+ tokens $0.0123+"),
        ([{"input_tokens": 5, "output_tokens": 6}], "11 tokens"),
        ([COUNTED, {"input_tokens": 5}], "1,239 tokens $0.0123+"),
        ([{"input_tokens": 5, "cost": 0.00001}], "5 tokens <$0.0001"),
        ([{"input_tokens": 5, "cost": 0}], "5 tokens $0.0000"),
        ([{"input_tokens": 5, "cost": 1234.5}], "5 tokens $1,234.50"),
        ([{"input_tokens": "many", "output_tokens": True, "cost": "x"}], "tokens unknown"),
        ([{"input_tokens": -5, "cost": -1}], "tokens unknown"),
    ],
)
def test_words_for_the_status_bar(usages: list[Any], words: str) -> None:
    assert usage_words(usage_totals(events(*usages))) == words


@pytest.mark.parametrize("model", ["offline", "script:a.jsonl"])
def test_models_that_cost_nothing_do_not_count(model: str) -> None:
    totals = usage_totals(events(None, None, model=model))
    assert totals == UsageTotals()
    assert usage_lines(totals) == [("replies", "none of a real model yet")]


def test_a_page_says_what_is_unknown() -> None:
    lines = dict(usage_lines(usage_totals(events(COUNTED, None))))
    assert lines["of these from the cache"] == "1,000"
    assert lines["without a count"] == "1 reply"
    assert lines["cost"] == "$0.0123+"
    lines = dict(usage_lines(usage_totals(events(None))))
    assert "does not count" in lines["tokens"]
    assert "no price" in lines["cost"]


def test_a_summary_by_a_model_counts() -> None:
    by_model = SessionEvent(3, "", "compaction", {"model": "openai:m", "usage": COUNTED})
    without_count = SessionEvent(4, "", "compaction", {"model": "openai:m"})
    in_vain = SessionEvent(5, "", "compaction", {"usage": COUNTED})
    from_the_log = SessionEvent(6, "", "compaction", {"summary": "x"})
    totals = usage_totals([*events(COUNTED), by_model, without_count, in_vain, from_the_log])
    assert (totals.replies, totals.counted, totals.tokens) == (4, 3, 3 * 1234)
