"""One certificate for all clients, the libraries imported, and one key in the environment."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from skills_core.agent.models.real.providers import key_variables
from tests.core.models.conftest import one_authority
from tests.core.models.support import KEY

__all__ = ["one_authority"]


@pytest.fixture(scope="session", autouse=True)
def imported(one_authority: None) -> Iterator[None]:
    """A first request imports the client's library, which takes longer than a test waits for silence."""
    from skills_core.agent.models.real.build import build_model

    build_model("openai", "test-model", "http://127.0.0.1:1/v1", KEY, 1.0)
    yield


@pytest.fixture(autouse=True)
def one_key(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*key_variables(), "OPENAI_BASE_URL", "OLLAMA_BASE_URL", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
