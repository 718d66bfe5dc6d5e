"""`skilldeck config` and `skilldeck doctor`."""

from __future__ import annotations

from typing import Any

from app.settings.definition import Settings
from tests.app.commands.conftest import Place


def test_config_has_every_setting_with_its_source(place: Place) -> None:
    config = place.home / "config"
    config.mkdir()
    (config / "settings.toml").write_text("# mine\nmax_steps = 9\n")
    (place.project / ".skilldeck.toml").write_text("discovery_depth = 2\n")
    ended = place.run(
        "--set",
        "theme=nord",
        "config",
        "--json",
        environment={"SKILLDECK_WATCH": "off", "SKILLDECK_API_KEY": "sk-123456"},
    )
    assert (ended.status, ended.err) == (0, "")
    rows = {row["key"]: row for row in ended.json}
    assert list(rows) == list(Settings.model_fields)
    assert all(list(row) == ["key", "value", "default", "source", "description"] for row in ended.json)
    assert (rows["max_steps"]["value"], rows["max_steps"]["default"]) == (9, 50)
    assert rows["max_steps"]["source"] == f"{config}/settings.toml:2"
    assert rows["discovery_depth"]["source"] == f"{place.project}/.skilldeck.toml:1"
    assert (rows["watch"]["value"], rows["watch"]["source"]) == (False, "SKILLDECK_WATCH")
    assert (rows["theme"]["value"], rows["theme"]["source"]) == ("nord", "--set theme")
    assert (rows["model"]["value"], rows["model"]["source"]) == ("offline", "default")
    assert "sk-123456" not in ended.out
    assert rows["api_key"]["source"] == "SKILLDECK_API_KEY"


def test_config_masks_what_an_address_holds(place: Place) -> None:
    for words in (("config",), ("config", "--json")):
        shown = place.run(*words, "--base-url", "http://me:hunter2@host/v1").out
        assert "hunter2" not in shown
        assert "host/v1" in shown


def test_config_in_words(place: Place) -> None:
    shown = place.run("config", "--model", "openai:gpt-5").out
    assert "openai:gpt-5" in shown
    assert "--model" in shown


def test_doctor(place: Place) -> None:
    place.skill("mine")
    ended = place.run("doctor", "--json", environment={"OPENAI_API_KEY": "sk-abcdef"})
    assert (ended.status, ended.err) == (0, "")
    assert all(list(row) == ["check", "status", "detail", "hint"] for row in ended.json)
    assert all(row["status"] in ("ok", "warning", "error") for row in ended.json)
    rows = {row["check"]: row for row in ended.json}
    for check in ("terminal", "settings", "state folder", "root", "skills", "trust", "watcher", "model", "keys"):
        assert check in rows
    assert "OPENAI_API_KEY" in rows["keys"]["detail"]
    assert "sk-abcdef" not in ended.out
    assert rows["watcher"]["detail"].startswith(("native", "polling"))
    assert not place.state.exists()


def test_doctor_says_for_which_providers_there_is_all_that_they_need(place: Place) -> None:
    keys = {"ANTHROPIC_API_KEY": "sk-abcdef", "OPENAI_API_KEY": ""}
    rows = {row["check"]: row for row in place.run("doctor", "--json", environment=keys).json}
    assert rows["providers"]["status"] == "ok"
    ready, without, *_ = rows["providers"]["detail"].split("; ")
    assert ready == "ready: anthropic (ANTHROPIC_API_KEY), ollama"
    assert without.startswith("without a key: ")
    assert "openai" in without
    assert rows["providers"]["hint"] is None


def test_doctor_says_what_is_wrong(place: Place) -> None:
    place.state.write_text("a file")
    ended = place.run("doctor", "--json", "--model", "script:missing.jsonl")
    assert ended.status == 1
    rows = {row["check"]: row for row in ended.json}
    assert rows["state folder"]["status"] == "error"
    assert "SKILLDECK_STATE_DIR" in rows["state folder"]["hint"]
    assert rows["model"]["status"] == "error"


