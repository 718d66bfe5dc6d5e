"""A process that forks writers of sessions, to be killed at any moment.

Reads lines ``root id first`` from standard input; for each it forks a writer, which goes on with session ``id`` (``-``
for a new one) and says on standard output ``id ID`` when it is open and ``ack SEQ CHECKSUM`` for each event as soon as
``append`` has returned. After the writer has died it says ``end``.
"""

from __future__ import annotations

import asyncio
import os
import random
import sys
import zlib
from pathlib import Path

import filelock  # noqa: F401  (imported before the fork, so that writers start at once)

from skills_core.session import SessionStore
from skills_core.session.event import user_message

SIZES = (10, 200, 3_000, 60_000, 400_000)


def checksum(text: str) -> int:
    return zlib.crc32(text.encode())


def say(line: str) -> None:
    os.write(1, f"{line}\n".encode())


async def write(root: str, id: str, seed: int) -> None:
    source = random.Random(seed)
    store = SessionStore(Path(root), "1")
    session = await store.create("/somewhere") if id == "-" else await store.open(id)
    say(f"id {session.id}")

    async def append(count: int) -> None:
        texts = [f"{source.random()} " + "y" * source.choice(SIZES) for _ in range(count)]
        for event in await session.append(*map(user_message, texts)):
            say(f"ack {event.seq} {checksum(event.data['content'][0]['text'])}")

    while True:
        await asyncio.gather(*(append(source.randint(1, 2)) for _ in range(source.randint(1, 4))))


def main() -> None:
    for line in sys.stdin:
        root, id, seed = line.split()
        pid = os.fork()
        if pid == 0:
            try:
                asyncio.run(write(root, id, int(seed)))
            except BaseException as error:
                say(f"failed {error!r}")
            finally:
                os._exit(1)
        say(f"pid {pid}")
        os.waitpid(pid, 0)
        say("end")


if __name__ == "__main__":
    main()
