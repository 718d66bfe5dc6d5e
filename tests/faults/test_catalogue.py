"""The catalogue of faults fits the tree: each can be put in, and its tests are there. ``scripts/faults`` runs it."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.core.test_reference_table import functions
from tests.faults.catalogue import CHECKOUT, NEVER, Fault, read_catalogue

CATALOGUE = read_catalogue()


@pytest.mark.parametrize("fault", CATALOGUE, ids=lambda fault: fault.name)
def test_each_fault_can_be_put_in(fault: Fault) -> None:
    texts: dict[str, str] = {}
    for edit in fault.edits:
        before = texts.get(edit.file) or (CHECKOUT / edit.file).read_text(encoding="utf-8")
        texts[edit.file] = edit.applied(before)
        assert texts[edit.file] != before
    for file, text in texts.items():
        if file.endswith(".py"):
            compile(text, file, "exec")


@pytest.mark.parametrize("fault", CATALOGUE, ids=lambda fault: fault.name)
def test_each_named_test_exists(fault: Fault) -> None:
    assert fault.tests
    for test in fault.tests:
        file, _, name = test.partition("::")
        assert (CHECKOUT / file).exists(), f"no file {file}"
        if name:
            assert name.partition("[")[0] in functions(CHECKOUT / file), f"no test {test}"


def test_names_are_unique_and_what_must_never_happen_is_covered() -> None:
    names = Counter(fault.name for fault in CATALOGUE)
    assert [name for name, count in names.items() if count > 1] == []
    kinds = Counter(fault.kind for fault in CATALOGUE)
    assert {kind: kinds[kind] for kind in NEVER if kinds[kind] < 2} == {}
