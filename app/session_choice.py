"""Which session the command line asks for."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import dataclass

from app.errors import UsageError

CONTINUE = "continue"
PICK = "pick"


@dataclass(frozen=True, slots=True)
class SessionChoice:
    """``resume`` is "continue" (the newest of this folder), "pick", an id, or None; ``fork`` an id or None."""

    resume: str | None = None
    fork: str | None = None
    fork_seq: int | None = None


def session_choice(arguments: Namespace) -> SessionChoice:
    """Reads ``--continue``, ``--resume [ID]`` and ``--fork ID[:SEQ]``. Raises UsageError."""
    if arguments.continue_:
        return SessionChoice(resume=CONTINUE)
    if arguments.resume is not None:
        return SessionChoice(resume=arguments.resume or PICK)
    if arguments.fork is None:
        return SessionChoice()
    session_id, colon, seq = arguments.fork.rpartition(":")
    if not colon:
        return SessionChoice(fork=arguments.fork)
    if not session_id or not seq.isascii() or not seq.isdigit() or int(seq) < 1:
        raise UsageError(f"--fork {arguments.fork}: write ID or ID:SEQ, where SEQ is the number of an event")
    return SessionChoice(fork=session_id, fork_seq=int(seq))
