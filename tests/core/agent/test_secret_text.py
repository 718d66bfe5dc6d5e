"""Keys are taken out of what is stored and shown."""

from __future__ import annotations

import pytest

from skills_core.agent import secret_text
from skills_core.agent.models import open_model
from skills_core.agent.secret_text import remember_secret, scrubbed_error, secret_values, without_secrets


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
