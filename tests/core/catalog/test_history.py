from skills_core.catalog import CatalogEntry, CatalogHistory, catalog_digest, catalog_message, visible_catalog
from skills_core.session import Session
from skills_core.session.event import USER_MESSAGE, SessionEvent, user_message
from tests.core.catalog.support import Steps, catalog_record
from tests.core.registry.support import SkillRegistry

ONE, TWO = (CatalogEntry("one", "1"),), (CatalogEntry("two", "2"),)


async def session_of(*pending) -> Session:
    session = Session.in_memory("/project", "test")
    if pending:
        await session.append(*pending)
    return session


async def test_newest_visible_catalog_is_the_baseline():
    session = await session_of(catalog_message(ONE, False), user_message("hi"), catalog_message(TWO, True))
    published = CatalogHistory().published(session)
    assert published.digest == catalog_digest(TWO) and published.event is session.events[2] and published.ever
    assert visible_catalog(session) == TWO


async def test_nothing_published():
    published = CatalogHistory().published(await session_of(user_message("hi"), catalog_record("unreadable")))
    assert published.event is None and published.digest is None and not published.ever
    assert visible_catalog(await session_of()) is None


async def test_hidden_catalogs_count_as_published_but_are_no_baseline():
    steps = Steps(SkillRegistry(), session=await session_of(catalog_message(ONE, False), user_message("hi")))
    await steps.compact(1, 2)
    published = CatalogHistory().published(steps.session)
    assert published.ever and published.event is None and published.digest is None


async def test_one_history_serves_several_sessions():
    history = CatalogHistory()
    first, second = await session_of(catalog_message(ONE, False)), await session_of(catalog_message(TWO, False))
    for _ in range(2):
        assert history.published(first).digest == catalog_digest(ONE)
        assert history.published(second).digest == catalog_digest(TWO)


class CountingSession:
    """A log of very many events of which only the index by source is offered."""

    def __init__(self, catalogs: list[SessionEvent], hidden: set[int]) -> None:
        self.surface = self
        self._catalogs = catalogs
        self._hidden = hidden
        self.asked: list[int] = []

    def of_source(self, kind: str) -> list[SessionEvent]:
        assert kind == "skill-catalog"
        return self._catalogs

    def is_visible(self, seq: int) -> bool:
        self.asked.append(seq)
        return seq not in self._hidden


def test_looking_back_stops_at_the_newest_visible_catalog():
    catalogs = [
        SessionEvent(seq, "2030-01-01T00:00:00Z", USER_MESSAGE, catalog_message(ONE, seq > 1).data)
        for seq in range(1, 1_000_001, 1000)
    ]
    session = CountingSession(catalogs, hidden={catalogs[-1].seq, catalogs[-2].seq})
    published = CatalogHistory().published(session)  # type: ignore[arg-type]
    assert published.event is catalogs[-3]
    assert session.asked == [catalogs[-1].seq, catalogs[-2].seq, catalogs[-3].seq]
