"""A thread for disk work: jobs run one after another, off the loop, and none of them keeps the process alive."""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
from collections.abc import Callable
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Job(Generic[T]):
    """A piece of disk work. ``begun`` is true from the moment at which it may have looked at the disk."""

    __slots__ = ("begun", "future", "work")

    def __init__(self, work: Callable[[], T], future: asyncio.Future[T]) -> None:
        self.work = work
        self.future = future
        self.begun = False


class DiskThread:
    """Runs jobs in one daemon thread, started with the first job.

    A thread that hangs in a dead network file system cannot be stopped; as a daemon it does not hold up the exit.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._jobs: queue.SimpleQueue[Job[Any] | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._waiting: set[asyncio.Future[Any]] = set()
        self._closed = False

    def submit(self, work: Callable[[], T]) -> Job[T]:
        """Queues work; its ``future`` belongs to the running loop. Call it on the loop."""
        job = Job(work, asyncio.get_running_loop().create_future())
        if self._closed:
            raise RuntimeError(f"{self._name} is closed")
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
            self._thread.start()
        self._waiting.add(job.future)
        job.future.add_done_callback(self._waiting.discard)
        self._jobs.put(job)
        return job

    def close(self) -> None:
        """Cancels whoever waits for a job; the thread ends after the one that it is at. Call it on the loop."""
        if self._closed:
            return
        self._closed = True
        for future in tuple(self._waiting):
            future.cancel()
        self._jobs.put(None)

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None:
            if not self._closed:
                self._do(job)

    def _do(self, job: Job[Any]) -> None:
        job.begun = True
        try:
            result = job.work()
        except BaseException as error:
            failure = error
            _tell(job, lambda: job.future.done() or job.future.set_exception(failure))
        else:
            _tell(job, lambda: job.future.done() or job.future.set_result(result))


def _tell(job: Job[Any], callback: Callable[[], object]) -> None:
    # The loop may have ended while the job ran: then nobody is left to tell.
    with contextlib.suppress(RuntimeError):
        job.future.get_loop().call_soon_threadsafe(callback)
