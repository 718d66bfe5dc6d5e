"""What the registry refuses."""

from __future__ import annotations


class RegistrationError(ValueError):
    """A provider or a runtime skill cannot be registered as it is."""


class RegistryClosedError(RuntimeError):
    """The registry was closed before or while it was asked."""

    def __init__(self) -> None:
        super().__init__("the skill registry is closed")


class ProviderContractError(TypeError):
    """A provider returned something that is not a valid listing, candidate or definition.

    It is a fault of the provider's program, so the message names the provider and the field.
    """


def render_error(error: object) -> str:
    """The error as text, even when its own string conversion fails."""
    try:
        return str(error) or type(error).__name__
    except Exception:
        return "[unrenderable error]"
