"""Where a path really leads, also where the system does not say."""

from __future__ import annotations

import os


def resolved_path(path: str) -> str:
    """The absolute path with links resolved, as far as they can be read; never raises OSError.

    A link that may not be read, or that is replaced at this moment, keeps its own name. So what comes of it says where
    a file seems to lie, and only the path of the opened file says where it does.
    """
    spelled = os.path.abspath(path)
    kept: list[str] = []
    while True:
        try:
            return os.path.join(os.path.realpath(spelled), *reversed(kept))
        except OSError:
            spelled, name = os.path.split(spelled)
            if not name:
                return os.path.join(spelled, *reversed(kept))
            kept.append(name)
