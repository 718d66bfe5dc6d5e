"""Which catalog the model already has, read from the session and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from skills_core.catalog.entry import CatalogEntry, catalog_digest
from skills_core.catalog.message import read_catalog
from skills_core.session.event import SOURCE_SKILL_CATALOG, SessionEvent

if TYPE_CHECKING:
    from skills_core.session.session import Session


@dataclass(frozen=True, slots=True)
class PublishedCatalog:
    """``event`` and ``digest`` belong to the newest catalog that the model still sees; None when there is none.

    ``ever`` is true when any catalog was published, also one that a compaction hid.
    """

    event: SessionEvent | None = None
    digest: str | None = None
    ever: bool = False


class CatalogHistory:
    """Looks backwards from the newest catalog message and stops at the first that is visible and readable.

    Remembers the digest of the event that it stopped at, so that looking again costs no reading of its entries.
    """

    def __init__(self) -> None:
        self._known: tuple[Session, int, str] | None = None

    def published(self, session: Session) -> PublishedCatalog:
        """Costs as many steps as there are catalogs newer than the visible one, whatever else the log holds."""
        ever = False
        surface = session.surface
        for event in reversed(session.of_source(SOURCE_SKILL_CATALOG)):
            visible = surface.is_visible(event.seq)
            if ever and not visible:
                continue
            digest = self._digest(session, event)
            if digest is None:
                continue
            ever = True
            if visible:
                return PublishedCatalog(event, digest, ever)
        return PublishedCatalog(ever=ever)

    def _digest(self, session: Session, event: SessionEvent) -> str | None:
        known = self._known
        if known is not None and known[0] is session and known[1] == event.seq:
            return known[2]
        entries = read_catalog(event.data)
        if entries is None:
            return None
        digest = catalog_digest(entries)
        self._known = (session, event.seq, digest)
        return digest


def visible_catalog(session: Session) -> tuple[CatalogEntry, ...] | None:
    """The entries of the newest catalog that the model still sees, or None."""
    event = CatalogHistory().published(session).event
    return None if event is None else read_catalog(event.data)
