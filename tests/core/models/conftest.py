"""What holds for all tests of real models here."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.core.agent.support import Bench


@pytest.fixture(scope="session", autouse=True)
def one_authority(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Clients read one certificate instead of all that the system trusts, up to three times for each client.

    The loopback servers speak without encryption, so that none of them is ever looked at.
    """
    trusted = ssl.create_default_context().get_ca_certs(binary_form=True)
    if not trusted:
        yield
        return
    path = tmp_path_factory.mktemp("authority") / "one.pem"
    path.write_text(ssl.DER_cert_to_PEM_cert(trusted[0]), "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SSL_CERT_FILE", str(path))
        yield


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)
