"""Lines from the end of a file, without reading what comes before."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from skills_core.session.tail import lines_with, tail_start


@contextmanager
def opened(path: Path, data: bytes) -> Iterator[int]:
    path.write_bytes(data)
    fd = os.open(path, os.O_RDONLY)
    try:
        yield fd
    finally:
        os.close(fd)


def test_the_end_holds_enough_whole_lines_and_not_the_whole_file(tmp_path: Path) -> None:
    data = b"".join(b"%06d " % number + b"x" * 993 + b"\n" for number in range(2000))
    with opened(tmp_path / "log", data) as fd:
        for lines in (1, 50, 66, 500, 1999, 2000, 3000):
            start, end = tail_start(fd, len(data), lines)
            assert data[start:] == end
            assert start == 0 or (data[start - 1 : start] == b"\n" and end.count(b"\n") >= lines)
        start, _ = tail_start(fd, len(data), 1)
        assert start > len(data) - 70_000


def test_a_last_line_larger_than_a_block_is_read_whole(tmp_path: Path) -> None:
    data = b"first\n" + b"y" * 3_000_000 + b"\n"
    with opened(tmp_path / "log", data) as fd:
        start, end = tail_start(fd, len(data), 1)
        assert end.splitlines()[-1] == b"y" * 3_000_000 and data[start:] == end


marked = [b"mark", b"x mark y mark", b"z" * 1_200_000 + b"mark"]
lines = st.lists(st.sampled_from([*marked, b"nothing", b"", b"z" * 300_000]), max_size=7)


@given(lines)
@settings(max_examples=40, deadline=None)
def test_marked_lines_come_once_each_and_the_last_first(tmp_path_factory: object, content: list[bytes]) -> None:
    path = Path(tmp_path_factory.getbasetemp()) / "marked"  # type: ignore[attr-defined]
    data = b"".join(line + b"\n" for line in content)
    with opened(path, data) as fd:
        assert list(lines_with(fd, b"mark", len(data))) == [line for line in reversed(content) if b"mark" in line]
