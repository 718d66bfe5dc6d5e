"""Where the home folders are."""

from __future__ import annotations

from pathlib import Path

import pytest

from skills_core.filesystem import homes
from skills_core.filesystem.homes import agents_home, canonical_with_missing_tail, dsh_home, dsh_home_label, expand_home


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def test_the_default_homes(home: Path):
    assert homes.DSH_HOME_NAME == ".dsh"
    assert dsh_home() == str(home / ".dsh")
    assert agents_home() == str(home / ".agents")
    assert dsh_home_label(dsh_home()) == "~/.dsh"


def test_a_leading_tilde_is_expanded_and_nothing_else(home: Path):
    assert expand_home("~") == str(home)
    assert expand_home("~/.dsh") == str(home / ".dsh")
    assert expand_home("~\\.dsh") == str(home / ".dsh")
    assert expand_home("/tmp/.dsh") == "/tmp/.dsh"
    assert expand_home("~other/.dsh") == "~other/.dsh"


def test_explicit_before_environment_before_default(home: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("DSH_HOME", "~/from-environment")
    monkeypatch.setenv("DSH_AGENTS_HOME", "~/agents-from-environment")
    assert dsh_home("/explicit") == "/explicit"
    assert dsh_home("~/explicit") == str(home / "explicit")
    assert dsh_home() == str(home / "from-environment")
    assert agents_home() == str(home / "agents-from-environment")


@pytest.mark.parametrize("blank", ["", "  ", "\t"])
def test_a_blank_variable_counts_as_unset(blank: str, home: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("DSH_HOME", blank)
    monkeypatch.setenv("DSH_AGENTS_HOME", blank)
    assert dsh_home() == str(home / ".dsh")
    assert agents_home() == str(home / ".agents")


def test_segments_are_joined_to_the_resolved_home(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("DSH_HOME", "/elsewhere")
    assert dsh_home(None, "skills", "one") == "/elsewhere/skills/one"
    assert agents_home("/agents", "skills") == "/agents/skills"


def test_a_home_is_named_by_whether_it_is_the_default(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("DSH_HOME", "/elsewhere")
    assert dsh_home_label(dsh_home()) == "$DSH_HOME"
    assert dsh_home_label(homes.default_dsh_home()) == "~/.dsh"


def test_the_real_path_of_what_exists_keeps_the_missing_rest(tmp_path: Path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "file").write_text("")
    real = Path(canonical_with_missing_tail(str(tmp_path / "real")))
    assert canonical_with_missing_tail(str(tmp_path / "link" / "not" / "there")) == str(real / "not" / "there")
    with pytest.raises(NotADirectoryError):
        canonical_with_missing_tail(str(tmp_path / "file" / "below"))
