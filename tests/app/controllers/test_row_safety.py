"""Nothing that is painted of a row acts on the terminal: closed, open, running, and while it comes in."""

from __future__ import annotations

import pytest

from app.controllers.row_lines import LiveLines, row_lines
from app.controllers.transcript import Transcript
from app.controllers.transcript_row import Row
from skills_core.agent.live import ToolOutput
from skills_core.agent.model import TextDelta, ThinkingDelta
from tests.app.controllers.events import catalog, context, event, reply, text, user

NASTY = "a\x1b]52;c;x\x07b\u202ec\x9bd\u200be\x1b[2Jf"
ACTS = frozenset("\x1b\x07\u202e\x9b\u200b")


def transcript_of_everything() -> Transcript:
    """One row of each kind, with what acts in each place that holds text from outside."""
    call = {"id": "1", "name": NASTY, "arguments": {NASTY: NASTY, "nested": {NASTY: [NASTY]}}, "title": NASTY}
    result = {"id": "1", "name": NASTY, "content": text(f"{NASTY}\n{NASTY}"), "is_error": False, "details": None}
    failed = {**result, "id": "2", "content": text(NASTY), "is_error": True}
    instructions = {"path": NASTY, "action": "loaded", "digest": "d"}
    transcript = Transcript()
    for each in (
        user(1, NASTY),
        reply(2, f"{NASTY}\n\n- {NASTY}\n\n```{NASTY}\n{NASTY}\n```\n\n[{NASTY}](https://{NASTY})"),
        catalog(3, (NASTY, NASTY)),
        catalog(4, (f"other{NASTY}", NASTY), update=True),
        event(5, "tool/call", **call),
        event(6, "tool/result", **result),
        event(7, "tool/call", **{**call, "id": "2"}),
        event(8, "tool/result", **failed),
        context(9, {"kind": NASTY, NASTY: NASTY}, [*text(NASTY), {"type": NASTY, NASTY: NASTY}]),
        context(10, {"kind": "agent-instructions", "form": "instructions", "changes": [instructions]}, text(NASTY)),
        event(11, "notice", text=NASTY, level="warning"),
        event(12, NASTY, **{NASTY: NASTY}),
        event(13, "compaction", summary=NASTY, first=1, last=2, content=text(NASTY)),
        event(14, "request/context", system=NASTY, tools=[{"name": NASTY, "description": NASTY}], model=NASTY),
        event(15, "turn/end", turn=1, reason=NASTY, message=NASTY, hint=NASTY),
        event(16, "tool/approval", tool=NASTY, question=NASTY, answer=NASTY),
    ):
        transcript.event(each)
    return transcript


@pytest.mark.parametrize("width", [12, 40, 200])
@pytest.mark.parametrize("expanded", [False, True], ids=["closed", "open"])
def test_no_row_acts(expanded: bool, width: int) -> None:
    transcript = transcript_of_everything()
    assert len(transcript.rows) == 14
    for row in transcript.rows:
        row.expanded = expanded
        lines = [line.text for line in row_lines(row, width)]
        assert lines and not ACTS & set("".join(lines)), (row.kind, lines)


def test_a_running_tool_does_not_act() -> None:
    transcript = Transcript()
    transcript.event(event(1, "tool/call", id="1", name="shell", arguments={}, title="$ make"))
    transcript.live(ToolOutput("1", f"one {NASTY}\ntwo {NASTY}"))
    for expanded in (False, True):
        transcript.rows[0].expanded = expanded
        shown = "\n".join(line.text for line in row_lines(transcript.rows[0], 80))
        assert "one " in shown and "two " in shown
        assert not ACTS & set(shown)


@pytest.mark.parametrize("kind", [TextDelta, ThinkingDelta])
def test_a_reply_does_not_act_while_it_comes_in(kind: type[TextDelta] | type[ThinkingDelta]) -> None:
    transcript, live = Transcript(), LiveLines()
    words = f"{NASTY}\n\n- {NASTY}\n\n```sh\n{NASTY}\n```\n\nEnd {NASTY}"
    for character in words:
        transcript.live(kind(character))
        shown = "".join(line.text for line in live.lines(transcript.rows[0], 40))
        assert not ACTS & set(shown), shown
    assert "End" in shown


def test_words_that_wait_do_not_act() -> None:
    row = Row("user", live_text=[NASTY])
    assert not ACTS & set("".join(line.text for line in row_lines(row, 80)))
