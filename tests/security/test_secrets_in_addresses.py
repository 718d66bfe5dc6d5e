"""What is secret in the address of a server is told by no command, no error and no report."""

from __future__ import annotations

import json
from base64 import b64encode
from typing import Any

import pytest

from app.diagnosis import model as model_finding
from app.errors import UsageError
from app.settings.listing import setting_rows
from skills_core.agent import secret_text
from skills_core.agent.model import ModelError
from skills_core.agent.models import open_model
from skills_core.agent.models.real import RealModel
from skills_core.agent.secret_text import model_keys, without_secrets
from tests.core.models.conftest import one_authority
from tests.core.models.support import FORMATS, failure
from tests.security.echo_server import KEY, VARIABLES, EchoServer, Says, assert_untold
from tests.security.support import Machine

__all__ = ["one_authority"]

PASSWORD = "canary%2Bpass-1d2c3b4a5f"
PLAIN = PASSWORD.replace("%2B", "+")
BASIC = b64encode(f"ada:{PLAIN}".encode()).decode()


def assert_no_password(what: str) -> None:
    for secret in (PASSWORD, PLAIN, BASIC, KEY):
        assert_untold(what, secret)


def told_of(machine: Machine, address: str) -> str:
    """What the program says of a setting, and of a variable of a provider, with this address."""
    said: list[str] = []
    try:
        settings = machine.settings(base_url=address, model="openai:test-model")
        said += [str(row.value) for row in setting_rows(settings)]
        finding = model_finding(settings, str(machine.project))
        said.append(f"{finding.detail} {finding.hint}")
    except UsageError as error:
        said.append(f"{error.message} {error.hint}")
    for name in ("openai:m", "anthropic:m"):
        try:
            open_model(name, base_url=address)
        except ModelError as error:
            said.append(f"{error.message} {error.hint}")
    return "\n".join(said)


@pytest.fixture(autouse=True)
def keys_of_the_environment(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secret_text, "_remembered", set())
    for name in VARIABLES:
        monkeypatch.setenv(name, KEY)


@pytest.mark.parametrize(
    "address",
    [
        f"http://ada:{PASSWORD}@127.0.0.1:9/v1",
        f"http://{PASSWORD}@127.0.0.1:9/v1",
        f"http://127.0.0.1:9/{KEY}/v1",
        f"http://127.0.0.1:9/v1?key={PASSWORD}",
        f"http://127.0.0.1:9/v1?mail=a@{PASSWORD}&key={KEY}",
        f"http://127.0.0.1:9/v1#{PASSWORD}",
        f"http://ada:{PASSWORD}?x@127.0.0.1:9/v1",
        f"http://ada:/{PASSWORD}@127.0.0.1:9/v1",
        f"http://ada:@{PASSWORD}@127.0.0.1:9/v1",
        f"ada:{PASSWORD}@127.0.0.1:9/v1",
        f"//ada:{PASSWORD}@127.0.0.1:9/v1",
        f"ftp://ada:{PASSWORD}@127.0.0.1:9/v1",
        f"http://ada:{PASSWORD}@127.0.0.1:nine/v1",
        f"http://ada:{PASSWORD}@[127.0.0.1/v1",
        f"http://ada:{PASSWORD}@",
    ],
)
def test_an_address_with_something_secret(machine: Machine, address: str) -> None:
    told = told_of(machine, address)
    assert told.strip()
    assert_no_password(told)


def test_an_address_that_cannot_be_gone_on_with_is_refused_before_a_request(machine: Machine) -> None:
    for address in ("http://127.0.0.1:9/v1?version=2", "http://127.0.0.1:9/v1#here"):
        with pytest.raises(ModelError) as caught:
            open_model("openai:m", base_url=address)
        assert "`http://127.0.0.1:9/v1` goes on with" in caught.value.message


def test_a_harmless_address_is_told_whole(machine: Machine) -> None:
    told = told_of(machine, "http://127.0.0.1:9/some/v1")
    assert told.count("http://127.0.0.1:9/some/v1") == 2
    assert "http://127.0.0.1:nine/v1" in told_of(machine, "http://127.0.0.1:nine/v1")


@pytest.mark.parametrize("dialect", FORMATS)
async def test_a_login_that_the_server_says_back(machine: Machine, dialect: Any) -> None:
    said = {"type": "error", "message": f"no {{key}} for ada:{PLAIN} at http://ada:{PASSWORD}@here/"}
    refusal = Says(json.dumps({"error": said}).encode(), 401, {"content-type": "application/json"})
    async with EchoServer(dialect, refusal) as server:
        address = server.base_url.replace("http://", f"http://ada:{PASSWORD}@")
        model = open_model(server.name, base_url=address, api_key=KEY)
        assert isinstance(model, RealModel)
        error = await failure(model)
        await model.aclose()
        assert BASIC in server.requests[0]
    assert_no_password(f"{error.message} {error.hint}")
    assert "[secret]" in error.message


def test_a_name_without_a_password_is_one() -> None:
    open_model("openai:m", base_url=f"http://{PASSWORD}@127.0.0.1:9/v1", api_key=KEY)
    for said in (PASSWORD, PLAIN, b64encode(f"{PLAIN}:".encode()).decode()):
        assert without_secrets(f"a {said} b", model_keys()) == "a [secret] b"
