"""`skilldeck run`, `sessions`, `show`: from the prompt to the log and back."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from tests.app.commands.conftest import DEADLINE, Place, Started

SESSION_KEYS = ["id", "title", "cwd", "created", "updated", "events", "model", "parent", "path"]


def script(place: Place, *replies: dict[str, Any]) -> str:
    (place.project / "script.jsonl").write_text("".join(json.dumps(reply) + "\n" for reply in replies))
    return "script:script.jsonl"


def call(tool: str, **arguments: Any) -> dict[str, Any]:
    return {"tool_calls": [{"name": tool, "arguments": arguments}]}


def events(out: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.splitlines()]


def test_the_answer_alone_is_on_standard_output(place: Place) -> None:
    ended = place.run("run", "hello", "--model", script(place, {"text": "Good day.", "thinking": "hm"}))
    assert (ended.status, ended.out, ended.err) == (0, "Good day.\n", "")


def test_the_prompt_from_standard_input(place: Place) -> None:
    model = script(place, {"text": "a"}, {"text": "b"})
    for words in (("run", "--model", model), ("run", "-", "--model", model)):
        assert place.run(*words, stdin="two\nlines\n").status == 0
    found = [place.run("show", each["id"], "--json").json for each in place.run("sessions", "--json").json]
    for log in found:
        said = [e for e in log["events"] if e["type"] == "user/message" and e["data"]["source"]["kind"] == "user"]
        assert said[0]["data"]["content"][0]["text"] == "two\nlines"


@pytest.mark.parametrize("words", [("run", " "), ("run",), ("run", "-")])
def test_an_empty_prompt_is_wrong_usage(place: Place, words: tuple[str, ...]) -> None:
    ended = place.run(*words)
    assert ended.status == 2
    assert "prompt" in ended.err
    assert not place.state.exists() or not list(place.state.rglob("*.jsonl"))


def test_json_prints_the_events_as_the_log_stores_them(place: Place) -> None:
    ended = place.run("run", "hello", "--json", "--model", script(place, {"text": "Good day."}))
    assert ended.status == 0
    printed = events(ended.out)
    assert all(list(event)[:4] == ["seq", "time", "type", "data"] for event in printed)
    (info,) = place.run("sessions", "--json").json
    stored = place.run("show", info["id"], "--json").json
    assert stored["events"] == printed
    lines = Path(info["path"]).read_text().splitlines()
    assert [json.loads(line) for line in lines[1:]] == printed
    assert stored["header"] == json.loads(lines[0])
    assert printed[-1]["type"] == "turn/end"
    assert printed[-1]["data"]["reason"] == "done"


def test_no_save_stores_nothing(place: Place) -> None:
    ended = place.run("run", "hello", "--no-save", "--model", script(place, {"text": "Good day."}))
    assert (ended.status, ended.out) == (0, "Good day.\n")
    assert place.run("sessions", "--all", "--json").json == []


def test_tools_are_refused_unless_allowed(place: Place) -> None:
    replies = (call("write", path="made.txt", content="x"), {"text": "done"})
    ended = place.run("run", "go", "--json", "--model", script(place, *replies))
    assert ended.status == 0
    assert "refused" in ended.err
    assert "--allow-tools write" in ended.err
    assert not (place.project / "made.txt").exists()
    answers = [event for event in events(ended.out) if event["type"] == "approval"]
    assert [answer["data"]["answer"] for answer in answers] == ["no"]
    for words in (("run", "go", "--allow-tools", "write"), ("run", "--allow-tools", "shell", "write", "go")):
        ended = place.run(*words, "--model", script(place, *replies))
        assert (ended.status, ended.out, ended.err) == (0, "done\n", "")
        assert (place.project / "made.txt").read_text() == "x"
        (place.project / "made.txt").unlink()


def test_tools_that_the_settings_allow(place: Place) -> None:
    replies = (call("shell", command="echo made > made.txt"), {"text": "done"})
    ended = place.run("run", "go", "--set", "allow_tools=shell", "--model", script(place, *replies))
    assert (ended.status, ended.err) == (0, "")
    assert (place.project / "made.txt").exists()


def test_a_tool_that_does_not_exist_is_wrong_usage(place: Place) -> None:
    ended = place.run("run", "go", "--allow-tools", "wriet")
    assert ended.status == 2
    assert 'did you mean "write"?' in ended.err


def test_a_turn_that_fails(place: Place) -> None:
    ended = place.run("run", "go", "--model", script(place))
    assert (ended.status, ended.out) == (1, "")
    assert ended.err.startswith("skilldeck: ")
    assert ended.err.count("\n") == 1


def test_the_step_limit(place: Place) -> None:
    replies = [call("list", path=".") for _ in range(5)]
    ended = place.run("run", "go", "--max-steps", "2", "--json", "--model", script(place, *replies))
    assert ended.status == 1
    assert events(ended.out)[-1]["data"]["reason"] == "step-limit"


@pytest.mark.parametrize("model", ["script:missing.jsonl", "script:", "nonsense"])
def test_a_model_that_is_not_there_is_wrong_usage(place: Place, model: str) -> None:
    ended = place.run("run", "go", "--model", model)
    assert (ended.status, ended.out) == (2, "")
    assert ended.err.startswith("skilldeck: ")
    assert ended.err.count("\n") == 1


def test_untrusted_skills_stay_out_and_that_is_told(place: Place) -> None:
    place.skill("mine", "Makes marvellous machines.")
    ended = place.run("run", "hello", "--json", "--model", script(place, {"text": "x"}))
    assert ended.status == 0
    assert "not trusted" in ended.err
    assert "marvellous" not in ended.out
    ended = place.run("run", "hello", "--json", "--trust", "yes", "--model", script(place, {"text": "x"}))
    assert ended.err == ""
    assert "marvellous" in ended.out
    ended = place.run("run", "hello", "--json", "--trust", "no", "--model", script(place, {"text": "x"}))
    assert (ended.err, "marvellous" in ended.out) == ("", False)


def test_instructions_of_an_untrusted_project_stay_out_and_are_named(place: Place) -> None:
    (place.project / "sub").mkdir()
    for folder in (place.project, place.project / "sub"):
        (folder / "AGENTS.md").write_text("Speak in marvellous rhymes.\n")
    model = ("--model", script(place, {"text": "x"}))
    absolute = f"script:{place.project / model[1].removeprefix('script:')}"
    ended = place.run("run", "hello", "--json", "--cwd", "sub", "--model", absolute)
    assert ended.status == 0
    assert ended.err == (
        f"skilldeck: {place.project} is not trusted: its instructions (AGENTS.md, sub/AGENTS.md) stay out "
        "(--trust yes lets them in)\n"
    )
    assert "marvellous" not in ended.out
    place.skill("mine")
    assert "its 1 skill and its instructions (AGENTS.md)" in place.run("run", "hello", *model).err
    ended = place.run("run", "hello", "--json", "--trust", "yes", *model)
    assert (ended.err, "marvellous" in ended.out) == ("", True)
    ended = place.run("run", "hello", "--json", "--trust", "no", *model)
    assert (ended.err, "marvellous" in ended.out) == ("", False)


def test_the_model_that_a_project_names_is_used_once_it_is_trusted(place: Place) -> None:
    (place.project / ".skilldeck.toml").write_text('model = "openrouter:author/model"\n')
    ended = place.run("run", "hello", "--no-save")
    assert ended.status == 0
    assert (
        ended.err
        == "skilldeck: openrouter:author/model, the model that the project names, is used once it is trusted\n"
    )
    assert place.run("run", "hello", "--no-save", "--model", "offline").err == ""
    ended = place.run("run", "hello", "--no-save", "--trust", "yes")
    assert ended.status == 2
    assert "no key" in ended.err


def test_instructions_that_lead_outside_are_told(place: Place) -> None:
    (place.project.parent / "secret.txt").write_text("marvellous\n")
    (place.project / "AGENTS.md").symlink_to("../secret.txt")
    for trust in ("yes", "no", "ask"):
        ended = place.run("run", "hello", "--json", "--trust", trust, "--model", script(place, {"text": "x"}))
        assert ended.status == 0
        assert ended.err == (
            "skilldeck: AGENTS.md is a link that leads out of the project: it is not read as project instructions.\n"
        )
        assert "marvellous" not in ended.out


def test_invoking_a_skill(place: Place) -> None:
    place.skill("mine", body="The secret word is xylophone.")
    ended = place.run("run", "/skill:mine now", "--json", "--trust", "yes", "--model", script(place, {"text": "x"}))
    kinds = [event["data"]["source"]["kind"] for event in events(ended.out) if event["type"] == "user/message"]
    assert kinds == ["user", "skill-catalog", "skill-invocation"]
    assert "xylophone" in ended.out
    ended = place.run("run", "/skill:mine now", "--model", script(place, {"text": "x"}))
    assert ended.status == 1
    assert "not trusted" in ended.err
    ended = place.run("run", "/skill:mien now", "--trust", "yes", "--model", script(place, {"text": "x"}))
    assert ended.status == 1
    assert "mine" in ended.err


def test_a_skill_that_the_turn_writes_is_in_the_next_step(place: Place) -> None:
    text = "---\nname: fresh\ndescription: Freshly made.\n---\nbody\n"
    replies = (
        call("write", path=".agents/skills/fresh/SKILL.md", content=text),
        call("skill", name="fresh"),
        {"text": "ok"},
    )
    words = ("run", "go", "--json", "--trust", "yes", "--allow-tools", "write", "--model", script(place, *replies))
    printed = events(place.run(*words).out)
    catalogs = [
        event["data"]["source"]
        for event in printed
        if event["type"] == "user/message" and event["data"]["source"]["kind"] == "skill-catalog"
    ]
    assert [bool(catalog.get("update")) for catalog in catalogs] == [False, True]
    assert "fresh" in [entry["name"] for entry in catalogs[1]["entries"]]
    results = [event["data"] for event in printed if event["type"] == "tool/result"]
    assert not any(result["is_error"] for result in results)


def test_continue_resume_and_fork(place: Place) -> None:
    ended = place.run("run", "one", "--continue", "--model", script(place, {"text": "x"}))
    assert ended.status == 2
    place.run("run", "one", "--model", script(place, {"text": "first"}))
    (info,) = place.run("sessions", "--json").json
    place.run("run", "two", "--continue", "--model", script(place, {"text": "second"}))
    (info,) = place.run("sessions", "--json").json
    count = info["events"]
    place.run("run", "three", "--resume", info["id"][-6:], "--model", script(place, {"text": "third"}))
    (info,) = place.run("sessions", "--json").json
    assert info["events"] > count
    assert info["title"] == "one"
    ended = place.run("run", "four", "--fork", f"{info['id']}:{count}", "--model", script(place, {"text": "fork"}))
    assert ended.out == "fork\n"
    newest, old = place.run("sessions", "--json").json
    assert (old["id"], old["events"]) == (info["id"], info["events"])
    assert newest["parent"] == info["id"]
    shown = place.run("show", newest["id"]).out
    assert "second" in shown
    assert "third" not in shown
    assert place.run("run", "x", "--fork", f"{info['id']}:9999").status in (1, 2)
    assert place.run("run", "x", "--resume", "nothing").status == 2


def test_a_session_belongs_to_its_folder(place: Place, tmp_path: Path) -> None:
    place.run("run", "one", "--model", script(place, {"text": "first"}))
    (info,) = place.run("sessions", "--json").json
    other = tmp_path / "other"
    other.mkdir()
    ended = place.run("run", "two", "--resume", info["id"], cwd=other)
    assert ended.status == 2
    assert f"--cwd {place.project}" in ended.err
    assert place.run("sessions", "--json", cwd=other).json == []
    (listed,) = place.run("sessions", "--all", "--json", cwd=other).json
    assert list(listed) == SESSION_KEYS
    assert (listed["cwd"], listed["parent"]) == (str(place.project), None)


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_leaves_a_session_that_goes_on(
    place: Place, started: Callable[..., Started], number: int, status: int
) -> None:
    model = script(place, {"text": "so slow", "delay_ms": 60_000})
    running = started("run", "hello", "--json", "--model", model)
    running.event(lambda event: event["type"] == "user/message")
    ended = running.stop(number)
    (info,) = place.run("sessions", "--json").json
    assert ended.status == status
    assert ended.err == (
        "skilldeck: the turn was stopped; "
        f'to go on with the session, write: skilldeck run --resume {info["id"]} "..."\n'
    )
    log = place.run("show", info["id"], "--json").json
    assert log["events"][-1]["type"] == "turn/end"
    assert log["events"][-1]["data"]["reason"] == "cancelled"
    ended = place.run("run", "again", "--continue", "--model", script(place, {"text": "back"}))
    assert (ended.status, ended.out) == (0, "back\n")


def test_a_state_folder_that_cannot_be_written_is_one_line(place: Place) -> None:
    place.state.write_text("a file in the way")
    ended = place.run("run", "hello", "--model", script(place, {"text": "x"}))
    assert (ended.status, ended.out) == (1, "")
    assert all(line.startswith("skilldeck: ") for line in ended.err.splitlines())
    assert str(place.state) in ended.err
    ended = place.run("run", "hello", "--no-save", "--model", script(place, {"text": "x"}))
    assert (ended.status, ended.out) == (0, "x\n")
    assert "answers" in ended.err


def test_a_reader_that_goes_away_stops_the_turn(place: Place) -> None:
    model = script(place, *[call("list", path=".") for _ in range(40)], {"text": "end"})
    process = subprocess.Popen(
        place.command("run", "hello", "--json", "--model", model),
        cwd=place.project,
        env=place.environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        process.stdout.readline()
        process.stdout.close()
        assert process.wait(timeout=DEADLINE) == 0
        assert process.stderr.read() == ""
    finally:
        process.kill()
        process.stderr.close()
    (info,) = place.run("sessions", "--json").json
    log = place.run("show", info["id"], "--json").json
    assert log["events"][-1]["type"] == "turn/end"


class Tags(HTMLParser):
    """The elements of a page, and the attributes that any of them has."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.attributes: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.attributes |= {name for name, _ in attrs}


