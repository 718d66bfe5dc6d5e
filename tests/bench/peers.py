"""A watcher to compare with: chokidar with the settings of the reference system, in a process of its own."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_PROGRAM = """
import { watch } from "chokidar"
const watcher = watch(process.argv[2], {
  persistent: true, ignoreInitial: true, depth: 1, atomic: true, followSymlinks: true,
  awaitWriteFinish: { stabilityThreshold: 200, pollInterval: 100 },
})
watcher.on("ready", () => console.log(JSON.stringify({ event: "ready" })))
watcher.on("all", (event, path) => console.log(JSON.stringify({ event, path })))
"""


class ChokidarPeer:
    """Installed with npm into a temporary folder, which ``remove`` deletes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @classmethod
    async def install(cls) -> ChokidarPeer | None:
        """None, and a word on standard error, when node or npm is missing or the installation fails."""
        if shutil.which("node") is None or shutil.which("npm") is None:
            print("no node and npm here: the peer is left out", file=sys.stderr)
            return None
        peer = cls(Path(tempfile.mkdtemp(prefix="skills-bench-peer-")))
        (peer._folder / "package.json").write_text('{"type": "module", "private": true}\n')
        (peer._folder / "watch.js").write_text(_PROGRAM)
        command = ["npm", "install", "--no-audit", "--no-fund", "--silent", "chokidar"]
        child = await asyncio.create_subprocess_exec(*command, cwd=peer._folder)
        if await child.wait() != 0:
            print("npm could not install chokidar: the peer is left out", file=sys.stderr)
            peer.remove()
            return None
        return peer

    async def measure(self, root: Path, files: list[Path]) -> list[float]:
        """Seconds from the end of a write to each file to the peer's word of it."""
        child = await asyncio.create_subprocess_exec(
            *("node", "watch.js", str(root)), cwd=self._folder, stdout=subprocess.PIPE
        )
        assert child.stdout is not None
        try:
            await _event(child.stdout, None)
            await asyncio.sleep(0.5)
            times: list[float] = []
            for file in files:
                text = file.read_text(encoding="utf-8")
                file.write_text(text + "One more line.\n", encoding="utf-8")
                began = time.perf_counter()
                await _event(child.stdout, str(file))
                times.append(time.perf_counter() - began)
                await asyncio.sleep(0.15)
            return times
        finally:
            child.terminate()
            await child.wait()

    def remove(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)


async def _event(lines: asyncio.StreamReader, path: str | None) -> None:
    """Waits for the peer to be ready (None), or for an event of ``path``."""
    async with asyncio.timeout(60):
        while True:
            line = await lines.readline()
            if not line:
                raise RuntimeError("the peer ended")
            event = json.loads(line)
            if event.get("path") == path and (path is not None or event["event"] == "ready"):
                return
