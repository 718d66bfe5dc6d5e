"""What a person did wrong, as one line and a way out."""

from __future__ import annotations


class UsageError(Exception):
    """Wrong usage or configuration: a flag, a file or a setting. The command ends with exit status 2.

    ``message`` is one line that says what is wrong, ``hint`` (may be empty) what to do instead. ``others`` are further
    faults that were found with it.
    """

    def __init__(self, message: str, hint: str = "", others: tuple[UsageError, ...] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.others = others
