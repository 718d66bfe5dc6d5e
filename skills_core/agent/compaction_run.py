"""Replaces the older part of a conversation by a summary: the model's own, or what can be taken from the log."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from skills_core.agent.limits import AgentLimits
from skills_core.agent.model import Model, ModelError, ModelReply, ModelRequest, ToolSchema
from skills_core.agent.outcome import CompactionOutcome
from skills_core.agent.reply import PartialReply, storable, usage_data
from skills_core.agent.streaming import stream_reply
from skills_core.session.compaction import (
    KEEP_TOKENS,
    CompactionPlan,
    compaction_event,
    event_tokens,
    plan_compaction,
)
from skills_core.session.event import NOTICE, PendingEvent, SessionEvent, text_block
from skills_core.session.message import ModelMessage, UserMessage
from skills_core.session.recollection import extractive_summary
from skills_core.session.session import Session

_KEPT_SHARE = 0.25
_SUMMARY_MAX = 24_000

_ASK = """\
Summarise the conversation so far for yourself: your summary replaces it, and you go on from it.
Keep: what the user asked for, in their words where wording matters; decisions and their reasons; names of files, \
commands, values and errors that are still needed; what is done, what is under way, and what comes next.
Leave out: greetings, what was tried and dropped without a lesson, and the instructions of skills, which are kept \
beside the summary.
Answer with the summary only. Do not call tools."""


class Compactor:
    """Compacts one session."""

    def __init__(
        self, session: Session, limits: AgentLimits, record: Callable[[PendingEvent], Awaitable[object]]
    ) -> None:
        self._session = session
        self._limits = limits
        self._record = record

    async def compact(
        self, model: Model, *, system_prompt: str, tools: tuple[ToolSchema, ...], keep_tokens: int = KEEP_TOKENS
    ) -> CompactionOutcome:
        """Replaces what is older than the newest turns, of which about ``keep_tokens`` stay. Raises SessionError.

        In place of a model that writes no summaries, or fails to, the summary is taken from the log.
        """
        visible = tuple(self._session.surface.visible)
        if model.context_window is not None:
            keep_tokens = min(keep_tokens, int(model.context_window * _KEPT_SHARE))
        plan = plan_compaction(visible, keep_tokens=keep_tokens)
        if plan is None:
            return CompactionOutcome(compacted=False, message="There is nothing older to compact.")
        before = _tokens(visible)
        by_model = getattr(model, "writes_summaries", True) is not False
        summary, usage = "", None
        if by_model:
            try:
                reply = await self._ask(model, plan, system_prompt, tools)
                usage = usage_data(reply.usage)
                summary = _text_of(reply)
                failure = "" if summary else "it was empty"
            except ModelError as error:
                failure = error.message
            if failure:
                by_model = False
                text = f"The model wrote no summary ({failure}); the summary was taken from the log."
                await self._record(PendingEvent(NOTICE, {"text": text, "level": "warning"}))
        if not by_model:
            summary = extractive_summary(plan.replaced)
        writer = model.name if by_model else None
        await self._record(compaction_event(plan, summary, model=writer, usage=usage, tokens_before=before))
        after = _tokens(self._session.surface.visible)
        return CompactionOutcome(
            compacted=True,
            message=f"The conversation was compacted from about {before:,} to about {after:,} tokens.",
            by_model=by_model,
            tokens_before=before,
            tokens_after=after,
        )

    async def _ask(
        self, model: Model, plan: CompactionPlan, system_prompt: str, tools: tuple[ToolSchema, ...]
    ) -> ModelReply:
        """The reply that summarises the replaced part, which the model gets as it had it, with the question behind it.

        The tools go along because servers want to know those that a conversation speaks of, and cache what they know.
        """
        messages: tuple[ModelMessage, ...] = (*self._replaced_messages(plan), UserMessage((text_block(_ASK),)))
        request = ModelRequest(system_prompt, messages, tools)
        return await stream_reply(model, request, PartialReply(), self._limits, _ignore)

    def _replaced_messages(self, plan: CompactionPlan) -> tuple[ModelMessage, ...]:
        replaced = {event.seq for event in plan.replaced}
        return tuple(message for message in self._session.surface.messages() if message.seq in replaced)


def _text_of(reply: ModelReply) -> str:
    texts = [str(block.get("text", "")) for block in reply.content if block.get("type") == "text"]
    return str(storable("".join(texts))).strip()[:_SUMMARY_MAX]


def _tokens(visible: Sequence[SessionEvent]) -> int:
    return sum(event_tokens(event) for event in visible)


def _ignore(item: object) -> None:
    """A summary is not shown as it comes: it is no part of the conversation."""