def test_show_in_every_format(place: Place) -> None:
    place.skill("mine", "Use <b>it</b>.")
    words = ("run", "hello <script>alert(1)</script> `x` # y", "--trust", "yes", "--model")
    reply = {
        "text": "# Yes\n\nA [link](http://example.com) and <img src=x onerror=y> and ```\nopen",
        "thinking": "hm\x1b[31m",
    }
    place.run(*words, script(place, call("list", path="."), reply))
    (info,) = place.run("sessions", "--json").json
    text = place.run("show", info["id"]).out
    for part in (info["id"], "› You", "<script>alert(1)</script>", "Skill catalog · 2 skills", "# Yes", "list"):
        assert part in text
    markdown = place.run("show", info["id"], "--format", "markdown").out
    assert markdown.startswith("# hello ")
    assert "\n## You\n" in markdown
    assert "\\<script>" in markdown
    html = place.run("show", info["id"], "--format", "html").out
    assert html.startswith("<!DOCTYPE html>")
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    tags = Tags(html)
    assert not tags.names & {"script", "img", "a", "link", "iframe", "form", "object"}
    assert tags.attributes <= {"lang", "charset", "name", "content", "http-equiv", "class", "dir"}
    assert "url(" not in html
    assert "@import" not in html
    for shown in (text, markdown, html):
        assert "\x1b" not in shown
