"""What a person did wrong, as one line and a way out."""

from __future__ import annotations


class UsageError(Exception):
    """Wrong usage or configuration: a flag, a file or a setting. The command ends with exit status 2.

    ``message`` is one line that says what is wrong, ``hint`` (may be empty) what to do instead.
    """

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
