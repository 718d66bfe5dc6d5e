"""`skilldeck watch`: one event for each complete change, until a signal."""

from __future__ import annotations

import shutil
import signal
import subprocess
from collections.abc import Callable

import pytest

from tests.app.commands.conftest import DEADLINE, Place, Started

Start = Callable[..., Started]


def test_events_of_a_skill_s_life(place: Place, started: Start) -> None:
    place.skill("first")
    watch = started("watch", "--json")
    catalog = watch.event(lambda event: event["event"] == "catalog")
    assert list(catalog) == ["event", "time", "digest", "count", "added", "removed", "changed"]
    assert (catalog["count"], catalog["added"]) == (2, ["first", "write-a-skill"])
    assert (catalog["removed"], catalog["changed"]) == ([], [])
    assert catalog["time"].endswith("Z")
    problems = watch.event(lambda event: True)
    assert problems == {"event": "problems", "count": 0, "problems": []}

    second = place.skill("second")
    catalog = watch.event(lambda event: event["event"] == "catalog")
    assert (catalog["added"], catalog["removed"], catalog["changed"]) == (["second"], [], [])

    place.skill("second", "Does another thing.")
    catalog = watch.event(lambda event: event["event"] == "catalog")
    assert (catalog["added"], catalog["removed"], catalog["changed"]) == ([], [], ["second"])

    second.write_text(second.read_text().replace("description:", "disable-model-invocation: true\ndescription:"))
    catalog = watch.event(lambda event: event["event"] == "catalog")
    assert catalog["changed"] == ["second"]

    shutil.rmtree(second.parent)
    catalog = watch.event(lambda event: event["event"] == "catalog")
    assert (catalog["added"], catalog["removed"], catalog["count"]) == ([], ["second"], 2)
    assert watch.stop(signal.SIGINT).status == 0


def test_a_body_alone_says_nothing_and_problems_are_told(place: Place, started: Start) -> None:
    path = place.skill("first")
    watch = started("watch", "--json")
    watch.event(lambda event: event["event"] == "problems")
    place.skill("first", body="Quite another body.")
    place.skill("warned", "Use when: it is said.")
    catalog = watch.event(lambda event: True)
    assert (catalog["event"], catalog["added"], catalog["changed"]) == ("catalog", ["warned"], [])
    problems = watch.event(lambda event: True)
    assert (problems["event"], problems["count"]) == ("problems", 1)
    assert problems["problems"][0]["code"] == "yaml.unquoted-colon"
    path.write_text("---\nname: first\n---\nNo description any more.\n")
    catalog = watch.event(lambda event: event["event"] == "catalog")
    assert catalog["removed"] == ["first"]


def test_a_switch_of_another_process_is_a_change(place: Place, started: Start) -> None:
    place.skill("mine")
    watch = started("--trust", "yes", "watch", "--json")
    first = watch.event(lambda event: event["event"] == "catalog")
    place.run("disable", "mine")
    catalog = watch.event(lambda event: event["event"] == "catalog")
    assert catalog["changed"] == ["mine"]
    assert catalog["digest"] != first["digest"]


def test_an_incomplete_catalog_is_told_with_its_reason(place: Place, started: Start) -> None:
    watch = started("--skills-dir", str(place.home / ("x" * 300)), "watch", "--json")
    event = watch.event(lambda event: True)
    assert list(event) == ["event", "reason"]
    assert event["event"] == "incomplete"
    assert event["reason"]
    assert watch.stop(signal.SIGTERM).status == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_with_0(place: Place, started: Start, number: int) -> None:
    watch = started("watch")
    assert "1 skill" in watch.line()
    ended = watch.stop(number)
    assert (ended.status, ended.err) == (0, "")


def test_it_ends_when_its_reader_has_gone(place: Place) -> None:
    process = subprocess.Popen(
        place.command("watch", "--json"),
        cwd=place.project,
        env=place.environment,
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


def test_text(place: Place, started: Start) -> None:
    watch = started("watch")
    assert watch.line().rstrip().endswith("1 skill  +write-a-skill")
    assert watch.line().rstrip().endswith("no problems")
    place.skill("mine")
    assert watch.line().rstrip().endswith("2 skills  +mine")
