"""Whatever a log has been through, what is whole in it is read, and the rest is accounted for."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skills_core.session.codec import encode_event
from skills_core.session.event import SessionEvent
from skills_core.session.reading import LogReading, read_lines, read_log
from tests.core.session.logs import header, log_bytes, words


def read(data: bytes) -> LogReading:
    return read_lines(io.BytesIO(data))


def seqs(reading: LogReading) -> list[int]:
    return [event.seq for event in reading.events]


WHOLE = log_bytes(words(5))


def test_a_whole_log_reads_without_damage(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(WHOLE)
    reading = read_log(path)
    assert reading.header == header("20260301-093000-aaaaaa")
    assert reading.events == words(5)
    assert reading.lines == [2, 3, 4, 5, 6]
    assert (reading.damage, reading.tail, reading.whole_size) == ((), b"", len(WHOLE))


def test_a_log_cut_at_any_byte_keeps_every_line_before_the_cut() -> None:
    for size in range(len(WHOLE)):
        data = WHOLE[:size]
        reading = read(data)
        whole_lines = data.count(b"\n")
        assert seqs(reading) == list(range(1, whole_lines))
        assert data[: reading.whole_size] + reading.tail == data
        assert reading.damage == ()
        if reading.tail_event is not None:
            # Only the line end is missing, and the event is the next one.
            assert WHOLE[size : size + 1] == b"\n"
            assert reading.tail_event == words(5)[whole_lines - 1]


@pytest.mark.parametrize(
    "spoilt",
    [
        b"",
        b"garbage",
        b"\x00" * 40,
        b'{"seq":3,"time":"t","type":"user/mess',
        b"{}",
        b"[1,2]",
        b'"\xff\xfe"',
        b'{"seq":"three","time":"t","type":"x","data":{}}',
    ],
)
def test_a_damaged_line_in_the_middle_is_named_and_the_rest_is_read(spoilt: bytes) -> None:
    lines = WHOLE.splitlines()
    lines[3] = spoilt
    reading = read(b"\n".join(lines) + b"\n")
    assert seqs(reading) == [1, 2, 4, 5]
    assert [each.line for each in reading.damage] == [4]
    assert reading.damage[0].reason


def test_every_line_may_be_damaged_at_any_byte() -> None:
    starts = [0]
    while (at := WHOLE.find(b"\n", starts[-1])) >= 0 and at + 1 < len(WHOLE):
        starts.append(at + 1)
    for at in range(len(WHOLE) - 1):
        if WHOLE[at : at + 1] == b"\n":
            continue
        data = WHOLE[:at] + b"\x00" + WHOLE[at + 1 :]
        reading = read(data)
        line = sum(start <= at for start in starts)
        assert [each.line for each in reading.damage] == [line]
        expected = [1, 2, 3, 4, 5] if line == 1 else [seq for seq in range(1, 6) if seq != line - 1]
        assert seqs(reading) == expected


def test_a_record_written_in_part_and_then_again_on_the_same_line_is_saved() -> None:
    event = words(5)[2]
    line = encode_event(event)
    for cut in range(len(line) - 1):
        lines = WHOLE.splitlines(keepends=True)
        lines[3] = line[:cut] + line
        reading = read(b"".join(lines))
        assert reading.events == words(5)
        if cut:
            assert [each.line for each in reading.damage] == [4]
            assert "seq 3 could be read from it" in reading.damage[0].reason


def test_records_behind_lost_line_ends_are_saved() -> None:
    reading = read(WHOLE.replace(b'}}\n{"seq":3', b'}}{"seq":3').replace(b'}}\n{"seq":4', b'}}{"seq":4'))
    # The header and the events of the joined line keep their order.
    assert seqs(reading) == [1, 2, 3, 4, 5]
    assert len(reading.damage) == 1


def test_zero_bytes_before_a_record_do_not_cost_it() -> None:
    lines = WHOLE.splitlines(keepends=True)
    lines[4] = b"\x00" * 4096 + lines[4]
    reading = read(b"".join(lines))
    assert seqs(reading) == [1, 2, 3, 4, 5]
    assert [each.line for each in reading.damage] == [5]


def test_an_object_inside_a_torn_record_is_not_taken_for_a_record() -> None:
    inner = '{"seq":9,"time":"t","type":"notice","data":{}}'
    torn = f'{{"seq":3,"time":"t","type":"tool/result","data":{{"copy":{inner},"more":'.encode()
    lines = WHOLE.splitlines()
    lines[3] = torn
    assert seqs(read(b"\n".join(lines) + b"\n")) == [1, 2, 4, 5]


def test_invalid_utf8_costs_its_bytes_and_not_the_message() -> None:
    data = WHOLE.replace(b"message 3", b"messa\xff\xfe 3")
    reading = read(data)
    assert seqs(reading) == [1, 2, 3, 4, 5]
    assert reading.events[2].data["content"][0]["text"] == "messa\ufffd\ufffd 3"
    assert [each.line for each in reading.damage] == [4]
    assert "not UTF-8" in reading.damage[0].reason


def test_a_repeated_seq_is_named_and_the_first_stays() -> None:
    again = encode_event(SessionEvent(2, "t", "notice", {"text": "again"}))
    data = WHOLE + again + encode_event(words(1, 6)[0])
    reading = read(data)
    assert seqs(reading) == [1, 2, 3, 4, 5, 6]
    assert reading.events == words(6)
    assert [(each.line, "used before" in each.reason) for each in reading.damage] == [(7, True)]


def test_missing_seqs_are_named() -> None:
    lines = WHOLE.splitlines(keepends=True)
    del lines[2:4]
    reading = read(b"".join(lines))
    assert seqs(reading) == [1, 4, 5]
    assert [(each.line, each.reason) for each in reading.damage] == [(3, "seq 2 to 3 missing before it")]


def test_a_huge_line_is_read() -> None:
    big = SessionEvent(6, "t", "tool/result", {"content": [{"type": "text", "text": "x" * 5_000_000}]})
    assert read(WHOLE + encode_event(big)).events[-1] == big


def test_a_hostile_line_of_many_starts_is_given_up_in_bounded_time() -> None:
    reading = read(WHOLE + b'{"seq":' * 500_000 + b"\n")
    assert seqs(reading) == [1, 2, 3, 4, 5]
    assert [each.line for each in reading.damage] == [7]


def test_a_log_without_its_header_line_is_read() -> None:
    reading = read(b"".join(WHOLE.splitlines(keepends=True)[1:]))
    assert reading.header is None
    assert seqs(reading) == [1, 2, 3, 4, 5]
    assert [each.line for each in reading.damage] == [1]


pieces = st.sampled_from(WHOLE.splitlines(keepends=True)) | st.binary(max_size=40) | st.just(b"\n")


@given(st.lists(pieces, max_size=12).map(b"".join))
@settings(max_examples=400)
def test_no_bytes_break_the_reader_and_none_is_unaccounted_for(data: bytes) -> None:
    reading = read(data)
    found = seqs(reading)
    assert found == sorted(set(found))
    assert len(reading.lines) == len(reading.events)
    assert data[: reading.whole_size] + reading.tail == data
    assert b"\n" not in reading.tail
    named = {each.line for each in reading.damage}
    read_whole = set(reading.lines) | ({1} if reading.header is not None else set())
    assert named | read_whole == set(range(1, data.count(b"\n") + 1))
