"""The command line itself: statuses, faults in one line, pipes, help."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from app.arguments import COMMANDS, parse_arguments
from app.errors import UsageError
from tests.app.commands.conftest import DEADLINE, Place
from tests.support.privileges import let_modes_hold


def one_line(text: str) -> str:
    assert text.startswith("skilldeck: "), text
    assert text.count("\n") == 1, text
    return text


def test_help_and_version(place: Place) -> None:
    shown = place.run("--help")
    assert (shown.status, shown.err) == (0, "")
    for command in COMMANDS:
        assert f"\n    {command} " in shown.out
    version = place.run("--version")
    assert (version.status, version.err) == (0, "")
    assert version.out.startswith("skilldeck ")
    assert place.run("skills", "--version").out == version.out


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_has_help_and_the_global_flags(place: Place, command: str) -> None:
    shown = place.run(command, "--help")
    assert shown.status == 0
    for flag in ("--cwd", "--skills-dir", "--trust", "--set", "--model", "--base-url"):
        assert flag in shown.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["skils"], 'no command "skils"; did you mean "skills"?'),
        (["tell me a story"], 'no command "tell me a story"; to ask the model, write: skilldeck run'),
        (["--nope"], "there is no flag --nope"),
        (["skills", "--jsn"], 'skills has no flag --jsn; did you mean "--json"?'),
        (["skills", "--format", "xml"], "--format"),
        (["skills", "extra"], '"extra" is one word too many'),
        (["show"], "ID"),
        (["new"], "NAME"),
        (["--trust", "maybe", "skills"], "--trust"),
        (["--set", "x", "skills"], "write KEY=VALUE"),
        (["--set", "modle=x", "config"], 'did you mean "model"?'),
        (["--set", "max_steps=0", "config"], "from 1 to 1000"),
        (["--set", "api_key=sk-1", "config"], "SKILLDECK_API_KEY"),
        (["--cwd", "/no/such/folder", "skills"], "there is no such folder"),
        (["--skills-dir", __file__, "skills"], "is a file, not a folder"),
        (["help", "indx"], 'did you mean "index"?'),
        (["check", "/no/such/file.md"], "there is no such file or folder"),
        (["show", "nothing"], "no session"),
        (["enable", "nothing"], 'there is no skill "nothing"'),
        (["--fork", "abc:x"], "ID:SEQ"),
    ],
)
def test_wrong_usage_is_one_line_and_status_2(place: Place, words: list[str], said: str) -> None:
    if words[0] == "--fork":
        words = ["run", "hello", *words]
    ended = place.run(*words)
    assert ended.status == 2
    assert ended.out == ""
    assert said in one_line(ended.err)
    assert "sk-1" not in ended.err


def test_the_chat_needs_a_terminal(place: Place) -> None:
    ended = place.run()
    assert (ended.status, ended.out) == (2, "")
    assert "needs a terminal" in one_line(ended.err)


def test_global_flags_before_and_after_the_command() -> None:
    arguments = parse_arguments(["--trust", "no", "--set", "a=1", "--skills-dir", "x", "skills", "--set", "b=2"])
    assert (arguments.trust, arguments.set, arguments.skills_dir) == ("no", ["a=1", "b=2"], ["x"])
    arguments = parse_arguments(["--model", "first", "skills", "--model", "second", "--skills-dir", "y"])
    assert (arguments.model, arguments.skills_dir) == ("second", ["y"])
    assert parse_arguments(["skills", "--json"]).format == "json"


def test_session_flags_before_run_hold_and_before_others_are_refused() -> None:
    assert parse_arguments(["--continue", "run", "x"]).continue_ is True
    assert parse_arguments(["--fork", "a:3", "run", "x"]).fork == "a:3"
    assert parse_arguments(["run", "x", "--resume", "b"]).resume == "b"
    assert parse_arguments(["--resume"]).resume == ""
    assert parse_arguments([]).continue_ is False
    for words in (["--continue", "skills"], ["--fork", "a", "show", "b"], ["--continue", "run", "x", "--resume", "b"]):
        with pytest.raises(UsageError):
            parse_arguments(words)


def test_parse_raises_and_does_not_leave() -> None:
    with pytest.raises(UsageError):
        parse_arguments(["--resume", "x", "--continue"])


def test_cwd_flag_moves_the_command(place: Place, tmp_path: Path) -> None:
    place.skill("here")
    (tmp_path / "other").mkdir()
    elsewhere = place.run("skills", "--json", "--cwd", str(place.project), cwd=tmp_path / "other").json
    assert elsewhere["cwd"] == str(place.project)
    assert "here" in [skill["name"] for skill in elsewhere["skills"]]


def test_a_folder_that_is_gone(place: Place, tmp_path: Path) -> None:
    script = f"mkdir gone && cd gone && rmdir ../gone && exec {' '.join(place.command('skills'))}"
    done = subprocess.run(
        ["sh", "-c", script], cwd=tmp_path, env=place.environment, capture_output=True, text=True, timeout=DEADLINE
    )
    assert done.returncode == 2
    assert "current folder cannot be found" in one_line(done.stderr)


def test_a_folder_that_may_not_be_entered(place: Place, tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0)
    done = subprocess.run(
        place.command("--cwd", str(closed), "skills"),
        cwd=place.project,
        env=place.environment,
        preexec_fn=let_modes_hold,
        capture_output=True,
        text=True,
        timeout=DEADLINE,
    )
    assert done.returncode == 2
    assert "may not be entered" in one_line(done.stderr)


@pytest.mark.parametrize("words", [("skills",), ("skills", "--json"), ("config",), ("help", "index"), ("--help",)])
def test_a_closed_pipe_ends_quietly(place: Place, words: tuple[str, ...]) -> None:
    for number in range(40):
        place.skill(f"skill-{number}", "word " * 200)
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as pipe:
        done = subprocess.run(
            place.command(*words),
            cwd=place.project,
            env=place.environment,
            stdout=pipe,
            stderr=subprocess.PIPE,
            text=True,
            timeout=DEADLINE,
        )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
def test_a_full_disk_behind_the_output_is_told(place: Place) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            place.command("config", "--json"),
            cwd=place.project,
            env=place.environment,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=DEADLINE,
        )
    assert done.returncode == 1
    assert "could not be written" in one_line(done.stderr)


def test_closed_standard_streams_do_not_matter(place: Place) -> None:
    script = f"exec {' '.join(place.command('config', '--json'))} <&- 2>&-"
    done = subprocess.run(
        ["sh", "-c", script], cwd=place.project, env=place.environment, stdout=subprocess.PIPE, timeout=DEADLINE
    )
    assert done.returncode == 0
    assert done.stdout.startswith(b"[")


def test_a_bad_settings_file_is_one_line(place: Place) -> None:
    (place.project / ".skilldeck.toml").write_text("discovery_depth = 1\nmodel = 'a\n")
    ended = place.run("skills")
    assert ended.status == 2
    assert f"{place.project}/.skilldeck.toml:2:" in one_line(ended.err)


def test_help_topics(place: Place) -> None:
    listed = place.run("help")
    assert listed.status == 0
    for topic in ("commands", "settings", "skills", "sessions"):
        assert f"\n  {topic} " in listed.out
        shown = place.run("help", topic)
        assert shown.status == 0
        assert shown.out.startswith("# ")


@pytest.mark.parametrize("flag", ["--help", "--version"])
def test_help_and_version_import_nothing_heavy(place: Place, flag: str) -> None:
    code = (
        "import sys\nfrom app.cli import main\nmain([sys.argv[1]])\n"
        "heavy = ('asyncio', 'pydantic', 'textual', 'rich', 'yaml', 'watchfiles', 'skills_core', 'logging')\n"
        "print(sorted(name for name in heavy if name in sys.modules), file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, flag],
        cwd=place.project,
        env=place.environment,
        capture_output=True,
        text=True,
        timeout=DEADLINE,
    )
    assert (done.returncode, done.stderr) == (0, "[]\n")
