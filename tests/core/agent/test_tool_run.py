"""Tool calls: checked, asked about, bounded, and answered whatever happens."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from skills_core.agent.approval import ToolAnswer, ToolQuestion
from skills_core.agent.bounded import bounded, one_line
from skills_core.agent.limits import AgentLimits
from skills_core.agent.live import ToolOutput
from skills_core.agent.tool import ToolContext, ToolOutcome
from skills_core.session.event import user_message
from tests.core.agent.support import Bench, Person, ProbeTool, assert_valid, call, within


async def run(bench: Bench, *calls: Mapping[str, Any], **options: Any) -> list[str]:
    agent = await bench.agent({"tool_calls": list(calls)}, {"text": "Done."}, **options)
    outcome = await within(agent.run_turn(user_message("Hello")), "the turn")
    assert outcome.reason == "done"
    assert_valid(bench.session)
    return bench.results()


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ({"name": "nothing", "arguments": {}}, "there is no tool `nothing`. Available tools: `probe`, `other`."),
        ({"name": "probeother", "arguments": {}}, "two tool names in one"),
        ({"name": "probeprobe", "arguments": {}}, "two tool names in one"),
        ({"name": "probe", "arguments": '{"x": '}, "must be one JSON object: Expecting value at character 7"),
        ({"name": "probe", "arguments": "{}{}"}, "there is more text after the first value, at character 3"),
        ({"name": "probe", "arguments": "[1]"}, "this is a list"),
        ({"name": "probe", "arguments": '"x"'}, "this is a text"),
        ({"name": "probe", "arguments": "null"}, "this is null"),
        ({"name": "probe", "arguments": "[" * 100_000}, "must be one JSON object"),
    ],
)
async def test_a_malformed_call_is_answered_by_an_error(bench: Bench, sent: Mapping[str, Any], words: str) -> None:
    probe = ProbeTool("probe")
    results = await run(bench, sent, tools=[probe, ProbeTool("other")])
    assert results[0].startswith("Error: ")
    assert words in results[0]
    assert bench.data("tool/result")[0]["is_error"] is True
    assert bench.data("tool/call") == []
    assert probe.calls == []


async def test_no_arguments_at_all_are_an_empty_object(bench: Bench) -> None:
    probe = ProbeTool("probe")
    assert await run(bench, {"name": "probe", "arguments": ""}, tools=[probe]) == ["probe done"]
    assert probe.calls == [{}]


async def test_a_tool_that_raises_is_one_clear_error(bench: Bench) -> None:
    async def fails(arguments: Mapping[str, Any], context: ToolContext) -> ToolOutcome:
        raise ValueError("bad\nweather")

    assert await run(bench, call("probe"), tools=[ProbeTool("probe", fails)]) == ["Error: `probe` failed: bad weather"]


async def test_a_tool_that_returns_nonsense_is_one_clear_error(bench: Bench) -> None:
    async def nonsense(arguments: Mapping[str, Any], context: ToolContext) -> ToolOutcome:
        return 7  # type: ignore[return-value]

    results = await run(bench, call("probe"), tools=[ProbeTool("probe", nonsense)])
    assert "returned int instead of an outcome" in results[0]


@pytest.mark.parametrize("part", ["title", "question"])
async def test_a_tool_whose_other_parts_raise_is_contained(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    def fails(self: ProbeTool, *arguments: object) -> None:
        raise KeyError("path")

    monkeypatch.setattr(ProbeTool, part, fails)
    results = await run(bench, call("probe"), tools=[ProbeTool("probe")])
    assert results == (["probe done"] if part == "title" else ["Error: `probe` failed: 'path'"])


async def test_a_tool_that_hangs_is_bounded(bench: Bench) -> None:
    stopped = asyncio.Event()

    async def hangs(arguments: Mapping[str, Any], context: ToolContext) -> ToolOutcome:
        context.report("almost there")
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()
        raise AssertionError

    results = await run(
        bench,
        call("probe"),
        call("other"),
        tools=[ProbeTool("probe", hangs), ProbeTool("other")],
        limits=AgentLimits(tool_time=0.1),
    )
    assert results[0].startswith("Error: `probe` did not finish within 0.1 seconds and was stopped.")
    assert results[0].endswith("almost there")
    assert results[1] == "other done"
    assert stopped.is_set()


async def test_a_tool_that_floods_is_bounded_and_says_what_was_left_out(bench: Bench) -> None:
    async def floods(arguments: Mapping[str, Any], context: ToolContext) -> ToolOutcome:
        for _ in range(2000):
            context.report("o" * 1000)
        return ToolOutcome(text="a" * 500_000 + "z")

    results = await run(bench, call("probe"), tools=[ProbeTool("probe", floods)], limits=AgentLimits(result_size=3000))
    assert len(results[0]) < 3200
    assert "[497,001 characters left out]" in results[0]
    assert results[0].endswith("z")
    shown = sum(len(item.text) for item in bench.live if type(item).__name__ == "ToolOutput")
    assert shown < 500_000


async def test_a_tool_that_asks_runs_after_yes_and_not_after_no(bench: Bench) -> None:
    probe = ProbeTool("probe", asks=True)
    person = Person("once", "no", "once")
    results = await run(bench, call("probe", n=1), call("probe", n=2), call("probe", n=3), tools=[probe], person=person)
    assert results == ["probe done", "The person declined this call. It was not run.", "probe done"]
    assert probe.calls == [{"n": 1}, {"n": 3}]
    assert [data["answer"] for data in bench.data("approval")] == ["once", "no", "once"]
    assert bench.data("approval")[0]["tool"] == "probe"
    assert bench.data("approval")[0]["question"] == "Use probe?"
    assert bench.data("tool/result")[1]["details"] == {"declined": True}
    assert len(bench.data("tool/call")) == 2


async def test_an_answer_for_the_session_is_remembered_also_when_it_is_opened_again(bench: Bench) -> None:
    probe, person = ProbeTool("probe", asks=True), Person("session")
    await run(bench, call("probe"), call("probe"), tools=[probe], person=person)
    assert len(person.questions) == 1
    await bench.session.aclose()
    again, quiet = await bench.store.open(bench.session.id), Person("no")
    results = await run(bench, call("probe"), tools=[probe], person=quiet, session=again)
    assert results[-1] == "probe done"
    assert quiet.questions == []
    await again.aclose()


async def test_a_fork_asks_again(bench: Bench) -> None:
    probe = ProbeTool("probe", asks=True)
    await run(bench, call("probe"), tools=[probe], person=Person("session"))
    await bench.session.aclose()
    fork, person = await bench.store.fork(bench.session.id), Person("no")
    results = await run(bench, call("probe"), tools=[probe], person=person, session=fork)
    assert len(person.questions) == 1
    assert results[-1].startswith("The person declined")
    await fork.aclose()


async def test_allowed_tools_need_no_question(bench: Bench) -> None:
    person = Person("no")
    results = await run(
        bench, call("probe"), tools=[ProbeTool("probe", asks=True)], person=person, allow_tools={"probe"}
    )
    assert results == ["probe done"]
    assert person.questions == []


async def test_a_question_that_cannot_be_asked_is_a_no(bench: Bench) -> None:
    class Broken(Person):
        async def approve_tool(self, question: ToolQuestion) -> ToolAnswer:
            raise OSError("no terminal")

    probe = ProbeTool("probe", asks=True)
    results = await run(bench, call("probe"), tools=[probe], person=Broken())
    assert results == ["Error: the call could not be approved (no terminal)."]
    assert probe.calls == []


async def test_calls_that_only_read_run_together(bench: Bench) -> None:
    meeting = asyncio.Barrier(3)

    async def meets(arguments: Mapping[str, Any], context: ToolContext) -> ToolOutcome:
        await within(meeting.wait(), "the other calls")
        return ToolOutcome(text=str(arguments["n"]))

    reads = ProbeTool("reads", meets, read_only=True)
    calls = [call("reads", n=number) for number in (1, 2, 3)]
    assert await run(bench, *calls, tools=[reads]) == ["1", "2", "3"]


async def test_other_calls_run_one_after_another_in_order(bench: Bench) -> None:
    running = 0
    order: list[str] = []

    async def alone(arguments: Mapping[str, Any], context: ToolContext) -> ToolOutcome:
        nonlocal running
        running += 1
        order.append(f"{arguments['n']} with {running}")
        for _ in range(20):
            await asyncio.sleep(0)
        running -= 1
        return ToolOutcome(text=str(arguments["n"]))

    tools = [ProbeTool("reads", alone, read_only=True), ProbeTool("changes", alone)]
    calls = [call("reads", n=1), call("changes", n=2), call("changes", n=3), call("reads", n=4)]
    assert await run(bench, *calls, tools=tools) == ["1", "2", "3", "4"]
    assert order == ["1 with 1", "2 with 1", "3 with 1", "4 with 1"]


async def test_secrets_of_the_environment_stay_out_of_results(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_SECRET", "very-secret-value-1234")

    async def leaks(arguments: Mapping[str, Any], context: ToolContext) -> ToolOutcome:
        for piece in ("key very-sec", "ret-val", "ue-1234, and more ve"):
            context.report(piece)
        return ToolOutcome(text="SHOP_SECRET=very-secret-value-1234", details={"diff": ["very-secret-value-1234"]})

    assert await run(bench, call("probe"), tools=[ProbeTool("probe", leaks)]) == ["SHOP_SECRET=[secret]"]
    assert bench.session.path is not None
    assert "very-secret" not in bench.session.path.read_text()
    assert "".join(item.text for item in bench.live_of(ToolOutput)) == "key [secret], and more ve"
    assert bench.data("tool/result")[0]["details"] == {"diff": ["[secret]"]}


def test_bounded_text_keeps_both_ends() -> None:
    assert bounded("short", 10) == "short"
    cut = bounded("a" * 100 + "b" * 100, 60)
    assert cut.startswith("a" * 40 + "\n[140 characters left out]\n")
    assert cut.endswith("b" * 20)


def test_one_line_has_no_controls() -> None:
    assert one_line("a\x1b[31m\nb\u202ec\td") == "a [31m b c d"
    assert one_line("x" * 200, 10) == "xxxxxxx..."


async def test_an_answer_for_the_session_within_the_project_does_not_reach_beyond_it(bench: Bench) -> None:
    class Reaching(ProbeTool):
        def question(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolQuestion | None:
            outside = arguments["where"] == "beyond"
            return ToolQuestion(tool="probe", summary="?", detail="", arguments=arguments, outside=outside)

    person = Person("session", "no")
    calls = [call("probe", where=where) for where in ("within", "within", "beyond", "within")]
    results = await run(bench, *calls, tools=[Reaching("probe")], person=person)
    assert [result == "probe done" for result in results] == [True, True, False, True]
    assert [question.outside for question in person.questions] == [False, True]
    assert [data["outside"] for data in bench.data("approval")] == [False, True]
