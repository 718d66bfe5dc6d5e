"""Which key a model gets, and which it must not get."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from app.models import context_window, hidden_variables, model_key, open_configured_model, script_name
from app.settings.definition import Settings
from app.settings.loading import FlagValue, load_settings
from skills_core.agent.model import ModelError


@pytest.fixture(autouse=True)
def quiet_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENROUTER_API_KEY", "SKILLDECK_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SKILLDECK_CONFIG_DIR", str(tmp_path / "config"))


def load(tmp_path: Path, **flags: str) -> Settings:
    return load_settings(
        str(tmp_path), str(tmp_path), [FlagValue(key, value, f"--set {key}") for key, value in flags.items()]
    )


def prints(tmp_path: Path, code: str) -> str:
    script = tmp_path / "key.py"
    script.write_text(code)
    return f'"{sys.executable}" "{script}"'


def test_the_key_of_a_command(tmp_path: Path) -> None:
    settings = load(tmp_path, api_key_command=prints(tmp_path, "print('sk-first')\nprint('second')"))
    assert model_key(settings) == "sk-first"
    assert open_configured_model(settings, "openai:m", str(tmp_path)).name == "openai:m"


@pytest.mark.parametrize(
    ("code", "said"), [("raise SystemExit(3)", "status 3"), ("", "printed nothing"), ("print(' ')", "printed nothing")]
)
def test_a_command_that_gives_no_key(tmp_path: Path, code: str, said: str) -> None:
    settings = load(tmp_path, api_key_command=prints(tmp_path, code))
    with pytest.raises(ModelError, match=said):
        model_key(settings)


def test_a_command_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="cannot be run"):
        model_key(load(tmp_path, api_key_command="no-such-command-here"))
    with pytest.raises(ModelError, match="cannot be run"):
        model_key(load(tmp_path, api_key_command="an 'open quote"))


def test_the_variable_wins_over_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SKILLDECK_API_KEY", "sk-variable")
    assert model_key(load(tmp_path, api_key_command="no-such-command-here")) == "sk-variable"


def test_a_project_does_not_choose_who_gets_the_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SKILLDECK_API_KEY", "sk-mine")
    (tmp_path / ".skilldeck.toml").write_text('model = "openrouter:anything"\n')
    settings = load(tmp_path)
    with pytest.raises(ModelError, match="no key"):
        open_configured_model(settings, settings.model, str(tmp_path))
    own = load(tmp_path, model="openrouter:anything")
    assert open_configured_model(own, own.model, str(tmp_path)).name == "openrouter:anything"
    addressed = load(tmp_path, base_url="http://localhost:1/v1")
    assert open_configured_model(addressed, addressed.model, str(tmp_path)).name == "openrouter:anything"


def test_the_offline_model_runs_no_command(tmp_path: Path) -> None:
    settings = load(tmp_path, api_key_command="no-such-command-here")
    assert open_configured_model(settings, "offline", str(tmp_path)).name == "offline"


def test_a_script_is_relative_to_the_working_folder(tmp_path: Path) -> None:
    assert script_name("script:a.jsonl", str(tmp_path)) == f"script:{tmp_path}/a.jsonl"
    assert script_name("script:", str(tmp_path)) == "script:"


def test_key_and_address_stay_with_the_provider_that_the_person_chose(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SKILLDECK_API_KEY", "sk-for-openai-only")
    monkeypatch.setenv("OPENROUTER_API_KEY", "sk-for-openrouter")
    settings = load(tmp_path, model="openai:m", base_url="http://localhost:1/v1")

    def opened(name: str) -> tuple[object, object]:
        model = open_configured_model(settings, name, str(tmp_path))
        return model._api_key, model._base_url  # type: ignore[attr-defined]

    assert opened("openai:other") == ("sk-for-openai-only", "http://localhost:1/v1")
    assert opened("openai-responses:m") == ("sk-for-openai-only", "http://localhost:1/v1")
    assert opened("any:thing") == ("sk-for-openai-only", "http://localhost:1/v1")
    assert opened("openrouter:m") == ("sk-for-openrouter", "https://openrouter.ai/api/v1")
    monkeypatch.delenv("OPENROUTER_API_KEY")
    with pytest.raises(ModelError, match="no key"):
        opened("openrouter:m")
    settings = load(tmp_path)
    assert opened("openrouter:m") == ("sk-for-openai-only", "https://openrouter.ai/api/v1")


def test_windows_and_thinking_reach_the_model(tmp_path: Path) -> None:
    settings = load(tmp_path, context_windows="ollama:qwen3=32768 openai:a=b=9000 8_000", thinking="high")
    assert context_window(settings, "ollama:qwen3") == 32768
    assert context_window(settings, "openai:a=b") == 9000
    assert context_window(settings, "ollama:other") == 8000
    assert context_window(load(tmp_path), "ollama:qwen3") is None
    model = open_configured_model(settings, "ollama:qwen3", str(tmp_path))
    assert model.context_window == 32768
    assert model._thinking == "high"  # type: ignore[attr-defined]
    assert open_configured_model(load(tmp_path), "ollama:qwen3", str(tmp_path))._thinking is None  # type: ignore[attr-defined]


def test_the_variables_that_commands_do_not_see(tmp_path: Path) -> None:
    hidden = hidden_variables(load(tmp_path, shell_keys="OPENAI_API_KEY"))
    assert {"ANTHROPIC_API_KEY", "GEMINI_API_KEY", "SKILLDECK_API_KEY"} <= hidden
    assert "OPENAI_API_KEY" not in hidden
