"""`search`: text and names, what it skips, and its bounds."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from skills_core.agent.tools.search import SearchTool
from tests.core.agent.support import until
from tests.core.agent.tools.support import Workshop


@pytest.fixture
def tree(workshop: Workshop) -> Path:
    root = workshop.cwd
    (root / "src").mkdir()
    (root / "src" / "main.py").write_text("import os\nprint('Hello')\n")
    (root / "src" / "other.txt").write_text("hello there\n")
    (root / "build").mkdir()
    (root / "build" / "out.py").write_text("print('Hello')\n")
    (root / "keep.log").write_text("Hello\n")
    (root / "drop.log").write_text("Hello\n")
    (root / "binary.py").write_bytes(b"Hello\0")
    (root / "node_modules").mkdir()
    (root / "node_modules" / "x.py").write_text("Hello\n")
    (workshop.project / ".gitignore").write_text("build/\n*.log\n")
    (root / ".gitignore").write_text("!keep.log\n")
    return root


async def test_finds_text_and_respects_ignore_files(workshop: Workshop, tree: Path) -> None:
    outcome = await workshop.call("search", pattern="Hello")
    assert outcome.text.splitlines() == ["keep.log:1: Hello", "src/main.py:2: print('Hello')"]
    assert outcome.details == {"results": 2, "finished": True}


async def test_letter_case_literals_globs_and_single_files(workshop: Workshop, tree: Path) -> None:
    ignoring = await workshop.call("search", pattern="hello", ignore_case=True, glob="*.txt")
    assert ignoring.text == "src/other.txt:1: hello there"
    assert (await workshop.call("search", pattern="('Hello')", literal=True)).text == "src/main.py:2: print('Hello')"
    assert (await workshop.call("search", pattern="^import", glob="src/*.py")).text == "src/main.py:1: import os"
    assert (await workshop.call("search", pattern="Hello", path="src/main.py")).text.startswith("src/main.py:2")
    assert (await workshop.call("search", pattern="nothing here")).text == "No matches."


async def test_finds_names(workshop: Workshop, tree: Path) -> None:
    assert (await workshop.call("search", pattern=r"main\.py$", names=True)).text == "src/main.py"
    assert (await workshop.call("search", pattern="out", names=True)).text == "No matches."


async def test_results_are_bounded_and_say_so(workshop: Workshop) -> None:
    (workshop.cwd / "many.txt").write_text("match\n" * 500)
    lines = (await workshop.call("search", pattern="match")).text.splitlines()
    assert len(lines) == 201
    assert lines[-1] == "[there are more results: narrow the search or raise `limit`]"
    (workshop.cwd / "exact.txt").write_text("rare\n" * 3)
    assert "more results" not in (await workshop.call("search", pattern="rare", limit=3)).text
    (workshop.cwd / "wide.txt").write_text("w" * 10_000 + "\n")
    assert len((await workshop.call("search", pattern="www")).text) < 500


async def test_faults_are_clear(workshop: Workshop) -> None:
    assert "no regular expression" in await workshop.fails("search", pattern="(")
    assert "there is no folder or file none" in await workshop.fails("search", pattern="x", path="none")
    assert "`names` must be true or false" in await workshop.fails("search", pattern="x", names="yes")
    (workshop.cwd / ".gitignore").write_bytes(b"\xff\xfe[\n**\\")
    (workshop.cwd / "a.txt").write_text("found\n")
    os.mkfifo(workshop.cwd / "pipe")
    (workshop.cwd / "loop").symlink_to(workshop.cwd)
    assert (await workshop.call("search", pattern="found")).text == "a.txt:1: found"


async def test_an_expression_that_never_ends_is_stopped_and_blocks_nobody(workshop: Workshop) -> None:
    (workshop.cwd / "a.txt").write_text("a" * 200 + "!\n")
    tool = SearchTool(workshop.folders, seconds=1.0)
    running = asyncio.ensure_future(tool.run({"pattern": "(a+)+$"}, workshop.context()))
    turns = 0
    while not running.done():
        await asyncio.sleep(0.01)
        turns += 1
    # A search within this process would hold the interpreter, and the loop would not turn at all.
    assert turns > 10
    assert running.result().is_error
    assert "stopped after 1 seconds" in running.result().text


async def test_a_cancelled_search_ends_its_process(workshop: Workshop) -> None:
    (workshop.cwd / "a.txt").write_text("a" * 200 + "!\n")
    running = asyncio.ensure_future(SearchTool(workshop.folders).run({"pattern": "(a+)+$"}, workshop.context()))
    await until(lambda: bool(_children()), "the process of the search")
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(running, 10)
    assert _children() == []


def _children() -> list[str]:
    me = str(os.getpid())
    found: list[str] = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                status = Path(f"/proc/{name}/stat").read_text()
                words = Path(f"/proc/{name}/cmdline").read_text()
            except OSError:
                continue
            if status.rpartition(")")[2].split()[1] == me and "search_worker" in words:
                found.append(name)
    return found
