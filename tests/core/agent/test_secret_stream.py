"""A secret that comes in pieces is told as little as one that comes whole."""

from __future__ import annotations

import random

import pytest

from skills_core.agent.model import TextDelta, ThinkingDelta, ToolCallDelta
from skills_core.agent.secret_stream import Delta, SecretFilter, SecretFreeReply

KEY = "sk-sk-secret-0123456789"
OTHER = "another-secret-42"


def told(*pieces: str) -> str:
    held = SecretFilter((KEY, OTHER))
    return "".join((*map(held.piece, pieces), held.rest()))


@pytest.mark.parametrize(
    "text", [KEY, f"a {KEY} b", f"{KEY}{OTHER}", f"sk-{KEY}s {OTHER} sk-s", "sk-sk-sk-sec", "none"]
)
def test_every_way_to_cut_a_text_tells_the_same(text: str) -> None:
    expected = text.replace(KEY, "[secret]").replace(OTHER, "[secret]")
    assert told(text) == told(*text) == expected
    for cut in range(1, len(text)):
        assert told(text[:cut], text[cut:]) == expected
    rng = random.Random(text)
    for _ in range(50):
        cuts = sorted(rng.sample(range(len(text) + 1), min(3, len(text))))
        assert told(*(text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True))) == expected


def test_only_what_may_begin_a_secret_waits() -> None:
    held = SecretFilter((KEY,))
    assert held.piece("ask") == "a"
    assert held.piece(" me") == "sk me"
    assert held.piece("sk-") == ""
    assert held.rest() == "sk-"


def test_most_of_a_secret_that_does_not_go_on_is_not_told() -> None:
    assert told(f"it is {KEY[:-1]}") == "it is [secret]"
    assert told(f"it is {KEY[:9]}") == f"it is {KEY[:9]}"


def test_each_part_of_a_reply_is_pieced_together_by_itself() -> None:
    half = len(KEY) // 2 + 1
    items: list[Delta] = [
        ThinkingDelta(KEY[:half]),
        TextDelta(KEY[:3]),
        TextDelta(KEY[3:] + "s"),
        ToolCallDelta(0, "read", ""),
        ToolCallDelta(1, KEY, KEY[:half]),
        ToolCallDelta(0, None, "x" + KEY[:half]),
        ToolCallDelta(1, None, KEY[half:]),
        ToolCallDelta(0, None, KEY[half:] + "s"),
    ]
    reply = SecretFreeReply((KEY,))
    out = [each for item in items for each in reply.told(item)]
    out += reply.rest()
    assert out == [
        ThinkingDelta("[secret]"),
        TextDelta("[secret]"),
        TextDelta("s"),
        ToolCallDelta(0, "read", ""),
        ToolCallDelta(1, "[secret]", ""),
        ToolCallDelta(0, None, "x"),
        ToolCallDelta(1, None, "[secret]"),
        ToolCallDelta(0, None, "[secret]"),
        ToolCallDelta(0, None, "s"),
    ]
