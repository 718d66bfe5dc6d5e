"""The tables under tests/reference name, for each behaviour of the reference system, the test that holds it."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent.parent
TABLES = sorted((TESTS / "reference").glob("*.toml"))


def functions(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))} | {
        f"{klass.name}::{node.name}"
        for klass in ast.walk(tree)
        if isinstance(klass, ast.ClassDef)
        for node in klass.body
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    }


@pytest.mark.parametrize("table", TABLES, ids=lambda path: path.stem)
def test_every_named_test_exists_and_every_exception_has_its_reason(table: Path):
    for case, held_by in tomllib.loads(table.read_text(encoding="utf-8")).items():
        if isinstance(held_by, dict):
            assert set(held_by) == {"not_applicable"} and len(held_by["not_applicable"].split()) > 4, case
            continue
        for name in [held_by] if isinstance(held_by, str) else held_by:
            file, _, function = name.partition("::")
            assert (TESTS.parent / file).is_file(), f"{case}: no file {file}"
            assert function.partition("[")[0] in functions(TESTS.parent / file), f"{case}: no test {name}"


def test_no_case_is_listed_twice():
    seen: dict[str, str] = {}
    for table in TABLES:
        for case in tomllib.loads(table.read_text(encoding="utf-8")):
            assert case not in seen, f"{case} is in {table.name} and {seen.get(case)}"
            seen[case] = table.name
