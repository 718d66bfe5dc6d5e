"""The description of the format is true of the format."""

import io
import re
from pathlib import Path

import pytest

from skills_core.session import event as event_module
from skills_core.session.codec import encode_event, encode_header
from skills_core.session.event import FORMAT_VERSION
from skills_core.session.reading import read_lines

DOCUMENT = (Path(__file__).resolve().parents[3] / "app" / "docs" / "session-format.md").read_text()
CONSTANTS = {
    name: value
    for name, value in vars(event_module).items()
    if name.isupper() and isinstance(value, str) and not name.startswith("_")
}


def example() -> bytes:
    found = re.search(r"```jsonl\n(.*?)```", DOCUMENT, re.DOTALL)
    assert found is not None
    return found.group(1).encode()


def test_the_example_is_a_whole_log_as_the_program_writes_it() -> None:
    reading = read_lines(io.BytesIO(example()))
    assert reading.header is not None and reading.damage == () and reading.tail == b""
    assert len(reading.events) == 7
    assert encode_header(reading.header) + b"".join(map(encode_event, reading.events)) == example()


def test_the_version_is_named() -> None:
    assert f"This is format version {FORMAT_VERSION}." in DOCUMENT


@pytest.mark.parametrize("name", sorted(CONSTANTS))
def test_every_type_and_source_kind_is_described(name: str) -> None:
    assert f"| `{CONSTANTS[name]}` |" in DOCUMENT
