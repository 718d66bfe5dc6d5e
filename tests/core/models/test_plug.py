"""The plug pulled in the middle of a stream, with real client libraries: the session always goes on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from skills_core.agent.live import ToolStarted
from skills_core.agent.retry import RetryPolicy
from skills_core.session.event import user_message
from tests.core.agent.support import Bench, assert_valid, within
from tests.core.models.support import FORMATS, LAST, agent_for
from tests.support.model_server import Breaks, Ends, ModelServer, Reply, Resets
from tests.support.model_server.pairing import assert_paired

CUT = Reply(thinking="Hm.", text="I read.", calls=(("read", '{"path": "é"}'),), piece=3)


def telling_places(data: bytes, few: int) -> list[int]:
    """Where a stream is worth cutting: around the ends of some events, within lines, within a character, at the end."""
    ends = [place + 2 for place in range(len(data)) if data.startswith(b"\n\n", place)]
    chosen = ends[:: max(1, len(ends) // few)]
    around = {place + offset for place in chosen for offset in (0, 9)}
    escaped = data.find(b"\\u00e9")
    around |= {0, 1, len(data) - 2, len(data) - 1, *((escaped + 3,) if escaped > 0 else ())}
    return sorted(place for place in around if 0 <= place < len(data))


async def plug_pulled(tmp_path: Path, server: ModelServer, way: Any, after: int) -> None:
    """One turn whose stream is cut after so many bytes: what came is kept, nothing is invented, and it goes on."""
    bench = Bench(tmp_path / f"{way.__name__}-{after}")
    server._answers = [way(CUT, after), LAST]
    asked = len(server.requests)
    agent = await agent_for(bench, server, retry=RetryPolicy(attempts=1))
    outcome = await within(agent.run_turn(user_message("Hello")), f"the turn cut after {after} bytes")
    assert_valid(bench.session)
    replies = bench.data("assistant/message")
    if outcome.reason == "done":
        # Only when all that matters had come: the call ran, and the next request brought the last reply.
        assert [block["type"] for block in replies[0]["content"]] == ["thinking", "text", "tool_call"], after
        assert replies[0]["stop_reason"] == "tool_calls"
        assert len(server.requests) == asked + 2
    else:
        assert outcome.reason == "failed", (after, outcome)
        assert outcome.message
        assert len(server.requests) == asked + 1
        assert bench.live_of(ToolStarted) == [], "a call of a reply that was cut must not run"
        assert [reply["stop_reason"] for reply in replies] in ([], ["cut"])
        for block in (block for reply in replies for block in reply["content"]):
            whole = {"thinking": CUT.thinking, "text": CUT.text, "tool_call": "read"}[block["type"]]
            assert whole.startswith(block["name"] if block["type"] == "tool_call" else block["text"])
    server._answers = [LAST]
    outcome = await within(agent.run_turn(user_message("Go on")), f"the turn after {after} bytes")
    assert outcome.reason == "done", (after, outcome)
    assert_paired(server.dialect, server.requests[-1].json)
    assert_valid(bench.session)
    await bench.session.aclose()
    again = await bench.store.open(bench.session.id)
    assert again.surface.messages() == bench.session.surface.messages()
    await again.aclose()


@pytest.mark.parametrize("dialect", FORMATS)
@pytest.mark.parametrize("way", [Resets, Ends])
async def test_the_plug_pulled_leaves_a_session_that_goes_on(tmp_path: Path, dialect: Any, way: Any) -> None:
    async with ModelServer(dialect, LAST) as server:
        for after in telling_places(server.stream(CUT), 4):
            await plug_pulled(tmp_path, server, way, after)


@pytest.mark.soak
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("dialect", FORMATS)
@pytest.mark.parametrize("way", [Resets, Breaks, Ends])
async def test_the_plug_pulled_at_every_byte_leaves_a_session_that_goes_on(
    tmp_path: Path, dialect: Any, way: Any
) -> None:
    async with ModelServer(dialect, LAST) as server:
        for after in range(len(server.stream(CUT))):
            await plug_pulled(tmp_path, server, way, after)
