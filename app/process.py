"""How a command ends: exit statuses, signals and closed pipes."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Coroutine
from types import FrameType
from typing import Any

from app.errors import UsageError
from app.output import Output, OutputError

DONE = 0
NOT_SO = 1
WRONG_USAGE = 2
INTERRUPTED = 130
TERMINATED = 143
_THREAD_SECONDS = 1.0


class TerminatedError(BaseException):
    """SIGTERM came. Not an Exception, so that nothing takes it for a failure of its own."""


def guarded(command: Callable[[Output], int]) -> int:
    """Runs a command and turns every expected end into an exit status, with one line where one is due."""
    _stand_in_for_closed_streams()
    signal.signal(signal.SIGTERM, _raise_terminated)
    output = Output()
    try:
        status = _with_messages(command, output)
        output.flush()
    except BrokenPipeError:
        _discard_output()
        return DONE
    except KeyboardInterrupt:
        return _ended(output, INTERRUPTED)
    except TerminatedError:
        return _ended(output, TERMINATED)
    except OutputError as error:
        _discard_output()
        output.failure(error.message)
        return NOT_SO
    return status


def run_async(main: Callable[[], Coroutine[Any, Any, int]], *, stopped: int | None = None) -> int:
    """Runs a coroutine to its end and returns its status.

    Ctrl+C and SIGTERM cancel it, wait until it has put its things in order, and give 130 and 143, or ``stopped``. A
    second signal ends the process at once.
    """
    import asyncio
    import logging

    # What the core logs is for a program that collects it; what concerns the person is told in its place.
    logging.getLogger().addHandler(logging.NullHandler())
    caught: list[int] = []

    async def with_signals() -> int:
        loop = asyncio.get_running_loop()
        task = asyncio.current_task()
        assert task is not None

        def on_signal(number: signal.Signals, status: int) -> None:
            if caught:
                os._exit(status)
            caught.append(number)
            task.cancel()

        for number, status in ((signal.SIGINT, INTERRUPTED), (signal.SIGTERM, TERMINATED)):
            # A loop without signal support (Windows) keeps Python's own handling.
            if signal.getsignal(number) is not signal.SIG_IGN and hasattr(loop, "add_signal_handler"):
                try:
                    loop.add_signal_handler(number, on_signal, number, status)
                except NotImplementedError:
                    break
        try:
            return await main()
        finally:
            if caught:
                leave_threads_behind(_status_of(caught[0], stopped))

    try:
        status = asyncio.run(with_signals())
    except asyncio.CancelledError:
        if not caught:
            raise
        status = DONE
    return _status_of(caught[0], stopped) if caught else status


def _status_of(number: int, stopped: int | None) -> int:
    if stopped is not None:
        return stopped
    return INTERRUPTED if number == signal.SIGINT else TERMINATED


def leave_threads_behind(status: int, last: Callable[[], None] | None = None) -> None:
    """Ends the process soon when a thread holds it up: one that waits for a disk or a name lookup cannot be told.

    Call it when everything is in order. ``last`` is done before the end, if that has to be forced.
    """
    import threading

    def end() -> None:
        try:
            if last is not None:
                last()
        finally:
            os._exit(status)

    timer = threading.Timer(_THREAD_SECONDS, end)
    timer.daemon = True
    timer.start()


def _with_messages(command: Callable[[Output], int], output: Output) -> int:
    try:
        return command(output)
    except UsageError as error:
        for fault in (error, *error.others):
            output.failure(fault.message, fault.hint)
        return WRONG_USAGE
    except (BrokenPipeError, OutputError):
        raise
    except Exception as error:
        # The core's errors are made for a person: they say what happened and what to do.
        message, hint = getattr(error, "message", None), getattr(error, "hint", None)
        if not isinstance(message, str) or not isinstance(hint, str):
            message, hint = _fault(error)
        output.failure(message, hint)
        return NOT_SO


def _fault(error: Exception) -> tuple[str, str]:
    """Words for a fault of the program itself. Its story goes to a file: it may quote what a terminal would obey."""
    from app.crash import short_words, write_story
    from app.settings.files import state_dir

    try:
        where = write_story(state_dir(), error)
    except UsageError:
        where = "What happened could not be written down."
    return f"this is a fault of the program itself: {short_words(error)}", where


def _ended(output: Output, status: int) -> int:
    try:
        output.flush()
    except (OSError, OutputError):
        _discard_output()
    return status


def _raise_terminated(number: int, frame: FrameType | None) -> None:
    raise TerminatedError


def _discard_output() -> None:
    """Lets the interpreter's last flush go nowhere: whoever read it has gone."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            try:
                os.dup2(nowhere, stream.fileno())
            except (OSError, ValueError):
                continue
    os.close(nowhere)


def _stand_in_for_closed_streams() -> None:
    """Python leaves None where a standard stream was closed before the start."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            nowhere = open(os.devnull, "r" if name == "stdin" else "w", encoding="utf-8")  # noqa: SIM115
            setattr(sys, name, nowhere)
