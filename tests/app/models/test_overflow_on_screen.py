"""A conversation that is too long for the model is compacted once; what does not fit then is told, and Esc ends it."""

from __future__ import annotations

from pathlib import Path

from skills_core.session.event import COMPACTION
from tests.app.models.support import PATIENCE, Beside, beside
from tests.support.model_server import Reply

LONG = "A towel is hemmed by folding its edge twice. " * 300
SUMMARY = Reply(text="They asked how towels are hemmed.")
SUMMARISING = "Summarising the older part"
TOO_LONG = "This model's maximum context length is 8192 tokens."
LARGER = "Start a new session, send less text, or choose a model with a larger window."


def overflow(at: Beside) -> object:
    return at.server.error(400, TOO_LONG, "context_length_exceeded", "invalid_request_error")


def compactions(at: Beside) -> int:
    session = at.deck.chat.session.conversation.session
    return sum(event.type == COMPACTION for event in session.events)


async def long_conversation(at: Beside) -> None:
    """Two turns with more words than are kept after an overflow; then the server answers only when it may."""
    at.server.play(Reply(text=LONG, piece=5000))
    at.server.go.set()
    for words in ("How are towels hemmed?", "And once more?"):
        await at.send(words)
        await at.deck.until(lambda: at.deck.chat.session.busy, "the turn", PATIENCE)
        await at.idle()
    at.server.go.clear()


async def test_it_is_compacted_once_and_the_turn_goes_on(tmp_path: Path) -> None:
    async with beside(tmp_path) as at:
        await long_conversation(at)
        at.server.play(overflow(at), SUMMARY, Reply(text="Shirts too."))  # type: ignore[arg-type]
        await at.send("And shirts?")
        await at.deck.until(lambda: at.server.arrived == 3, "the request", PATIENCE)
        at.server.go.set()
        await at.see("Shirts too.")
        await at.idle()
        assert compactions(at) == 1
        assert "replaced by a summary" in at.shown()
        assert TOO_LONG not in at.shown()
        assert at.server.arrived == 5
        assert SUMMARY.text in str(at.server.requests[-1].json)
        assert LONG not in str(at.server.requests[-1].json)
        await at.write("draft")
        await at.goes_on()


async def test_what_does_not_fit_after_that_is_told(tmp_path: Path) -> None:
    async with beside(tmp_path) as at:
        await long_conversation(at)
        at.server.play(overflow(at), SUMMARY, overflow(at))  # type: ignore[arg-type]
        await at.send("And shirts?")
        await at.write("draft")
        at.server.go.set()
        await at.idle()
        line = f"The conversation does not fit the model's context window, even after it was compacted. {LARGER}"
        assert at.told() == line
        await at.see(line)
        assert compactions(at) == 1
        assert at.server.arrived == 5
        assert at.draft == "draft"
        await at.goes_on()


async def test_where_nothing_can_be_compacted_it_is_told_at_once(tmp_path: Path) -> None:
    async with beside(tmp_path) as at:
        at.server.play(overflow(at))  # type: ignore[arg-type]
        await at.send("first words")
        await at.write("draft")
        at.server.go.set()
        await at.idle()
        line = f"The conversation is too long for `test-model`: {TOO_LONG} There is nothing older to compact. {LARGER}"
        assert at.told() == line
        await at.see(line)
        assert (compactions(at), at.server.arrived, at.draft) == (0, 1, "draft")
        await at.goes_on()


async def test_esc_ends_the_summary_of_an_overflow(tmp_path: Path) -> None:
    async with beside(tmp_path) as at:
        await long_conversation(at)
        at.server.play(overflow(at), SUMMARY)  # type: ignore[arg-type]
        await at.send("And shirts?")
        await at.deck.until(lambda: at.server.arrived == 3, "the request", PATIENCE)
        at.server.let_one_go()
        await at.see(SUMMARISING)
        await at.deck.until(lambda: at.server.arrived == 4, "the request for the summary", PATIENCE)
        await at.write("draft")
        await at.strike("escape")
        await at.idle()
        await at.see("Stopped.")
        assert (compactions(at), at.draft) == (0, "draft")
        await at.goes_on()
