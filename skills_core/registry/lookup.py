"""What a consumer asks the registry for, and the scopes that a view is made of."""

from __future__ import annotations

from dataclasses import dataclass


class ScopeCycleError(ValueError):
    """A scope would have become its own ancestor."""

    def __init__(self) -> None:
        super().__init__("a scope cannot be its own ancestor")


class Scope:
    """An opaque key for a layer, compared by identity, with at most one parent.

    A view for a scope merges the global layer, the scope's ancestors from far to near, then the scope itself.
    """

    __slots__ = ("_parent", "label")

    def __init__(self, label: str = "scope", parent: Scope | None = None) -> None:
        self.label = label
        self._parent = parent

    @property
    def parent(self) -> Scope | None:
        return self._parent

    def reparent(self, parent: Scope | None) -> None:
        """Moves the scope under another parent; the next view sees the new chain.

        Raises ScopeCycleError when ``parent`` is the scope itself or lies below it.
        """
        ancestor = parent
        while ancestor is not None:
            if ancestor is self:
                raise ScopeCycleError
            ancestor = ancestor.parent
        self._parent = parent

    def chain(self) -> tuple[Scope, ...]:
        """The scope's ancestors from far to near, then the scope itself."""
        found: list[Scope] = []
        scope: Scope | None = self
        while scope is not None:
            found.append(scope)
            scope = scope.parent
        return tuple(reversed(found))

    def __repr__(self) -> str:
        return f"<Scope {self.label}>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Lookup:
    """For whom the skills are looked up.

    ``cwd`` is an absolute folder, or None for no project roots. ``scope`` None means the global layer alone.
    ``fresh`` asks every provider first to compare what it knows with its source now (a model step uses it).
    """

    cwd: str | None = None
    scope: Scope | None = None
    fresh: bool = False


GLOBAL = Lookup()
"""The global layer, without project roots."""
