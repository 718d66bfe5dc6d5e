"""Keys are taken out of what is stored and shown."""

from __future__ import annotations

import pytest

from skills_core.agent import secret_text
from skills_core.agent.models import open_model
from skills_core.agent.secret_text import (
    model_keys,
    plain_address,
    remember_secret,
    scrubbed_error,
    secret_values,
    without_secrets,
    without_secrets_inside,
)


@pytest.fixture(autouse=True)
def nothing_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secret_text, "_remembered", set())


def test_values_of_key_variables_longest_first() -> None:
    environment = {
        "OPENAI_API_KEY": " sk-openai-1 ",
        "GITHUB_ACCESS_TOKEN": "ghp-long-token",
        "X_API_KEY": "short",
        "HOME": "/home/someone",
        "MONKEY": "banana-banana",
    }
    assert secret_values(environment) == ("ghp-long-token", "sk-openai-1")


def test_a_key_from_elsewhere_is_remembered() -> None:
    remember_secret("tiny")
    open_model("openai:m", api_key="printed-by-a-command")
    assert secret_values({}) == ("printed-by-a-command",)
    open_model("ollama:m")
    assert secret_values({}) == ("printed-by-a-command",)
    assert without_secrets("a printed-by-a-command b", secret_values({})) == "a [secret] b"


def test_what_is_shaped_like_a_key_goes_too() -> None:
    text = "refused: Bearer abcdefghijkl, sk-ant-0123456789abcdefgh, AIza" + "x" * 35
    assert scrubbed_error(text, ()) == "refused: Bearer [secret], [secret], [secret]"


def test_the_keys_of_models_are_those_in_use_and_those_of_providers() -> None:
    environment = {"ANTHROPIC_API_KEY": "anthropic-1", "FLASK_SECRET_KEY": "development", "OPENAI_API_KEY": "short"}
    remember_secret("printed-by-a-command")
    assert model_keys(environment) == ("printed-by-a-command", "anthropic-1")


def test_a_key_is_known_as_it_stands_in_an_address_too() -> None:
    keys = secret_values({"OPENAI_API_KEY": "a/key+of=signs"})
    assert without_secrets("a/key+of=signs a%2Fkey%2Bof%3Dsigns", keys) == "[secret] [secret]"


@pytest.mark.parametrize("word", ["lm-studio", "not-needed", "no-key-required", "sk-no-key-required"])
def test_what_is_written_where_no_key_is_wanted_is_no_secret(word: str) -> None:
    assert secret_values({"OPENAI_API_KEY": word}) == ()
    assert model_keys({"OPENAI_API_KEY": word}) == ()


def test_every_text_in_a_value_and_the_value_itself_when_there_is_nothing_to_take_out() -> None:
    value = {"a": ("x", {"b": ["key-12345678", 7, None]}), "key-12345678": True}
    cleaned = {"a": ["x", {"b": ["[secret]", 7, None]}], "[secret]": True}
    assert without_secrets_inside(value, ("key-12345678",)) == cleaned
    assert without_secrets_inside(value, ("another-key",)) is value


@pytest.mark.parametrize(
    ("address", "plain"),
    [
        ("https://host:8080/a/b", "https://host:8080/a/b"),
        ("https://ada:pass@host/a?key=1#2", "https://host/a"),
        ("ada:pass@host/a", "host/a"),
        ("https://ada:pa/ss@wo@host/a", "https://host/a"),
        ("https://host/?mail=a@b", "https://[secret]"),
        ("", ""),
    ],
)
def test_an_address_without_what_may_be_secret(address: str, plain: str) -> None:
    assert plain_address(address) == plain
