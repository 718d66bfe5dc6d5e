"""The script that audits the dependencies: what it says, and what it must not say."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"


def script(name: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(SCRIPTS))
    spec = importlib.util.spec_from_file_location(f"scripts_{name}", SCRIPTS / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    return module


def answer(*packages: dict[str, Any]) -> str:
    return json.dumps({"dependencies": list(packages), "fixes": []})


SOUND = {"name": "rich", "version": "1.0", "vulns": []}
BAD = {"name": "yaml", "version": "2.0", "vulns": [{"id": "PYSEC-1", "fix_versions": ["2.1", "3.0"]}]}
UNMENDED = {"name": "yaml", "version": "2.0", "vulns": [{"id": "PYSEC-2", "fix_versions": []}]}
UNKNOWN = {"name": "textual", "skip_reason": "Dependency not found"}


@pytest.mark.parametrize(
    ("packages", "known", "complete", "said"),
    [
        ([SOUND], (), True, "0 in the 1 pins that there is an answer for."),
        ([SOUND, BAD], ("yaml 2.0: PYSEC-1, mended in 2.1, 3.0",), True, "1 in the 2 pins"),
        ([UNMENDED], ("yaml 2.0: PYSEC-2, mended in no version",), True, "1 in the 1 pins"),
        ([SOUND, UNKNOWN], (), False, "0 in the 1 pins that there is an answer for. No answer for 1: textual."),
        ([UNKNOWN, UNKNOWN], (), False, "not known. The service has no record of any of the 2 pins."),
    ],
)
def test_what_was_not_answered_is_never_called_sound(
    packages: list[dict[str, Any]],
    known: tuple[str, ...],
    complete: bool,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = script("vulnerabilities", monkeypatch).read_answer(answer(*packages))
    assert (found.known, found.complete) == (known, complete)
    assert said in found.sentence


@pytest.mark.parametrize("text", ["", "No known vulnerabilities found", "[]", "{}", '{"dependencies": [1]}', "null"])
def test_an_answer_that_is_none_is_a_failure(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = script("vulnerabilities", monkeypatch).read_answer(text, "first\nno route to the service\n")
    assert not found.complete
    assert found.sentence == ("Known vulnerabilities: not known. pip-audit gave no answer (no route to the service).")


def run_audit(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *words: str, found: Any = None):
    audit = script("audit", monkeypatch)
    if found is not None:
        monkeypatch.setattr(audit.vulnerabilities, "ask", lambda constraints: found)
    monkeypatch.setattr(audit, "pin_faults", lambda *facts: [])
    monkeypatch.setattr(sys, "argv", ["audit", *words])
    return audit.main(), capsys.readouterr()


def test_the_exit_status_tells_what_is_not_known(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    read = script("vulnerabilities", monkeypatch).read_answer
    status, said = run_audit(monkeypatch, capsys)
    assert (status, said.err) == (0, "")
    assert "not asked for" in said.out
    for packages, expected in (([SOUND], 0), ([SOUND, UNKNOWN], 2), ([SOUND, BAD, UNKNOWN], 1)):
        status, said = run_audit(monkeypatch, capsys, "--vulnerabilities", found=read(answer(*packages)))
        assert status == expected
    assert "audit: yaml 2.0: PYSEC-1" in said.err


def test_every_pin_is_exact_and_pinned_once(monkeypatch: pytest.MonkeyPatch) -> None:
    audit = script("audit", monkeypatch)
    pins = audit.read_pins((SCRIPTS.parent / "constraints.txt").read_text("utf-8"))
    assert pins["textual"]
    for wrong in ("rich>=1", "rich", "rich==1; python_version<'4'", "Rich==1\nrich==2"):
        with pytest.raises(ValueError, match=r"constraints\.txt"):
            audit.read_pins(wrong)


@pytest.mark.parametrize("licence", ["GPL-3.0-only", "AGPLv3", "GNU Affero General Public License v3"])
def test_a_licence_that_binds_others_is_a_fault(licence: str, monkeypatch: pytest.MonkeyPatch) -> None:
    audit = script("audit", monkeypatch)
    rows = [
        audit.Row("a", "1", licence, "run"),
        audit.Row("b", "1", "MIT", "run"),
        audit.Row("c", "1", "LGPLv3", "run"),
    ]
    assert audit.licence_faults(rows, {}) == [f"a: its licence is {licence}"]
