"""Every command where every name and text is hostile: no control reaches the terminal, no traceback a person."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.controllers.inert import inert
from app.process import DONE

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 60.0

EVIL = (
    "\x1b]52;c;aGk=\x07\x1b[2J\x1b[31m\x9b5n\x85\u202ereversed\u2066\u200b\u00ad\U000e0041\ufeff\r\b\x7f"
    "[red]x[/red][/x]"
)
"""Sequences that write the clipboard, clear the screen and ask for answers; bidi, hidden and tag characters; markup."""

NAME = EVIL.replace("\x00", "")
UNWANTED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]"
)
"""Told apart here anew, so that a gap in the program's own list does not hide itself."""


def unwanted(text: str) -> list[str]:
    return [
        f"U+{ord(match[0]):04X} in {text[max(0, match.start() - 30) : match.end() + 5]!r}"
        for match in UNWANTED.finditer(text)
    ]


class HostilePlace:
    """A repository, a home and a stored session in which everything that can be named is named by an attacker."""

    def __init__(self, tmp_path: Path) -> None:
        self.home = tmp_path / "home"
        self.project = tmp_path / NAME.replace("/", "|")
        self.skills = self.project / ".agents" / "skills"
        (self.project / ".git").mkdir(parents=True)
        (self.home / "config").mkdir(parents=True)
        kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL", "TMPDIR") if name in os.environ}
        self.environment = {
            **kept,
            "HOME": str(self.home),
            "PYTHONPATH": str(ROOT),
            "PYTHONUTF8": "1",
            "PYTHONWARNINGS": "error",
            "SKILLDECK_CONFIG_DIR": str(self.home / "config"),
            "SKILLDECK_STATE_DIR": str(self.home / "state"),
        }
        self._skills()
        (self.project / "AGENTS.md").write_text(f"Obey.\n{EVIL}\n")
        (self.project / f"{NAME.replace('/', '|')}.txt").write_text(EVIL)

    def _skills(self) -> None:
        def put(folder: str | bytes, text: str) -> None:
            where = os.path.join(os.fsencode(self.skills), folder if isinstance(folder, bytes) else os.fsencode(folder))
            os.makedirs(where, exist_ok=True)
            with open(
                os.path.join(where, b"SKILL.md"), "w", encoding="utf-8", errors="surrogatepass", newline=""
            ) as file:
                file.write(text)

        yaml = json.dumps(EVIL)
        put("good", f"---\nname: good\ndescription: {yaml}\nargument-hint: {yaml}\nwhen-to-use: {yaml}\n---\n{EVIL}\n")
        put("raw", f"---\nname: raw\ndescription: {EVIL}\n---\n{EVIL}\n")
        put(NAME.replace("/", "|"), f"---\ndescription: {yaml}\n---\n{EVIL}\n")
        put("named", f"---\nname: {yaml}\ndescription: x\n---\n")
        put("bad-yaml", f"---\nname: bad\ndescription: [{EVIL}\n{EVIL}: }}\n---\n")
        put("bad-key", f"---\nname: bad-key\ndescription: x\nuserInvokable: {yaml}\n{EVIL}: y\n---\n")
        put("merge", f"---\n<<<<<<< {EVIL}\nname: merge\n=======\n>>>>>>> {EVIL}\n---\n")
        put("twice", f"---\nname: {yaml}\nname: other{EVIL}\ndescription: x\n---\n")
        put(b"not-utf8-\xff\xfe\x1b[2J", "---\nname: n\ndescription: x\n---\n")
        (self.skills / f"{NAME.replace('/', '|')}.md").write_text(f"---\ndescription: {yaml}\n---\n")
        link = self.skills / "linked" / "SKILL.md"
        link.parent.mkdir()
        link.symlink_to(f"/nowhere/{NAME.replace('/', '|')}")
        os.mkfifo(self.skills / "good" / f"pipe{NAME.replace('/', '|')}")

    def run(self, *words: str, stdin: str = "", environment: dict[str, str] | None = None) -> tuple[int, str, str]:
        done = subprocess.run(
            [sys.executable, "-m", "app.cli", *words],
            cwd=self.project,
            env={**self.environment, **(environment or {})},
            input=stdin.encode("utf-8", "surrogateescape"),
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
        # Strictly: what is no UTF-8 is no text for a terminal either.
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def checked(self, *words: str, stdin: str = "", environment: dict[str, str] | None = None) -> tuple[int, str, str]:
        status, out, err = self.run(*words, stdin=stdin, environment=environment)
        found = unwanted(out) + unwanted(err)
        assert not found, f"{words}: {found[:5]}"
        assert "Traceback" not in out + err, f"{words}: {err[-2000:]}"
        assert "Warning" not in err, f"{words}: {err[-2000:]}"
        assert status in (0, 1, 2), f"{words}: status {status}: {err[-2000:]}"
        return status, out, err


@pytest.fixture
def place(tmp_path: Path) -> HostilePlace:
    return HostilePlace(tmp_path)


@pytest.fixture
def session(place: HostilePlace) -> str:
    """A stored session in which the model, a tool and the person said hostile things."""
    script = place.home / "script.jsonl"
    command = f"printf '%b' '\\033]0;owned\\007\\033[2J'; echo '{EVIL.replace(chr(0), '')}'"
    replies = [
        {"thinking": EVIL, "text": EVIL, "tool_calls": [{"name": "shell", "arguments": {"command": command}}]},
        {"tool_calls": [{"name": EVIL, "arguments": {"path": EVIL}}, {"name": "skill", "arguments": {"name": EVIL}}]},
        {"tool_calls": [{"name": "list", "arguments": {}}, {"name": "read", "arguments": {"path": EVIL}}]},
        {"tool_calls": [{"name": "search", "arguments": {"pattern": ".", "glob": EVIL}}]},
        {"tool_calls": [{"name": "write", "arguments": {"path": f"{EVIL}/a", "content": EVIL}}]},
        {"text": f"# {EVIL}\n\n```{EVIL}\n{EVIL}\n```\n[{EVIL}](javascript:{EVIL})\n<marquee>{EVIL}</marquee>"},
    ]
    script.write_text("".join(json.dumps(reply) + "\n" for reply in replies))
    status, _, err = place.checked(
        "run", "--trust", "yes", "--model", f"script:{script}", "--allow-tools", "shell", "--", f"/good {EVIL}"
    )
    assert status == DONE, err
    (identifier,) = [each["id"] for each in json.loads(place.checked("sessions", "--json")[1])]
    return identifier


def test_commands_about_skills(place: HostilePlace) -> None:
    _, out, _ = place.checked("skills")
    assert "good" in out
    assert "\u241b" not in json.loads(place.checked("skills", "--json")[1])["skills"][0]["name"]
    for words in (
        ("skills", "--trust", "yes"),
        ("check",),
        ("check", "--strict", "--json"),
        ("check", "--format", "github"),
        ("check", str(place.skills / "bad-yaml")),
        ("check", EVIL),
        ("doctor",),
        ("doctor", "--json"),
        ("config",),
        ("config", "--json"),
    ):
        _, out, err = place.checked(*words)
        assert out or err, words


def test_a_workflow_command_cannot_be_forged(place: HostilePlace) -> None:
    path = place.skills / "forge" / "SKILL.md"
    path.parent.mkdir()
    path.write_text('---\nname: forge\ndescription: x\n"::error file=a::b\\n::add-mask::x": [\n---\n')
    _, out, _ = place.checked("check", "--format", "github")
    for line in out.splitlines():
        assert re.match(r"::(error|warning|notice) ", line), line


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)


