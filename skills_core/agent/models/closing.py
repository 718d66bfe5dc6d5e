"""The end of a model's connections."""

from __future__ import annotations

import logging
from typing import Any

from skills_core.agent.model import Model

_log = logging.getLogger(__name__)


async def close_model(model: Model | None) -> None:
    """Closes the connections of a model that no request uses any more; one without any has nothing to close.

    A client that fails to close is logged: what it leaves behind is no reason to stop anything.
    """
    close: Any = getattr(model, "aclose", None)
    if close is None:
        return
    try:
        await close()
    except Exception:
        _log.warning("the connections of a model could not be closed", exc_info=True)