def test_doctor_when_watching_is_off_or_polling(place: Place) -> None:
    for setting, mode in (("watch=false", "off"), ("watch_use_polling=true", "polling")):
        rows = {row["check"]: row for row in place.run("doctor", "--json", "--set", setting).json}
        assert rows["watcher"]["detail"].startswith(mode)
        assert rows["watcher"]["status"] == "ok"


def test_doctor_goes_on_when_the_settings_are_wrong(place: Place) -> None:
    place.skill("mine")
    config = place.home / "config"
    config.mkdir()
    (config / "settings.toml").write_text('max_steps = 0\nmodle = "x"\ndiscovery_depth = 2\n')
    ended = place.run("doctor", "--json")
    assert (ended.status, ended.err) == (1, "")
    faults = [row for row in ended.json if row["check"] == "settings"]
    assert [row["status"] for row in faults] == ["error", "error"]
    assert [row["detail"].split(": ")[0] for row in faults] == [f"{config}/settings.toml:{n}" for n in (2, 1)]
    assert "model" in faults[0]["hint"]
    rows = {row["check"]: row for row in ended.json}
    assert rows["skills"]["detail"].startswith("2 offered")
    assert rows["watcher"]["status"] != "error"


def test_doctor_without_a_place_for_sessions(place: Place) -> None:
    ended = place.run("doctor", "--json", environment={"SKILLDECK_STATE_DIR": "here"})
    assert (ended.status, ended.err) == (1, "")
    assert ["SKILLDECK_STATE_DIR" in row["detail"] for row in ended.json if row["check"] == "settings"] == [True]


def test_every_fault_of_the_settings_is_one_line(place: Place) -> None:
    config = place.home / "config"
    config.mkdir()
    (config / "settings.toml").write_text("max_steps = 0\nwatch = 7\n")
    for command in ("config", "skills", "check"):
        ended = place.run("--set", "keymap.app.qiut=f10", command)
        assert (ended.status, ended.out) == (2, "")
        lines = ended.err.splitlines()
        assert len(lines) == 3
        assert all(line.startswith("skilldeck: ") for line in lines)
        assert 'did you mean "app.quit"?' in lines[2]


def test_an_unknown_theme_is_told(place: Place) -> None:
    ended = place.run("--set", "theme=nrod", "config")
    assert ended.status == 0
    assert ended.err == 'skilldeck: --set theme: there is no theme "nrod"; did you mean "nord"?\n'
    rows = {row["check"]: row for row in place.run("--set", "theme=nope", "doctor", "--json").json}
    assert rows["theme"]["status"] == "warning"
    assert 'no theme "nope"' in rows["theme"]["detail"]
    assert "skilldeck-dark" in rows["theme"]["hint"]


def test_doctor_tells_what_the_project_brings_and_whether_it_is_trusted(place: Place) -> None:
    def row(*words: str) -> dict[str, Any]:
        return next(row for row in place.run("doctor", "--json", *words).json if row["check"] == "trust")

    assert row()["detail"] == "this project has no skills or instructions of its own"
    (place.project / "AGENTS.md").write_text("Be kind.\n")
    place.skill("mine")
    found = row()
    assert (found["status"], found["detail"]) == ("ok", f"{place.project}: not asked yet (1 skill, AGENTS.md)")
    assert "--trust yes" in found["hint"]
    assert row("--trust", "yes")["detail"] == f"{place.project}: trusted (1 skill, AGENTS.md)"
    (place.project / "AGENTS.md").unlink()
    (place.project / "AGENTS.md").symlink_to(place.home)
    found = row("--trust", "no")
    assert found["status"] == "warning"
    assert found["detail"].startswith(f"{place.project}: refused (1 skill); AGENTS.md is a folder, not a file")