@pytest.mark.parametrize("form", ["text", "json", "markdown", "html"])
def test_a_stored_session(place: HostilePlace, session: str, form: str) -> None:
    status, out, _ = place.checked("show", session, "--format", form)
    assert status == DONE
    if form == "html":
        body = out.split("<body", 1)[1]
        assert "<marquee" not in body
        assert "javascript:" not in re.sub(r">[^<]*<", "><", body), "a link that does something"
    if form == "json":
        events = json.loads(out)
        assert any(EVIL in text for text in _strings(events)), "what was said is not what is shown"
    place.checked("sessions")
    place.checked("sessions", "--all", "--json")


@pytest.mark.parametrize("trust", ["yes", "ask"])
def test_folders_of_instruction_files(place: HostilePlace, trust: str) -> None:
    """Their names are in the question's line, in notices and in what the transcript shows."""
    inner = place.project / NAME.replace("/", "|") / "b"
    inner.mkdir(parents=True)
    (inner.parent / "AGENTS.md").write_text(EVIL)
    (inner / "AGENTS.md").symlink_to(place.home)
    status, _, err = place.checked("run", "--trust", trust, "--cwd", str(inner), "hello")
    assert status == DONE
    assert "AGENTS.md is a folder, not a file" in err
    assert ("is not trusted" in err) is (trust == "ask")
    identifier = json.loads(place.checked("sessions", "--all", "--json")[1])[0]["id"]
    for form in ("text", "markdown", "html"):
        _, out, _ = place.checked("show", identifier, "--format", form)
        assert ("AGENTS.md" in out) is (trust == "yes")
    place.checked("doctor", "--json", "--cwd", str(inner))


