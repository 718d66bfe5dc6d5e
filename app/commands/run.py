"""``skilldeck run``: one turn without the screen."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from app.commands.run_prompt import read_prompt, settle_tool_names
from app.context import CommandContext
from app.errors import UsageError
from app.output import OutputError
from app.process import DONE, NOT_SO, run_async
from app.session_choice import session_choice

if TYPE_CHECKING:
    from app.approvals import HeadlessApprover
    from app.commands.answer_stream import AnswerStream
    from app.runtime import Runtime
    from skills_core.agent import Model, TurnOutcome
    from skills_core.session import Session, SessionEvent
    from skills_core.session.event import PendingEvent


def run(context: CommandContext) -> int:
    settle_tool_names(context.arguments)
    settings = context.settings()
    prompt = read_prompt(context.arguments.prompt)

    async def main() -> int:
        from app.approvals import HeadlessApprover
        from skills_core.agent.instruction_files import read_instructions
        from skills_core.invocation import trust_questions

        async with context.runtime(settings, watch=False) as runtime:
            snapshot = await runtime.settled()
            if not snapshot.complete:
                context.output.failure(f"the skills could not be read completely: {snapshot.reason}")
                return NOT_SO
            approver = HeadlessApprover(context.output)
            instructions = await asyncio.to_thread(read_instructions, runtime.cwd, runtime.project_root)
            for root, question in sorted(trust_questions(snapshot, instructions).items()):
                if runtime.access.trust_of(root) is None:
                    await approver.approve_trust(question)
            if runtime.settings.model != settings.model and context.arguments.model is None:
                context.output.message(
                    f"skilldeck: {settings.model}, the model that the project names, is used once it is trusted"
                )
            for unread in instructions.unread.values():
                context.output.message(f"skilldeck: {unread.message}")
            return await _turn(runtime, context, approver, prompt)

    return run_async(main)


async def _turn(runtime: Runtime, context: CommandContext, approver: HeadlessApprover, prompt: str) -> int:
    session = await _session(runtime, context)
    try:
        outcome = await _turn_of_session(runtime, context, session, approver, prompt)
    except asyncio.CancelledError:
        _tell_stopped(context, session)
        raise
    if outcome.reason == "done":
        return DONE
    context.output.failure(outcome.message or f"the turn ended: {outcome.reason}", outcome.hint)
    return NOT_SO


async def _turn_of_session(
    runtime: Runtime, context: CommandContext, session: Session, approver: HeadlessApprover, prompt: str
) -> TurnOutcome:
    """Runs the turn, prints its answer, and closes the session."""
    from app.commands.answer_stream import AnswerStream
    from skills_core.agent.models import close_model
    from skills_core.session.event import user_message

    model: Model | None = None
    try:
        model = await _model(runtime, context, session)
        first = len(session.events)
        stream = AnswerStream(context.output) if context.output.is_terminal else None
        if context.arguments.format == "json":
            stream = None
        outcome = await _run_turn(runtime, context, session, approver, model, user_message(prompt), stream)
        if context.arguments.format != "json" and not (stream is not None and stream.printed):
            answer = _answer(session.events[first:])
            if answer:
                context.output.text(answer)
    finally:
        await close_model(model)
        await session.aclose()
    return outcome


def _tell_stopped(context: CommandContext, session: Session) -> None:
    """Says how to go on after a signal. Nobody may be there to read it: that changes nothing."""
    stored = session.path is not None and session.events
    hint = f'to go on with the session, write: skilldeck run --resume {session.id} "..."' if stored else ""
    with contextlib.suppress(OSError, OutputError):
        context.output.failure("the turn was stopped", hint)


async def _run_turn(
    runtime: Runtime,
    context: CommandContext,
    session: Session,
    approver: HeadlessApprover,
    model: Model,
    message: PendingEvent,
    stream: AnswerStream | None,
) -> TurnOutcome:
    from app.commands.show import event_object
    from skills_core.agent import LiveItem, ToolStarted

    agent = runtime.agent_for(session, approver, model)
    broken: list[OSError | OutputError] = []

    def on_event(event: SessionEvent) -> None:
        try:
            context.output.json_line(event_object(event))
        except (OSError, OutputError) as error:
            broken.append(error)
            agent.cancel()

    def on_live(item: LiveItem) -> None:
        if isinstance(item, ToolStarted):
            context.output.message(f"{item.title or item.name} ...")

    def on_words(item: LiveItem) -> None:
        if stream is not None and not broken:
            stream.live(item)
            if stream.broken is not None:
                broken.append(stream.broken)
                agent.cancel()

    endings = [session.subscribe(on_event)] if context.arguments.format == "json" else []
    if stream is not None:
        endings.append(agent.subscribe(on_words))
    elif sys.stderr.isatty():
        endings.append(agent.subscribe(on_live))
    try:
        outcome = await agent.run_turn(message)
    finally:
        for end in endings:
            end()
        if stream is not None:
            stream.end()
        await agent.aclose()
    if broken:
        raise broken[0]
    return outcome


async def _session(runtime: Runtime, context: CommandContext) -> Session:
    from app.assets import program_version
    from skills_core.session import Session, SessionNotFoundError

    choice = session_choice(context.arguments)
    if context.arguments.no_save:
        if choice.resume or choice.fork:
            raise UsageError("--no-save does not go with a stored session")
        return Session.in_memory(runtime.cwd, program_version())
    session_id = choice.fork or choice.resume
    if session_id is None:
        return await runtime.store.create(runtime.cwd)
    if choice.resume == "continue":
        session_id = await runtime.store.latest(runtime.cwd)
        if session_id is None:
            raise UsageError("there is no stored session of this folder to continue")
    try:
        stored = await runtime.store.read(session_id)
        _check_folder(stored, runtime)
        if choice.fork is not None:
            return await runtime.store.fork(session_id, choice.fork_seq)
        return await runtime.store.open(session_id)
    except SessionNotFoundError as error:
        raise UsageError(error.message, error.hint) from None


def _check_folder(session: Session, runtime: Runtime) -> None:
    import os

    folder = session.header.cwd
    if folder and os.path.realpath(folder) != os.path.realpath(runtime.cwd):
        raise UsageError(f"session {session.id} belongs to {folder}", f"add --cwd {folder}")


async def _model(runtime: Runtime, context: CommandContext, session: Session) -> Model:
    """The model that a flag names, else the one that the session used last, else the settings' one."""
    from app.models import session_model
    from skills_core.agent import ModelError

    try:
        return await runtime.open_model(context.arguments.model or session_model(session.events))
    except ModelError as error:
        raise UsageError(error.message, error.hint) from None


def _answer(events: Sequence[SessionEvent]) -> str:
    """The words of the last reply that has any."""
    from app.controllers.row_body import joined_text
    from skills_core.session.event import ASSISTANT_MESSAGE

    for event in reversed(events):
        if event.type == ASSISTANT_MESSAGE:
            words = joined_text(event.data.get("content"))
            if words.strip():
                return words.strip("\n")
    return ""
