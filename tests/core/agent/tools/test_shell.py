"""`shell`: output as it comes, bounds, and nothing left running."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from pathlib import Path

import pytest

from skills_core.agent.tools import shell as shell_module
from skills_core.agent.tools.output_text import OutputKeeper, plain_output
from tests.core.agent.support import until
from tests.core.agent.tools.support import Workshop


async def test_runs_in_the_working_folder_with_output_and_errors_together(workshop: Workshop) -> None:
    outcome = await workshop.call("shell", command="pwd; echo oops >&2")
    assert outcome.text == f"{workshop.cwd}\noops"
    assert (outcome.is_error, outcome.details) == (
        False,
        {"exit_status": 0, "bytes": len(outcome.text) + 1, "stopped": False},
    )
    assert "".join(workshop.output) == f"{workshop.cwd}\noops\n"


async def test_states_how_it_ended(workshop: Workshop) -> None:
    failed = await workshop.call("shell", command="echo no; exit 3")
    assert (failed.text, failed.is_error) == ("no\n[Exit status 3.]", True)
    killed = await workshop.call("shell", command="kill -9 $$")
    assert (killed.text, killed.is_error) == ("[Ended by signal 9.]", True)
    assert (await workshop.call("shell", command="true")).text == "[No output.]"
    assert "the command is empty" in await workshop.fails("shell", command="  ")
    assert "`command` is missing" in await workshop.fails("shell")
    assert "`timeout_seconds` must be a whole number" in await workshop.fails(
        "shell", command="ls", timeout_seconds="x"
    )


async def test_there_is_no_input_to_wait_for(workshop: Workshop) -> None:
    assert (await workshop.call("shell", command="cat; echo after")).text == "after"


async def test_asks_with_the_whole_command(workshop: Workshop) -> None:
    question = await workshop.question("shell", command="echo one\necho two")
    assert question is not None
    assert (question.tool, question.summary, question.detail) == (
        "shell",
        "Run echo one echo two",
        "echo one\necho two",
    )


async def test_output_comes_while_it_runs(workshop: Workshop) -> None:
    running = asyncio.ensure_future(
        workshop.call("shell", command="echo first; while [ ! -e go ]; do sleep 0.02; done")
    )
    await until(lambda: "first\n" in workshop.output, "the first output")
    assert not running.done()
    (workshop.cwd / "go").touch()
    assert (await asyncio.wait_for(running, 20)).text == "first"


def _alive(pid_file: Path) -> bool:
    try:
        os.kill(int(pid_file.read_text()), 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid_file.read_text().strip()}/stat").read_text()
    return status.rpartition(")")[2].split()[0] != "Z"


@pytest.mark.parametrize("way", ["time limit", "cancelled"])
async def test_is_stopped_with_all_its_children(workshop: Workshop, way: str) -> None:
    source = 'import os, time; os.setsid(); open("c", "w").write(str(os.getpid())); time.sleep(300)'
    command = (
        "trap '' TERM; (trap '' TERM; echo $BASHPID > a; sleep 300) & sleep 300 & echo $! > b; "
        f"{sys.executable} -c '{source}' & echo started; wait"
    )
    seconds = 2 if way == "time limit" else 100
    running = asyncio.ensure_future(workshop.call("shell", command=command, timeout_seconds=seconds))
    files = [workshop.cwd / name for name in "abc"]
    await until(lambda: all(file.exists() and file.read_text().strip() for file in files), "the children")
    if way == "cancelled":
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(running, 20)
    else:
        outcome = await asyncio.wait_for(running, 20)
        assert outcome.is_error
        assert outcome.text == "started\n[Stopped: it did not finish within 2 seconds.]"
    await until(lambda: not any(_alive(file) for file in files), "the end of the children")


async def test_a_child_that_moves_away_when_it_is_asked_to_end_is_stopped_too(workshop: Workshop) -> None:
    (workshop.cwd / "mover.py").write_text(
        "import os, signal, time\n"
        "signal.signal(signal.SIGTERM, lambda *_: os.setsid())\n"
        'open("pid", "w").write(str(os.getpid()))\n'
        "while True:\n    time.sleep(300)\n"
    )
    command = f"trap '' TERM; {sys.executable} mover.py & wait"
    running = asyncio.ensure_future(workshop.call("shell", command=command, timeout_seconds=100))
    pid = workshop.cwd / "pid"
    await until(lambda: pid.exists() and bool(pid.read_text()), "the child")
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(running, 20)
    await until(lambda: not _alive(pid), "the end of the child")


async def test_what_stays_in_the_background_ends_with_the_call(workshop: Workshop) -> None:
    began = time.monotonic()
    outcome = await workshop.call("shell", command="sleep 300 & echo $! > pid; echo done")
    assert time.monotonic() - began < 10
    assert outcome.text == "done\n[Processes that were still running in the background were stopped.]"
    assert not outcome.is_error
    await until(lambda: not _alive(workshop.cwd / "pid"), "the end of the background process")


async def test_a_flood_is_bounded(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shell_module, "MAX_OUTPUT_BYTES", 2_000_000)
    outcome = await workshop.call("shell", command="echo begin; yes")
    assert outcome.is_error
    assert outcome.text.startswith("begin\ny\n")
    assert outcome.text.endswith("[Stopped after 2,000,000 bytes of output.]")
    assert "characters left out" in outcome.text
    assert len(outcome.text) < 51_000


async def test_no_handle_is_left_open(workshop: Workshop) -> None:
    await workshop.call("shell", command="echo warm")
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(5):
        await workshop.call("shell", command="echo x; sleep 100 & exit 0")
    assert len(os.listdir("/proc/self/fd")) <= before


def test_terminal_controls_are_taken_out() -> None:
    text = "\x1b[1;31mred\x1b[0m \x1b]52;c;c2VjcmV0\x07x\x1b]8;;http://e\x1b\\y\x1b(Bz\r\n10%\r20%\n\x07\x9b3J\ttab"
    assert plain_output(text) == "red xyz\n10%\n20%\n3J\ttab"


def test_output_in_pieces_is_the_same_as_in_one() -> None:
    data = "é\x1b[31mred\x1b]0;title\x07\r\nend 語\x1b[0m".encode()
    for size in range(1, 8):
        seen: list[str] = []
        keeper = OutputKeeper(seen.append)
        for start in range(0, len(data), size):
            keeper.add(data[start : start + size])
        keeper.finish()
        assert keeper.text == "".join(seen) == "éred\nend 語"


def test_an_escape_that_never_ends_is_not_held_for_ever() -> None:
    seen: list[str] = []
    keeper = OutputKeeper(seen.append)
    keeper.add(b"\x1b]" + b"x" * 10_000)
    keeper.finish()
    assert keeper.text.endswith("x" * 9_000)
    keeper = OutputKeeper(seen.append)
    keeper.add(b"a" * 100_000 + b"z")
    keeper.finish()
    assert keeper.text.startswith("a" * 20_000 + "\n[50,001 characters left out]\n")
    assert keeper.text.endswith("z")


async def test_commands_do_not_see_the_keys_of_providers(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "canary-in-the-environment")
    monkeypatch.setenv("MY_OWN_VARIABLE", "mine")
    command = 'printf "%s|%s" "${ANTHROPIC_API_KEY-none}" "$MY_OWN_VARIABLE"; env | grep -c canary'
    assert (await workshop.call("shell", command=command)).text.startswith("none|mine0")


async def test_a_key_that_a_command_may_see(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    from skills_core.agent.tools.shell import ShellTool

    monkeypatch.setenv("ANTHROPIC_API_KEY", "x")
    seen = await ShellTool(hidden_variables=()).run({"command": "printenv ANTHROPIC_API_KEY"}, workshop.context())
    assert seen.text == "x"
    hidden = ShellTool()
    assert (await hidden.run({"command": "printenv ANTHROPIC_API_KEY"}, workshop.context())).is_error