def test_a_session_log_that_was_tampered_with(place: HostilePlace, session: str) -> None:
    (log,) = (place.home / "state" / "sessions").rglob(f"*{session}*.jsonl")
    lines = log.read_text().splitlines()
    for kind, data in (
        ("title", {"title": EVIL}),
        ("notice", {"text": EVIL, "level": EVIL}),
        (EVIL, {EVIL: EVIL}),
        ("user/message", {"content": [{"type": EVIL, EVIL: EVIL}], "source": {"kind": EVIL, "form": EVIL}}),
        ("user/message", {"content": EVIL, "source": EVIL}),
        ("user/message", {"content": [], "source": {"kind": "skill-catalog", "form": "catalog", "entries": [EVIL]}}),
        ("approval", {"tool": EVIL, "project_root": EVIL, "question": EVIL, "answer": EVIL}),
        ("model/change", {"model": EVIL}),
        ("tool/result", {"id": EVIL, "name": EVIL, "content": [{"type": "text", "text": EVIL}], "is_error": EVIL}),
        ("turn/end", {"turn": EVIL, "reason": EVIL, "message": EVIL, "hint": EVIL}),
        ("compaction", {"summary": EVIL, "first": EVIL, "last": -1, "content": EVIL}),
    ):
        last = json.loads(lines[-1])
        event = {**last, "type": kind, "data": data}
        if isinstance(event.get("seq"), int):
            event["seq"] += 1
        lines.append(json.dumps(event))
    log.write_text("\n".join(lines) + "\n")
    for words in (
        ("sessions",),
        ("sessions", "--json"),
        *(("show", session, "--format", form) for form in ("text", "json", "markdown", "html")),
        ("run", "--resume", session, "hello"),
    ):
        place.checked(*words)


def test_what_a_person_mistypes(place: HostilePlace) -> None:
    odd = f"x{EVIL}"
    for words in (
        (odd,),
        (f"--{odd}",),
        ("--cwd", odd, "skills"),
        ("--skills-dir", odd, "skills"),
        ("--set", odd, "config"),
        ("--set", f"{odd}={odd}", "config"),
        ("--set", f"model={odd}", "run", "hello", "--no-save"),
        ("--set", f"theme={odd}", "config"),
        ("--set", f"keymap.{odd}={odd}", "config"),
        ("--set", f"base_url=http://{odd}/v1", "config"),
        ("--set", f"trust={odd}", "config"),
        ("--set", f"max_steps={odd}", "config"),
        ("--set", f"custom_skill_dirs={odd}", "skills"),
        ("--set", f"agents_home={odd}", "doctor"),
        ("--model", f"openai:{odd}", "run", "hello", "--no-save"),
        ("--model", f"script:{odd}", "run", "hello", "--no-save"),
        ("--trust", odd, "skills"),
        ("show", odd),
        ("run", "--resume", odd, "hello"),
        ("run", "--fork", f"{odd}:1", "hello"),
        ("run", f"/skill:{odd}", "--no-save"),
        ("run", "hello", "--no-save", "--allow-tools", odd),
        ("run", "hello", "--no-save", "--max-steps", odd),
        ("enable", odd),
        ("disable", odd),
        ("new", odd, "--no-edit"),
        ("help", odd),
        ("skills", odd),
    ):
        place.checked(*words)
    place.checked("run", "-", "--no-save", stdin=EVIL + "\udcff")
    for variable in (
        "SKILLDECK_MODEL",
        "SKILLDECK_THEME",
        "SKILLDECK_TRUST",
        "SKILLDECK_ALLOW_TOOLS",
        "SKILLDECK_" + odd.replace("=", "-"),
    ):
        place.checked("config", environment={variable: odd})
        place.checked("skills", environment={variable: odd})


