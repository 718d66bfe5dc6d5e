"""`skilldeck run`: where the prompt comes from, where the answer goes, and what is refused before anything runs."""

from __future__ import annotations

import os
import shlex
import subprocess

import pytest

from tests.app.commands.conftest import DEADLINE, Ended, Place
from tests.app.commands.test_run import call, events, script

LOCALES = {
    "UTF-8": {"LC_ALL": "C.UTF-8"},
    "C": {"LC_ALL": "C"},
    "ASCII": {"LC_ALL": "POSIX", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
    "Latin-1": {"PYTHONIOENCODING": "latin-1"},
}


def fed(place: Place, data: bytes, *words: str, environment: dict[str, str] | None = None) -> Ended:
    """Runs a command with these bytes on its standard input."""
    done = subprocess.run(
        place.command(*words),
        cwd=place.project,
        env={**place.environment, **(environment or {})},
        input=data,
        capture_output=True,
        timeout=DEADLINE,
        check=False,
    )
    return Ended(done.returncode, done.stdout.decode(), done.stderr.decode())


def in_shell(place: Place, line: str, *words: str) -> Ended:
    """Runs a line of a shell in which ``COMMAND`` stands for the command."""
    done = subprocess.run(
        ["/bin/sh", "-c", line.replace("COMMAND", shlex.join(place.command(*words)))],
        cwd=place.project,
        env=place.environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=False,
    )
    return Ended(done.returncode, done.stdout, done.stderr)


def prompts(place: Place) -> list[str]:
    """What the stored sessions were asked, in order of their files."""
    asked: list[str] = []
    for log in sorted(place.state.rglob("*.jsonl")):
        said = [event["data"] for event in events(log.read_text("utf-8")) if event.get("type") == "user/message"]
        asked += [data["content"][0]["text"] for data in said if data["source"]["kind"] == "user"]
    return asked


@pytest.mark.parametrize("environment", LOCALES.values(), ids=LOCALES)
def test_standard_input_is_utf8_whatever_the_locale(place: Place, environment: dict[str, str]) -> None:
    model = script(place, {"text": "Good day."})
    text = "\ufeffGrüße 語 😀\r\nzwei\rdrei\n"
    ended = fed(place, text.encode(), "run", "--model", model, environment=environment)
    assert (ended.status, ended.out, ended.err) == (0, "Good day.\n", "")
    assert prompts(place) == ["Grüße 語 😀\nzwei\ndrei"]


@pytest.mark.parametrize("environment", LOCALES.values(), ids=LOCALES)
def test_what_is_no_utf8_is_refused_and_never_altered(place: Place, environment: dict[str, str]) -> None:
    model = script(place, {"text": "Good day."})
    ended = fed(place, b"caf\xe9", "run", "--model", model, environment=environment)
    assert (ended.status, ended.out) == (2, "")
    assert ended.err == "skilldeck: standard input is not text in UTF-8: byte 4 is wrong\n"
    assert prompts(place) == []


def test_an_argument_that_is_no_utf8_is_refused(place: Place) -> None:
    ended = fed(place, b"", "run", os.fsdecode(b"caf\xe9"), "--model", script(place, {"text": "Good day."}))
    assert (ended.status, ended.out) == (2, "")
    assert ended.err == "skilldeck: the prompt is not text in UTF-8\n"
    assert prompts(place) == []


@pytest.mark.parametrize("data", [b"", b" \n\t\n", "\ufeff".encode()])
def test_nothing_on_standard_input_is_wrong_usage(place: Place, data: bytes) -> None:
    ended = fed(place, data, "run", "--model", script(place, {"text": "Good day."}))
    assert (ended.status, ended.out) == (2, "")
    assert ended.err == 'skilldeck: the prompt is empty; write: skilldeck run "..."\n'
    # An empty word behind the names of tools is a prompt that is empty, and does not bring up standard input.
    ended = fed(place, b"hello", "run", "--allow-tools", "write", "", "--model", script(place, {"text": "x"}))
    assert (ended.status, ended.err) == (2, 'skilldeck: the prompt is empty; write: skilldeck run "..."\n')
    assert prompts(place) == []


def test_a_huge_prompt_arrives_whole_and_can_be_gone_on_with(place: Place) -> None:
    model = script(place, {"text": "Good day."}, {"text": "Good night."})
    huge = "".join(f"line {number} ü\n" for number in range(500_000))
    ended = fed(place, huge.encode(), "run", "--model", model)
    assert (ended.status, ended.out, ended.err) == (0, "Good day.\n", "")
    assert prompts(place) == [huge.removesuffix("\n")]
    ended = fed(place, b"again", "run", "--continue", "--model", model)
    assert (ended.status, ended.out, ended.err) == (0, "Good day.\n", "")


@pytest.mark.parametrize(
    ("redirection", "said"),
    [("<&-", "the prompt is empty"), ("0>written", "standard input cannot be read: bad file descriptor")],
)
def test_a_standard_input_that_cannot_be_read_is_wrong_usage(place: Place, redirection: str, said: str) -> None:
    model = ("--model", script(place, {"text": "Good day."}))
    ended = in_shell(place, f"COMMAND {redirection}", "run", *model)
    assert (ended.status, ended.out) == (2, "")
    assert ended.err == f'skilldeck: {said}; write: skilldeck run "..."\n'
    assert prompts(place) == []
    # With a prompt nobody looks at it; a tool's program gets an input of its own.
    ended = in_shell(place, f"COMMAND {redirection}", "run", "hello", *model)
    assert (ended.status, ended.out, ended.err) == (0, "Good day.\n", "")


def test_a_command_of_a_tool_runs_with_every_standard_stream_closed(place: Place) -> None:
    model = script(place, call("shell", command="cat; echo made > made.txt"), {"text": "done"})
    ended = in_shell(place, "COMMAND <&- >&- 2>&-", "run", "go", "--allow-tools", "shell", "--model", model)
    assert (ended.status, ended.out, ended.err) == (0, "", "")
    assert (place.project / "made.txt").read_text() == "made\n"
    assert prompts(place) == ["go"]


@pytest.mark.parametrize("words", [(), ("--json",)])
def test_a_reader_of_one_line_sees_no_traceback(place: Place, words: tuple[str, ...]) -> None:
    model = script(place, {"text": "a line\n" * 300_000})
    ended = in_shell(place, "{ COMMAND; echo $? >&2; } | head -n 1", "run", "hello", *words, "--model", model)
    assert ended.out.count("\n") == 1
    assert ended.err == "0\n"
    assert prompts(place) == ["hello"]


def test_a_reader_of_messages_that_goes_away_changes_nothing(place: Place) -> None:
    model = script(place, call("write", path="x", content="y"), {"text": "done"})
    ended = in_shell(place, "{ COMMAND 2>&1 >&3 | true; } 3>&1", "run", "hello", "--model", model)
    assert (ended.out, ended.err) == ("done\n", "")


def test_the_step_limit_prints_the_last_words_and_leaves_a_session_that_goes_on(place: Place) -> None:
    looks = [{"text": f"Look {number}.", **call("list", path=".")} for number in range(3)]
    ended = place.run("run", "go", "--max-steps", "2", "--model", script(place, *looks))
    assert (ended.status, ended.out) == (1, "Look 1.\n")
    assert ended.err == "skilldeck: The turn reached its limit of 2 steps. Send a message to let it go on.\n"
    ended = place.run("run", "on", "--continue", "--json", "--model", script(place, {"text": "There."}))
    assert (ended.status, ended.err) == (0, "")
    assert events(ended.out)[-1]["data"]["reason"] == "done"
    assert prompts(place) == ["go", "on"]


@pytest.mark.parametrize("number", ["0", "-1", "1001", "many", "1.5", ""])
def test_a_step_limit_that_is_none_is_wrong_usage(place: Place, number: str) -> None:
    ended = place.run("run", "go", "--max-steps", number, "--model", script(place, {"text": "x"}))
    assert (ended.status, ended.out) == (2, "")
    assert ended.err.startswith("skilldeck: --max-steps: ")
    assert ended.err.count("\n") == 1
    assert prompts(place) == []


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (("wriet",), 'there is no tool "wriet"; did you mean "write"?'),
        (("write,wriet",), 'there is no tool "wriet"; did you mean "write"?'),
        (("write", "wriet"), 'there is no tool "wriet"; did you mean "write"?'),
        (("WRITE",), 'there is no tool "WRITE"; did you mean "write"?'),
        (("zzz",), 'there is no tool "zzz"; the tools are skill, read, list, search, write, edit, shell'),
    ],
)
@pytest.mark.parametrize("prompt", [("go",), ()], ids=["argument", "standard input"])
def test_a_tool_that_does_not_exist_is_never_taken_for_the_prompt(
    place: Place, prompt: tuple[str, ...], names: tuple[str, ...], said: str
) -> None:
    model = script(place, {"text": "x"})
    ended = fed(place, b"go", "run", *prompt, "--model", model, "--allow-tools", *names)
    assert (ended.status, ended.out) == (2, "")
    assert ended.err == f"skilldeck: --allow-tools: allow_tools: {said}\n"
    assert prompts(place) == []


def test_the_prompt_may_stand_behind_the_names_of_tools(place: Place) -> None:
    model = script(place, {"text": "x"})
    asked = {"go on": ["write"], "proceed": ["write", "edit"], "do this, and that": ["write,edit", "shell, list"]}
    for prompt, names in asked.items():
        ended = place.run("run", "--allow-tools", *names, prompt, "--model", model)
        assert (ended.status, ended.err) == (0, "")
    assert sorted(prompts(place)) == sorted(asked)
