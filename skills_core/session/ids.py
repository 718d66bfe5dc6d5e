"""Names of sessions and of the folders that hold them."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
from collections.abc import Iterable
from datetime import UTC, datetime

_ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789"
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,127}")
_SLUG_LENGTH = 40


def new_session_id(moment: datetime) -> str:
    """An id that sorts by time and whose last part alone is easy to type, as in ``20260301-093000-k7m2pq``."""
    tail = "".join(secrets.choice(_ALPHABET) for _ in range(6))
    return f"{moment.astimezone(UTC):%Y%m%d-%H%M%S}-{tail}"


def is_session_id(text: str) -> bool:
    """Whether ``text`` can be the name of a log: nothing that leads out of its folder."""
    return _ID.fullmatch(text) is not None


def matching_ids(prefix: str, ids: Iterable[str]) -> list[str]:
    """The ids that ``prefix`` stands for: itself, else those that begin with it, as a whole or in their last part."""
    known = sorted(set(ids))
    if prefix in known:
        return [prefix]
    return [
        each for each in known if prefix and (each.startswith(prefix) or each.rpartition("-")[2].startswith(prefix))
    ]


def project_folder(cwd: str) -> str:
    """The name of the folder for sessions of ``cwd``: readable, and one for each real path."""
    real = os.path.realpath(cwd)
    slug = re.sub(r"[^A-Za-z0-9]+", "-", os.path.basename(real)).strip("-").lower()[:_SLUG_LENGTH]
    digest = hashlib.sha256(os.fsencode(real)).hexdigest()[:12]
    return f"{slug or 'root'}-{digest}"
