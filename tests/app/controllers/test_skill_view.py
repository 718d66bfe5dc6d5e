"""The screen's view of the skills: the newest request, complete, and nothing after the end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from app.controllers.skill_view import NO_ANSWER, SkillFeed, SkillView, Watching
from skills_core.access.policy import OPEN_ACCESS
from skills_core.registry import Lookup
from skills_core.registry.provider import IncompleteReason
from skills_core.registry.snapshot import SkillSnapshot
from skills_core.skill import SkillSummary


def snapshot(*names: str, complete: bool = True, reason: str = "a folder cannot be read") -> SkillSnapshot:
    skills = tuple(SkillSummary(name=n, description=n, source="user", provider="p", rank=1) for n in names)
    reasons = () if complete else (IncompleteReason("p", "failed", reason),)
    return SkillSnapshot(skills=skills, complete=complete, reasons=reasons)


class Source:
    """Answers each request when the test says so."""

    def __init__(self) -> None:
        self.requests: list[asyncio.Future[SkillSnapshot]] = []
        self.lookups: list[Lookup] = []
        self.callback: Callable[[], object] | None = None

    async def snapshot(self, lookup: Lookup = Lookup()) -> SkillSnapshot:  # noqa: B008
        self.lookups.append(lookup)
        self.requests.append(asyncio.get_running_loop().create_future())
        return await self.requests[-1]

    def subscribe(self, callback: Callable[[], object]) -> Callable[[], None]:
        self.callback = callback

        def unsubscribe() -> None:
            self.callback = None

        return unsubscribe

    def changed(self) -> None:
        assert self.callback is not None
        self.callback()


class Bench:
    def __init__(self, **options: object) -> None:
        self.source = Source()
        self.views: list[SkillView] = []
        self.feed = SkillFeed(self.source, OPEN_ACCESS, Lookup(cwd="/p"), self.views.append, **options)  # type: ignore[arg-type]

    async def asked(self, count: int) -> None:
        for _ in range(100):
            if len(self.source.requests) == count:
                return
            await asyncio.sleep(0)
        raise AssertionError(f"{len(self.source.requests)} requests, not {count}")

    async def answer(self, request: int, result: SkillSnapshot) -> None:
        self.source.requests[request].set_result(result)
        for _ in range(5):
            await asyncio.sleep(0)

    def names(self) -> list[str]:
        shown = self.feed.view.snapshot
        return [skill.name for skill in shown.skills] if shown is not None else []


async def test_an_older_slower_result_is_dropped() -> None:
    bench = Bench()
    bench.feed.start()
    await bench.asked(1)
    bench.source.changed()
    await bench.asked(2)
    await bench.answer(1, snapshot("new"))
    await bench.answer(0, snapshot("old"))
    assert bench.names() == ["new"]
    await bench.feed.aclose()


async def test_an_incomplete_result_keeps_the_last_complete_one() -> None:
    bench = Bench()
    bench.feed.start()
    await bench.asked(1)
    await bench.answer(0, snapshot("hem"))
    bench.source.changed()
    await bench.asked(2)
    await bench.answer(1, snapshot(complete=False))
    assert bench.names() == ["hem"]
    assert bench.feed.view.state == "live"
    await bench.feed.aclose()


async def test_a_complete_empty_result_clears() -> None:
    bench = Bench()
    bench.feed.start()
    await bench.asked(1)
    await bench.answer(0, snapshot("hem"))
    bench.source.changed()
    await bench.asked(2)
    await bench.answer(1, snapshot())
    assert bench.names() == []
    assert bench.feed.view.snapshot is not None
    await bench.feed.aclose()


async def test_stale_is_said_after_the_wait_and_taken_back() -> None:
    bench = Bench(stale_after=0.02)
    bench.feed.start()
    await bench.asked(1)
    await bench.answer(0, snapshot("hem"))
    bench.source.changed()
    await bench.asked(2)
    await bench.answer(1, snapshot(complete=False, reason="locked"))
    async with asyncio.timeout(5):
        while bench.feed.view.state != "stale":
            await asyncio.sleep(0.005)
    assert bench.feed.view.reason == "locked"
    bench.source.changed()
    await bench.asked(3)
    await bench.answer(2, snapshot("hem"))
    assert bench.feed.view.state == "live"
    assert bench.feed.view.number == 1
    await bench.feed.aclose()


async def test_a_source_that_does_not_answer_is_stale_too() -> None:
    bench = Bench(stale_after=0.02)
    bench.feed.start()
    await bench.asked(1)
    await bench.answer(0, snapshot("hem"))
    bench.source.changed()
    await bench.asked(2)
    async with asyncio.timeout(5):
        while bench.feed.view.state != "stale":
            await asyncio.sleep(0.005)
    assert bench.feed.view.reason == NO_ANSWER
    assert bench.names() == ["hem"]
    await bench.answer(1, snapshot("hem", "tie"))
    assert bench.feed.view.state == "live"
    assert bench.feed.view.reason == ""
    assert bench.names() == ["hem", "tie"]
    bench.source.changed()
    await bench.asked(3)
    await bench.feed.aclose()
    await asyncio.sleep(0.05)
    assert bench.feed.view.state == "live"


async def test_the_number_grows_only_with_a_difference() -> None:
    bench = Bench()
    bench.feed.start()
    await bench.asked(1)
    await bench.answer(0, snapshot("hem"))
    bench.source.changed()
    await bench.asked(2)
    await bench.answer(1, snapshot("hem"))
    assert bench.feed.view.number == 1
    bench.source.changed()
    await bench.asked(3)
    await bench.answer(2, snapshot("hem", "tie"))
    assert bench.feed.view.number == 2
    await bench.feed.aclose()


async def test_a_failing_lookup_keeps_what_is_shown() -> None:
    bench = Bench()
    bench.feed.start()
    await bench.asked(1)
    await bench.answer(0, snapshot("hem"))
    bench.source.changed()
    await bench.asked(2)
    bench.source.requests[1].set_exception(OSError("gone"))
    for _ in range(5):
        await asyncio.sleep(0)
    assert bench.names() == ["hem"]
    await bench.feed.aclose()


async def test_what_comes_after_the_end_does_nothing() -> None:
    bench = Bench()
    bench.feed.start()
    await bench.asked(1)
    await bench.feed.aclose()
    assert bench.source.callback is None
    assert bench.source.requests[0].cancelled()
    assert bench.views == []


async def test_looking_now_asks_the_sources_anew() -> None:
    bench = Bench()
    bench.feed.start()
    await bench.asked(1)
    looking = asyncio.create_task(bench.feed.look_now())
    await bench.asked(2)
    await bench.answer(1, snapshot("hem"))
    assert (await looking).skill_count == 1
    assert [lookup.fresh for lookup in bench.source.lookups] == [False, True]
    await bench.feed.aclose()


async def test_polling_is_said() -> None:
    watching = Watching("polling", "a limit was reached")
    bench = Bench(watching=lambda: watching)
    bench.feed.start()
    await bench.asked(1)
    await bench.answer(0, snapshot("hem"))
    assert (bench.feed.view.state, bench.feed.view.reason) == ("polling", "a limit was reached")
    watching = Watching()
    bench.feed.watching_changed()
    assert bench.feed.view.state == "live"
    await bench.feed.aclose()
