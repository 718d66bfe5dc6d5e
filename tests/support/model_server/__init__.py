"""Loopback servers that speak the real wire formats of models, with scripted replies and faults."""

from tests.support.model_server.play import (
    Answer,
    Breaks,
    Endless,
    Ends,
    Hangs,
    KeepsAlive,
    Raw,
    Refusal,
    Reply,
    Resets,
)
from tests.support.model_server.server import ModelServer, RecordedRequest, closed_port

__all__ = [
    "Answer",
    "Breaks",
    "Endless",
    "Ends",
    "Hangs",
    "KeepsAlive",
    "ModelServer",
    "Raw",
    "RecordedRequest",
    "Refusal",
    "Reply",
    "Resets",
    "closed_port",
]
