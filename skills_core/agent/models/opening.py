"""Opens a model by its configured name; each kind is imported when it is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skills_core.agent.model import Model, ModelError

if TYPE_CHECKING:
    from skills_core.agent.models.real.providers import ThinkingLevel

OFFLINE = "offline"
_SCRIPT = "script:"


def open_model(
    name: str,
    *,
    base_url: str | None = None,
    api_key: str | None = None,
    context_window: int | None = None,
    thinking: ThinkingLevel | None = None,
    silence: float | None = None,
) -> Model:
    """The model of a name: ``offline``, ``script:FILE``, or ``PROVIDER:MODEL``.

    ``base_url`` is the address of a server in place of the provider's own; with it a bare model name means an
    OpenAI-compatible server. Without ``api_key`` the key comes from the environment. ``context_window`` is in tokens,
    for models whose window is not known; ``thinking`` says how much a model that can should think before it answers.
    ``silence`` is how many seconds a server may send nothing before the request counts as timed out; 600 by default.
    Raises ModelError with a line that says what to do.
    """
    if name == OFFLINE:
        from skills_core.agent.models.offline import OfflineModel

        return OfflineModel()
    if name.startswith(_SCRIPT):
        from skills_core.agent.models.scripted import ScriptedModel

        path = name[len(_SCRIPT) :]
        if not path:
            raise ModelError("other", "The model `script:` names no file.", "Write script:FILE.")
        return ScriptedModel(path)
    from skills_core.agent.models.real import open_real_model

    return open_real_model(
        name,
        base_url=base_url,
        api_key=api_key,
        context_window=context_window,
        thinking=thinking,
        silence=silence,
    )
