"""YAML without meaning: nodes with their text and place, never constructed values.

Every scalar stays the author's text, whatever YAML would make of it. libyaml reads when PyYAML was built with it, the
pure Python reader otherwise; both give the same nodes.
"""

from __future__ import annotations

import importlib
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import yaml
from yaml.composer import Composer
from yaml.events import AliasEvent, CollectionEndEvent, CollectionStartEvent, Event, NodeEvent
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode
from yaml.parser import Parser
from yaml.reader import Reader
from yaml.scanner import Scanner

from skills_core.document.model import DEPTH_MAX

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

# What YAML refuses, or would take for a line break or a byte order mark, stands in the text that YAML sees as one
# character of a private plane, so that places stay right, and is put back in what YAML gives.
_FOREIGN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_STAND_IN = 0x10F000
_TO_STAND_IN = {
    code: _STAND_IN + (code & 0xFFF)
    for code in (
        *range(0x09),
        0x0B,
        0x0C,
        *range(0x0E, 0x20),
        *range(0x7F, 0xA0),
        0x2028,
        0x2029,
        0xFEFF,
        0xFFFE,
        0xFFFF,
    )
}
_FROM_STAND_IN = {stand_in: code for code, stand_in in _TO_STAND_IN.items()}

_MANY_BRACKETS = DEPTH_MAX - 4
_DEEP_INDENT = re.compile(r"\n[ \t?-]{30}")
_NO_TAG = ""


class _PlainTags:
    """Tags decide nothing here, so none is resolved."""

    def descend_resolver(self, *_: object) -> None: ...

    def ascend_resolver(self, *_: object) -> None: ...

    def check_resolver_prefix(self, *_: object) -> bool:
        return False

    def resolve(self, *_: object) -> str:
        return _NO_TAG


class _PythonReader(_PlainTags, Reader, Scanner, Parser, Composer):  # pyright: ignore[reportUnsafeMultipleInheritance]
    def __init__(self, text: str) -> None:
        Reader.__init__(self, text)
        Scanner.__init__(self)
        Parser.__init__(self)
        Composer.__init__(self)


def reader_class(*, libyaml: bool) -> Callable[[str], Any]:
    """The class that reads a text: libyaml's parser and composer, or the ones in pure Python."""
    if not libyaml:
        return _PythonReader
    parser: Any = importlib.import_module("yaml._yaml").CParser
    reader: Callable[[str], Any] = type("_LibyamlReader", (_PlainTags, parser), {})  # pyright: ignore[reportAssignmentType]
    return reader


_open: Callable[[str], Any] = reader_class(libyaml=bool(yaml.__with_libyaml__))


ANCHOR_TWICE = "an anchor is given twice"


class BrokenYaml(Exception):
    """The text is no YAML; ``at`` is the index in it where the reader noticed, ``reason`` the reader's words."""

    def __init__(self, at: int, reason: str) -> None:
        super().__init__(reason)
        self.at = at
        self.reason = reason


def compose(text: str) -> Node | None:
    """The root node of ``text``, None when there is nothing in it; raises BrokenYaml.

    Ask `has_foreign` first, and read the scalars of such a text through `restored`.
    """
    with _reading(text) as reader:
        return reader.get_single_node()


def has_foreign(text: str) -> bool:
    """Whether ``text`` holds characters that YAML refuses or misreads."""
    return _FOREIGN.search(text) is not None


def protected(text: str) -> str:
    """``text``, as long as before, with stand-ins for the characters that YAML refuses or misreads."""
    return text.translate(_TO_STAND_IN)


def restored(text: str) -> str:
    """The reverse of `protected`."""
    return text if text.isascii() else text.translate(_FROM_STAND_IN)


def may_be_deep(text: str) -> bool:
    """A quick look: whether collections in ``text`` could be nested deeper than is read."""
    if text.count("[") + text.count("{") > _MANY_BRACKETS:
        return True
    return _DEEP_INDENT.search(text) is not None or text.count("- ", 0, 200) > 20 or text.count("? ", 0, 200) > 20


def is_too_deep(text: str) -> bool:
    """Whether a collection in ``text`` lies deeper than DEPTH_MAX below a top-level key. Does not recurse."""
    depth = 0
    try:
        for event in _events(text):
            if isinstance(event, CollectionStartEvent):
                depth += 1
                if depth > DEPTH_MAX + 1:
                    return True
            elif isinstance(event, CollectionEndEvent):
                depth -= 1
    except BrokenYaml as fault:
        return "nesting depth" in fault.reason  # libyaml's own limit, which it meets before it gives the events
    return False


def aliases(text: str) -> list[tuple[int, int]]:
    """Each alias of ``text``: its index, and the index of the anchor that it means. Does not recurse."""
    anchors: dict[str, int] = {}
    found: list[tuple[int, int]] = []
    try:
        for event in _events(text):
            if not isinstance(event, NodeEvent) or event.anchor is None or event.start_mark is None:
                continue
            at = event.start_mark.index
            if isinstance(event, AliasEvent):
                found.append((at, anchors.get(event.anchor, at)))
            else:
                anchors[event.anchor] = at
    except BrokenYaml:
        pass
    return found


def _events(text: str) -> Iterator[Event]:
    """The parsing events; raises BrokenYaml."""
    with _reading(text) as reader:
        while reader.check_event():
            yield reader.get_event()


@contextmanager
def _reading(text: str) -> Generator[Any]:
    """A reader of ``text`` for as long as it is used; what it cannot read raises BrokenYaml."""
    reader = None
    try:
        reader = _open(text)
        yield reader
    except yaml.YAMLError as error:
        raise _broken(error, text) from None
    except (ValueError, IndexError, OverflowError, RecursionError) as error:
        raise BrokenYaml(0, str(error)) from None
    finally:
        if reader is not None:
            reader.dispose()


def _broken(error: yaml.YAMLError, text: str) -> BrokenYaml:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    at = mark.index if mark is not None else getattr(error, "position", None)
    reason = getattr(error, "problem", None) or getattr(error, "reason", None) or "it cannot be read"
    if reason == "second occurrence":
        reason = ANCHOR_TWICE
    return BrokenYaml(min(at or 0, len(text)), str(reason))


__all__ = [
    "ANCHOR_TWICE",
    "BrokenYaml",
    "MappingNode",
    "Node",
    "ScalarNode",
    "SequenceNode",
    "aliases",
    "compose",
    "has_foreign",
    "is_too_deep",
    "may_be_deep",
    "protected",
    "restored",
]
