"""A line holds whatever JSON can hold, and gives it back."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skills_core.session.codec import (
    MalformedRecordError,
    decode_header,
    decode_json,
    encode_event,
    encode_header,
    encode_json,
    event_of,
)
from skills_core.session.event import SessionEvent, SessionHeader

any_text = st.text(st.characters(), max_size=30)
"""Lone surrogates too: a tool's output may hold them."""
any_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | any_text,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(any_text, inner, max_size=4),
    max_leaves=12,
)
known_keys = {"seq", "time", "type", "data"}
events = st.builds(
    SessionEvent,
    seq=st.integers(1, 2**60),
    time=any_text,
    type=any_text,
    data=st.dictionaries(any_text, any_json, max_size=5),
    extra=st.none() | st.dictionaries(any_text.filter(lambda key: key not in known_keys), any_json, min_size=1),
)
header_keys = {"type", "format_version", "id", "cwd", "created", "program_version", "parent_id", "parent_seq"}
headers = st.builds(
    SessionHeader,
    id=any_text,
    cwd=any_text,
    created=any_text,
    program_version=any_text,
    format_version=st.integers(1, 99),
    parent_id=st.just("parent"),
    parent_seq=st.integers(1, 99),
    extra=st.none() | st.dictionaries(any_text.filter(lambda key: key not in header_keys), any_json, min_size=1),
)


@given(events)
def test_an_event_comes_back_as_it_was(event: SessionEvent) -> None:
    line = encode_event(event)
    assert line.count(b"\n") == 1 and line.endswith(b"\n")
    assert event_of(decode_json(line.decode())) == event


@given(headers)
def test_a_header_comes_back_as_it_was(header: SessionHeader) -> None:
    line = encode_header(header)
    assert line.count(b"\n") == 1 and line.endswith(b"\n")
    assert decode_header(line.decode()) == header


@given(st.text(max_size=200) | any_json.map(json.dumps))
@settings(max_examples=300)
def test_any_text_is_an_event_or_is_refused_as_one_error(text: str) -> None:
    for read in (decode_header, lambda line: event_of(decode_json(line))):
        try:
            read(text)
        except MalformedRecordError as error:
            assert str(error)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 200_000,
        '{"a":' * 100_000,
        "1" * 10_000,
        "NaN",
        '{"seq":1,"time":"t","type":"x","data":{"a":Infinity}}',
        '{"seq":1,"time":"t","type":"x","data":{"a":1e999}}',
        '{"seq":true,"time":"t","type":"x","data":{}}',
        '{"seq":0,"time":"t","type":"x","data":{}}',
        '{"seq":1.0,"time":"t","type":"x","data":{}}',
        '{"seq":1,"time":"t","type":"x","data":[]}',
        '{"seq":1,"time":"t","data":{}}',
        '{"seq":1,"time":"t","type":"x","data":{}} {}',
    ],
    ids=lambda text: text[:20],
)
def test_what_is_no_record_is_refused(text: str) -> None:
    with pytest.raises(MalformedRecordError):
        event_of(decode_json(text))


def test_text_stays_readable_for_people_who_search_the_files() -> None:
    assert "你好 – Grüße".encode() in encode_json({"text": "你好 – Grüße"})


def test_what_json_cannot_hold_is_refused_when_written() -> None:
    for value in ({"a": float("nan")}, {"a": object()}, {"a": b"bytes"}):
        with pytest.raises((TypeError, ValueError)):
            encode_json(value)


def test_the_order_of_keys_begins_a_line_with_its_seq() -> None:
    line = encode_event(SessionEvent(7, "t", "notice", {"text": "x"}, {"later": 1}))
    assert line == b'{"seq":7,"time":"t","type":"notice","data":{"text":"x"},"later":1}\n'
