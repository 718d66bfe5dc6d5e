"""Five sources, one definition; every fault names its place."""

from __future__ import annotations

import importlib
import os
import pkgutil
from pathlib import Path

import pytest
from textual.binding import Binding

from app.errors import UsageError
from app.settings.binding_ids import BINDING_IDS
from app.settings.definition import PROJECT_KEYS, Settings
from app.settings.loading import read_settings
from tests.app.settings.conftest import Places
from tests.support.privileges import modes_hold


def test_defaults(places: Places) -> None:
    settings = places.load()
    assert settings.model == "offline"
    assert settings.watch is True
    assert settings.watch_stability_threshold_ms == 200
    assert settings.watch_poll_interval_ms == 100
    assert settings.watch_max_projects == 128
    assert settings.discovery_depth == 1
    assert settings.catalog_description_max_length == 500
    assert settings.max_steps == 50
    assert settings.trust == "ask"
    assert settings.provider_name == "filesystem"
    assert settings.origin("model").kind == "default"


def test_every_setting_has_a_sentence() -> None:
    for name, field in Settings.model_fields.items():
        assert field.description, name
        assert field.description.endswith("."), name


def test_each_source_overrides_the_one_before(places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    places.user_file.write_text('# mine\nmodel = "user"\nmax_steps = 7\ndiscovery_depth = 2\n')
    assert places.load().model == "user"
    places.project_file.write_text('\nmodel = "project"\ndiscovery_depth = 3\n')
    settings = places.load()
    assert (settings.model, settings.discovery_depth, settings.max_steps) == ("project", 3, 7)
    assert settings.origin("model").place == f"{places.project_file}:2"
    assert settings.origin("max_steps").place == f"{places.user_file}:3"
    monkeypatch.setenv("SKILLDECK_MODEL", "environment")
    settings = places.load()
    assert settings.model == "environment"
    assert settings.origin("model").place == "SKILLDECK_MODEL"
    settings = places.load(("model", "flag"))
    assert settings.model == "flag"
    assert settings.origin("model").place == "--set model"
    assert settings.discovery_depth == 3


def test_tables_merge_field_by_field(places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    places.user_file.write_text(
        'theme = "nord"\n[keymap]\n"app.quit" = "f10"\ncomposer.newline = "f2"\nchat.pane = "f3"\n'
    )
    monkeypatch.setenv("SKILLDECK_KEYMAP__COMPOSER__NEWLINE", "ctrl+s")
    settings = places.load(("keymap.chat.pane", "f4"))
    assert settings.keymap == {"app.quit": "f10", "composer.newline": "ctrl+s", "chat.pane": "f4"}
    assert settings.origin("keymap.composer.newline").place == "SKILLDECK_KEYMAP__COMPOSER__NEWLINE"
    assert settings.origin("keymap.app.quit").place == f"{places.user_file}:3"
    assert settings.origin("keymap.chat.pane").kind == "flag"


def test_text_values_of_environment_and_flags(places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SKILLDECK_WATCH", "off")
    monkeypatch.setenv("SKILLDECK_ALLOW_TOOLS", "write, edit shell")
    monkeypatch.setenv("SKILLDECK_CUSTOM_SKILL_DIRS", os.pathsep.join(["/a b", "rel"]))
    settings = places.load(("disabled_skills", '["one", "two"]'), ("max_steps", "9"))
    assert settings.watch is False
    assert settings.allow_tools == ("write", "edit", "shell")
    assert settings.custom_skill_dirs == ("/a b", str(places.project / "rel"))
    assert settings.disabled_skills == ("one", "two")
    assert settings.max_steps == 9


def test_a_blank_variable_is_not_set(places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SKILLDECK_MODEL", "")
    assert places.load().model == "offline"


def test_relative_paths_belong_to_the_place_that_names_them(places: Places, tmp_path: Path) -> None:
    places.user_file.write_text('custom_skill_dirs = ["mine", "~/other"]\ndsh_home = "~/d"\n')
    settings = places.load()
    assert settings.custom_skill_dirs == (str(places.config / "mine"), str(tmp_path / "home" / "other"))
    assert settings.dsh_home == str(tmp_path / "home" / "d")
    places.project_file.write_text('custom_skill_dirs = ["shared/skills"]\n')
    settings = places.load()
    assert settings.custom_skill_dirs == (str(places.project / "shared/skills"),)
    assert settings.origin("custom_skill_dirs").kind == "project"


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (
            "watch = true\nwatch_use_poling = true\n",
            2,
            ['there is no setting "watch_use_poling"', '"watch_use_polling"'],
        ),
        ("\n\nwatch-use-polling = true\n", 3, ['"watch_use_polling"']),
        ("discovery_depth = 9\n", 1, ["discovery_depth = 9", "from 1 to 6"]),
        ("max_steps = true\n", 1, ["max_steps = true", "whole number"]),
        ("max_steps = 2.5\n", 1, ["whole number"]),
        ('a = 1\nmax_steps = "many"\n', 1, ['there is no setting "a"']),
        ('max_steps = "many"\n', 1, ['max_steps = "many"', "whole number"]),
        ('watch = "perhaps"\n', 1, ["true or false"]),
        ('trust = "yess"\n', 1, ["yes or no", 'did you mean "yes"?']),
        ("model = 4\n", 1, ["model = 4", "must be text"]),
        ('model = " "\n', 1, ["must not be blank"]),
        ("disabled_skills = [1]\n", 1, ["must be text"]),
        ("disabled_skills = 1\n", 1, ["must be a list"]),
        ("keymap = 3\n", 1, ["table"]),
        ('[keymap]\napp.quit = "f1"\nchat.pane = 4\n', 3, ["keymap.chat.pane", "must be text"]),
        ('[keymap]\napp.quit = "f1"\nchat.pain = "f2"\n', 3, ["keymap.chat.pain", 'did you mean "chat.pane"?']),
        ("catalog_description_max_length = 2\n", 1, ["from 3"]),
        ("custom_skill_dirs = [\n  'a',\n]\nmodle = 'x'\n", 4, ['"model"']),
        ("[model]\nname = 'x'\n", 1, ["must be text"]),
        ('api_key = "sk-secret"\n', 1, ["may not be kept in a file", "api_key_command"]),
    ],
)
def test_a_fault_in_the_users_file_names_line_and_key(places: Places, text: str, line: int, words: list[str]) -> None:
    places.user_file.write_text(text)
    with pytest.raises(UsageError) as caught:
        places.load()
    shown = f"{caught.value.message} {caught.value.hint}"
    assert caught.value.message.startswith(f"{places.user_file}:{line}:")
    for word in words:
        assert word in shown
    assert "\n" not in shown
    assert "sk-secret" not in shown


@pytest.mark.parametrize(
    ("text", "place"),
    [("watch = \n", "1:9"), ("watch = true\n\n  = 3\n", "3:3"), ('a = "b', "1:7"), ("[t\n", "1:3")],
)
def test_bad_toml_names_line_and_column(places: Places, text: str, place: str) -> None:
    places.user_file.write_text(text)
    with pytest.raises(UsageError, match="not TOML") as caught:
        places.load()
    assert caught.value.message.startswith(f"{places.user_file}:{place}: ")


def test_a_bad_value_is_told_even_when_another_source_overrides_it(places: Places) -> None:
    places.user_file.write_text("max_steps = 0\n")
    with pytest.raises(UsageError, match="from 1 to 1000"):
        places.load(("max_steps", "3"))


def test_a_project_may_set_few_things(places: Places) -> None:
    for key in Settings.model_fields:
        value = '["x"]' if key in ("custom_skill_dirs", "disabled_skills") else "3" if key != "model" else '"m"'
        places.project_file.write_text(f"{key} = {value}\n")
        if key in PROJECT_KEYS:
            places.load()
        else:
            with pytest.raises(UsageError, match=f"a project may not set {key}") as caught:
                places.load()
            assert caught.value.message.startswith(f"{places.project_file}:1: ")
            assert str(places.user_file) in caught.value.hint


@pytest.mark.parametrize("model", ["script:evil.jsonl", "http://elsewhere/v1"])
def test_a_project_may_not_name_a_file_or_an_address_as_model(places: Places, model: str) -> None:
    places.project_file.write_text(f'model = "{model}"\n')
    with pytest.raises(UsageError, match="no file and no address"):
        places.load()


def test_an_unknown_variable_is_told(places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SKILLDECK_WACTH", "0")
    with pytest.raises(UsageError, match="SKILLDECK_WACTH") as caught:
        places.load()
    assert "SKILLDECK_WATCH" in caught.value.hint


@pytest.mark.parametrize(
    ("variable", "text"), [("SKILLDECK_MAX_STEPS", "x"), ("SKILLDECK_KEYMAP", "x"), ("SKILLDECK_DISABLED_SKILLS", "[x")]
)
def test_a_bad_variable_is_named(places: Places, monkeypatch: pytest.MonkeyPatch, variable: str, text: str) -> None:
    monkeypatch.setenv(variable, text)
    with pytest.raises(UsageError) as caught:
        places.load()
    assert caught.value.message.startswith(f"{variable}: ")


def test_every_fault_of_every_source_is_told(places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    places.user_file.write_text('modle = "x"\nmax_steps = 0\n\ntrust = "maybe"\nwatch = false\n')
    places.project_file.write_text('theme = "nord"\ndiscovery_depth = 99\n')
    monkeypatch.setenv("SKILLDECK_WACTH", "0")
    monkeypatch.setenv("SKILLDECK_KEYMAP", "x")
    with pytest.raises(UsageError) as caught:
        places.load(("keymap.nope", "f10"), ("request_timeout", "soon"))
    told = [fault.message.split(": ")[0] for fault in (caught.value, *caught.value.others)]
    user, project = places.user_file, places.project_file
    assert told == [
        f"{user}:1",
        f"{user}:2",
        f"{user}:4",
        f"{project}:1",
        f"{project}:2",
        "SKILLDECK_WACTH",
        "SKILLDECK_KEYMAP",
        "--set request_timeout",
        "--set keymap.nope",
    ]


def test_what_has_no_fault_is_read_all_the_same(places: Places) -> None:
    places.user_file.write_text('modle = "x"\nmax_steps = 0\nwatch = false\n[keymap]\nnope = "f1"\n')
    reading = read_settings(str(places.project), str(places.project))
    assert len(reading.faults) == 3
    assert (reading.settings.max_steps, reading.settings.watch, reading.settings.keymap) == (50, False, {})
    assert reading.settings.origin("max_steps").kind == "default"
    assert reading.settings.origin("watch").place == f"{places.user_file}:3"


def test_the_ids_of_bindings_are_those_of_the_screen() -> None:
    modules = [importlib.import_module("app.main")]
    for package in ("app.screens", "app.widgets"):
        found = pkgutil.iter_modules(importlib.import_module(package).__path__)
        modules += [importlib.import_module(f"{package}.{module.name}") for module in found]
    bindings = [
        binding
        for module in modules
        for owner in vars(module).values()
        if isinstance(owner, type) and owner.__module__ == module.__name__
        for binding in vars(owner).get("BINDINGS", ())
    ]
    assert all(isinstance(binding, Binding) and binding.id for binding in bindings)
    assert sorted({binding.id for binding in bindings}) == list(BINDING_IDS)


def test_a_bad_flag_is_named(places: Places) -> None:
    with pytest.raises(UsageError, match=r"--set modle: there is no setting") as caught:
        places.load(("modle", "x"))
    assert "model" in caught.value.hint
    with pytest.raises(UsageError, match=r"--set max_steps: max_steps = \"x\": must be a whole number"):
        places.load(("max_steps", "x"))
    with pytest.raises(UsageError, match="model has no part named name"):
        places.load(("model.name", "x"))


def test_a_secret_comes_from_the_environment_only(places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="everyone on this machine") as caught:
        places.load(("api_key", "sk-secret"))
    assert "sk-secret" not in caught.value.message + caught.value.hint
    monkeypatch.setenv("SKILLDECK_API_KEY", "sk-secret")
    settings = places.load()
    assert settings.api_key is not None
    assert settings.api_key.get_secret_value() == "sk-secret"
    assert "sk-secret" not in repr(settings)


def test_files_that_are_none(places: Places) -> None:
    places.user_file.mkdir()
    with pytest.raises(UsageError, match="is not a file"):
        places.load()
    places.user_file.rmdir()
    os.mkfifo(places.project_file)
    with pytest.raises(UsageError, match="is not a file"):
        places.load()
    places.project_file.unlink()
    places.project_file.write_bytes(b"# fine\nmodel = '\xff'\n")
    with pytest.raises(UsageError, match=r":2: is not UTF-8"):
        places.load()
    places.project_file.write_bytes(b"\xef\xbb\xbfmodel = 'marked'\n")
    assert places.load().model == "marked"


def test_a_file_that_may_not_be_read(places: Places) -> None:
    places.user_file.write_text("watch = true\n")
    places.user_file.chmod(0)
    with modes_hold(), pytest.raises(UsageError, match="cannot be read: permission denied"):
        places.load()


def test_a_deeply_nested_file_is_one_line(places: Places) -> None:
    places.user_file.write_text("model = " + "[" * 50_000 + "]" * 50_000)
    with pytest.raises(UsageError):
        places.load()


def test_the_document_has_every_setting_as_it_is_defined() -> None:
    from app.assets import help_topics

    text = (help_topics() / "settings.md").read_text("utf-8")
    for name, field in Settings.model_fields.items():
        assert f"\n## {name}\n\n{field.description}\n" in text, name
    named = [line.removeprefix("## ") for line in text.splitlines() if line.startswith("## ")]
    assert named == list(Settings.model_fields)