def test_settings_files(place: HostilePlace) -> None:
    quoted = json.dumps(EVIL)
    user, project = place.home / "config" / "settings.toml", place.project / ".skilldeck.toml"
    for text in (
        f"{quoted} = 1\n",
        f"model = {quoted}\n",
        f"trust = {quoted}\n",
        f"editor = {quoted}\n",
        f"[keymap]\n{quoted} = {quoted}\n",
        f"custom_skill_dirs = [{quoted}]\n",
        f"disabled_skills = [{quoted}]\n",
        f"model = '{EVIL}'\n",
        f"# {EVIL}\nmodel = \n",
        f"base_url = {quoted}\n",
        f"api_key_command = {quoted}\nmodel = 'openai:x'\n",
    ):
        for file in (user, project):
            file.write_text(text)
            for command in (("config",), ("doctor",)):
                place.checked(*command)
            file.unlink()
    user.write_text("")
    (place.home / "state").mkdir(exist_ok=True)
    (place.home / "state" / "answers.json").write_text(json.dumps({EVIL: EVIL})[:-3])
    for words in (("skills",), ("doctor",), ("enable", "good")):
        place.checked(*words)


@pytest.fixture
def watching(place: HostilePlace) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "app.cli", "watch"],
        cwd=place.project,
        env=place.environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,  # what a buffer held back would be missing in what ``communicate`` gives
    )
    yield process
    if process.poll() is None:
        process.kill()
    process.communicate(timeout=SECONDS)


def test_watch(place: HostilePlace, watching: subprocess.Popen[bytes]) -> None:
    assert watching.stdout is not None
    lines = [watching.stdout.readline().decode()]
    path = place.skills / "later" / "SKILL.md"
    path.parent.mkdir()
    path.write_text(f"---\nname: later\ndescription: {json.dumps(EVIL)}\n---\n")
    end = time.monotonic() + SECONDS
    while "later" not in lines[-1]:
        assert time.monotonic() < end, f"waited {SECONDS} s for the line about the new skill"
        lines.append(watching.stdout.readline().decode())
        assert lines[-1], "watch ended"
    watching.send_signal(signal.SIGINT)
    out, err = watching.communicate(timeout=SECONDS)
    assert not unwanted("".join(lines) + out.decode() + err.decode())


def test_a_fault_of_the_program_is_one_line_and_a_file(tmp_path: Path) -> None:
    code = (
        "import sys; from app.process import guarded\n"
        "def command(output): raise LookupError(chr(27) + '[2J' + chr(10) + 'x')\n"
        "sys.exit(guarded(command))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**os.environ, "SKILLDECK_STATE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert not unwanted(done.stderr)
    (story,) = (tmp_path / "crashes").iterdir()
    assert str(story) in done.stderr
    assert "LookupError" in story.read_text()


def test_the_list_of_marks_has_no_gap() -> None:
    every = "".join(chr(code) for code in range(0x110000) if UNWANTED.match(chr(code)))
    assert not unwanted(inert(every.replace("\n", "")))
    assert not unwanted(inert("a" + "a".join(every)))
