"""What the model sees: the right events, in an order that every provider accepts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skills_core.session.event import COMPACTION, PendingEvent, SessionEvent, text_block, user_message
from skills_core.session.message import (
    AssistantMessage,
    ModelMessage,
    ToolResultMessage,
    UserMessage,
    message_text,
)
from skills_core.session.repair import INTERRUPTED_TEXT
from skills_core.session.surface import Surface
from tests.core.session.logs import assistant, catalog, compaction, numbered, result


def surface_of(events: Sequence[SessionEvent]) -> Surface:
    surface = Surface()
    for event in events:
        surface.take(event)
    return surface


def outline(messages: Sequence[ModelMessage]) -> list[str]:
    marks: list[str] = []
    for message in messages:
        match message:
            case UserMessage():
                marks.append(f"user {message_text(message)}")
            case AssistantMessage():
                marks.append(f"assistant {message_text(message)}")
            case ToolResultMessage():
                marks.append(f"{'error' if message.is_error else 'result'} {message.call_id} {message.text}")
    return marks


def outline_of(*pending: PendingEvent) -> list[str]:
    return outline(surface_of(numbered(pending)).messages())


CALLS = assistant("look", ("a", "read", {"path": "x"}), ("b", "read", {"path": "y"}))


def test_messages_follow_the_log() -> None:
    surface = surface_of(numbered([user_message("hi"), assistant("hello"), catalog("x"), user_message("more")]))
    assert outline(surface.messages()) == ["user hi", "assistant hello", "user catalog of x", "user more"]
    assert [message.seq for message in surface.messages()] == [1, 2, 3, 4]


def test_other_events_are_not_on_the_surface() -> None:
    others = ["tool/call", "turn/start", "turn/end", "request/context", "notice", "title", "approval", "a/later-type"]
    surface = surface_of(numbered([*(PendingEvent(each, {"content": [text_block("x")]}) for each in others)]))
    assert surface.messages() == () and list(surface.visible) == []
    assert not any(surface.is_visible(seq) for seq in range(10))


def test_results_stand_behind_their_reply_in_the_order_of_its_calls() -> None:
    assert outline_of(CALLS, result("b", "2"), result("a", "1"), user_message("next")) == [
        "assistant look",
        "result a 1",
        "result b 2",
        "user next",
    ]


def test_words_that_came_between_wait_behind_the_results() -> None:
    assert outline_of(CALLS, result("a", "1"), user_message("between"), result("b", "2"), user_message("next")) == [
        "assistant look",
        "result a 1",
        "result b 2",
        "user between",
        "user next",
    ]


def test_a_call_without_result_gets_one_that_says_so() -> None:
    assert outline_of(CALLS, result("a", "1"), user_message("go on"), assistant("yes")) == [
        "assistant look",
        "result a 1",
        f"error b {INTERRUPTED_TEXT}",
        "user go on",
        "assistant yes",
    ]
    assert outline_of(CALLS) == ["assistant look", f"error a {INTERRUPTED_TEXT}", f"error b {INTERRUPTED_TEXT}"]


def test_a_result_that_comes_later_takes_the_place_of_the_interruption() -> None:
    events = numbered([CALLS, result("a", "1"), result("b", "2")])
    surface = surface_of(events[:2])
    assert outline(surface.messages())[-1] == f"error b {INTERRUPTED_TEXT}"
    surface.take(events[2])
    assert outline(surface.messages())[-1] == "result b 2"


@pytest.mark.parametrize(
    "pending",
    [
        [result("a", "no reply asked for it"), user_message("hi")],
        [assistant("look", ("a", "read", {})), result("a", "1"), result("a", "again"), user_message("hi")],
        [assistant("look", ("a", "read", {})), result("a", "1"), result("z", "of no call"), user_message("hi")],
        [assistant("look", ("a", "read", {})), result("a", "1"), user_message("hi"), result("a", "late")],
    ],
)
def test_a_result_without_its_call_is_dropped(pending: list[PendingEvent]) -> None:
    marks = outline_of(*pending)
    assert [mark for mark in marks if mark.startswith("result")] in ([], ["result a 1"])
    assert marks[-1] == "user hi"


def test_of_two_results_of_one_call_the_first_counts() -> None:
    marks = outline_of(CALLS, result("a", "1"), result("a", "again"), result("b", "2"))
    assert marks == ["assistant look", "result a 1", "result b 2"]


def test_an_id_that_two_calls_share_is_called_once() -> None:
    twice = assistant("look", ("a", "read", {"path": "x"}), ("a", "read", {"path": "y"}))
    messages = surface_of(numbered([twice, result("a", "1"), result("a", "2")])).messages()
    assert outline(messages) == ["assistant look", "result a 1"]
    calls = [block for block in messages[0].content if block["type"] == "tool_call"]  # type: ignore[union-attr]
    assert [call["arguments"] for call in calls] == [{"path": "x"}]


def test_an_id_may_be_used_again_by_a_later_reply() -> None:
    again = [assistant("1", ("call_0", "read", {})), result("call_0", "first")]
    again += [assistant("2", ("call_0", "read", {})), result("call_0", "second")]
    assert outline_of(*again) == ["assistant 1", "result call_0 first", "assistant 2", "result call_0 second"]


def test_unknown_blocks_are_nothing_to_the_model_and_stay_in_the_log() -> None:
    later = {"type": "hologram", "data": [1]}
    content = [text_block("before"), later, text_block("after"), "no block", {"type": "text", "text": 5}]
    events = numbered([PendingEvent("user/message", {"content": content, "source": {"kind": "user"}})])
    (message,) = surface_of(events).messages()
    assert isinstance(message, UserMessage)
    assert message.content == (text_block("before"), text_block("after"))
    assert events[0].data["content"] == content


def test_a_message_without_anything_known_is_no_message() -> None:
    empty: list[PendingEvent] = [
        PendingEvent("user/message", {"content": [{"type": "hologram"}]}),
        PendingEvent("user/message", {"content": "not a list"}),
        PendingEvent("user/message", {}),
        PendingEvent("assistant/message", {"content": [text_block("")]}),
        PendingEvent("assistant/message", {"content": [{"type": "tool_call", "id": "", "name": "x"}]}),
    ]
    assert outline_of(*empty, user_message("hi")) == ["user hi"]


def test_broken_arguments_reach_the_adapter_as_they_were_said() -> None:
    call = {"type": "tool_call", "id": "a", "name": "read", "invalid_arguments": "{oops"}
    (message, answer) = surface_of(numbered([PendingEvent("assistant/message", {"content": [call]})])).messages()
    assert isinstance(message, AssistantMessage) and message.content == (call,)
    assert isinstance(answer, ToolResultMessage) and answer.is_error


def test_a_compaction_takes_the_place_of_a_range() -> None:
    events = numbered([user_message(str(number)) for number in range(1, 7)])
    surface = surface_of([*events, *numbered([compaction(2, 4, "S"), user_message("8")], 7)])
    assert outline(surface.messages()) == ["user 1", "user S", "user 5", "user 6", "user 8"]
    assert [event.seq for event in surface.visible] == [1, 7, 5, 6, 8]
    assert [seq for seq in range(10) if surface.is_visible(seq)] == [1, 5, 6, 7, 8]


def test_a_later_compaction_takes_in_an_earlier_one() -> None:
    events = numbered([user_message(str(number)) for number in range(1, 7)])
    events += numbered([compaction(1, 4, "first"), user_message("8"), compaction(7, 5, "second")], 7)
    surface = surface_of(events)
    assert outline(surface.messages()) == ["user second", "user 6", "user 8"]
    assert not surface.is_visible(7) and surface.is_visible(9)


@pytest.mark.parametrize(("first", "last"), [(9, 12), (4, 2), (None, 3), ("1", "2"), (True, 2), (-5, 0), (1.0, 2.0)])
def test_a_compaction_without_a_range_changes_nothing(first: Any, last: Any) -> None:
    events = numbered([user_message(str(number)) for number in range(1, 4)])
    bad = SessionEvent(4, "t", COMPACTION, {"summary": "S", "first": first, "last": last, "content": []})
    surface = surface_of([*events, bad])
    assert outline(surface.messages()) == ["user 1", "user 2", "user 3"]
    assert not surface.is_visible(4)


def test_a_compaction_whose_ends_were_lost_replaces_what_is_left_of_its_range() -> None:
    events = [event for event in numbered([user_message(str(n)) for n in range(1, 9)]) if event.seq not in (1, 4)]
    surface = surface_of([*events, *numbered([compaction(1, 4, "S")], 9)])
    assert outline(surface.messages()) == ["user S", "user 5", "user 6", "user 7", "user 8"]


def test_a_compaction_without_content_gives_its_summary() -> None:
    data = {"summary": "S", "first": 1, "last": 1, "content": []}
    assert outline_of(user_message("1"), PendingEvent(COMPACTION, data)) == ["user S"]


def test_messages_are_the_same_objects_when_asked_again() -> None:
    events = numbered([user_message("1"), CALLS, result("a", "1"), result("b", "2"), user_message("2")])
    surface = surface_of(events[:4])
    before = surface.messages()
    assert surface.messages() is before
    surface.take(events[4])
    after = surface.messages()
    assert all(old is new for old, new in zip(before, after, strict=False)) and len(after) == len(before) + 1


ids = st.sampled_from(["a", "b", "c"])
steps = st.one_of(
    st.builds(user_message, st.sampled_from(["u", "v"])),
    st.builds(lambda calls: assistant("t", *((id, "read", {}) for id in calls)), st.lists(ids, max_size=3)),
    st.builds(lambda id: result(id, "r"), ids),
    st.builds(lambda kind: PendingEvent(kind, {"content": [text_block("x")]}), st.sampled_from(["notice", "later/x"])),
    st.builds(compaction, st.integers(0, 25), st.integers(0, 25)),
)


def check_history(messages: Sequence[ModelMessage]) -> None:
    """What providers ask of a history."""
    at = 0
    while at < len(messages):
        message = messages[at]
        assert not isinstance(message, ToolResultMessage), "a result without its reply"
        at += 1
        if isinstance(message, AssistantMessage):
            assert message.content
            for block in message.content:
                if block["type"] == "tool_call":
                    answer = messages[at]
                    assert isinstance(answer, ToolResultMessage) and answer.call_id == block["id"]
                    at += 1


@given(st.lists(steps, max_size=25), st.sets(st.integers(0, 25)))
@settings(max_examples=400)
def test_any_log_comes_to_a_history_that_providers_accept(pending: list[PendingEvent], asked: set[int]) -> None:
    events = numbered(pending)
    surface = Surface()
    for event in events:
        surface.take(event)
        if event.seq in asked:
            check_history(surface.messages())
    messages = surface.messages()
    check_history(messages)
    # Asking on the way makes no difference, and what is visible is exactly what is said to be.
    assert messages == surface_of(events).messages()
    visible = [event.seq for event in surface.visible]
    assert len(visible) == len(set(visible))
    assert {event.seq for event in events if surface.is_visible(event.seq)} == set(visible)
    said = {message.seq for message in messages if not isinstance(message, ToolResultMessage)}
    assert said <= set(visible)
    user_events = [event for event in surface.visible if event.type in ("user/message", "compaction")]
    assert [message.seq for message in messages if isinstance(message, UserMessage)] == [e.seq for e in user_events]
