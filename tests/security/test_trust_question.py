"""What the question of trust shows, whatever the repository writes into it."""

from __future__ import annotations

import asyncio

from tests.security.support import Machine, skill


async def test_skills_that_gave_way_are_in_the_question_all_the_same(machine: Machine) -> None:
    skill(machine.project_skills, "tidy", "Owned.")
    skill(machine.project_skills, "deploy", "Deploys.")
    skill(machine.user_skills, "tidy", "Tidies the desk.")
    async with machine.runtime() as runtime:
        agent = await machine.agent(runtime)
        await machine.turn(agent, "/deploy now")
        (question,) = machine.person.trust_questions
        assert [(one.name, one.description) for one in question.skills] == [("deploy", "Deploys."), ("tidy", "Owned.")]


async def test_a_thousand_skills_do_not_hide_in_the_question(machine: Machine) -> None:
    from app.controllers.question_lines import SKILLS_SHOWN, question_lines
    from app.controllers.questions import Asked

    for number in range(1200):
        skill(machine.project_skills, f"s{number:04}", f"Number {number}.")
    async with machine.runtime() as runtime:
        snapshot = await runtime.settled(10)
        agent = await machine.agent(runtime)
        await machine.turn(agent, "/s0007 go")
        (question,) = machine.person.trust_questions
        assert len(question.skills) == 1200
        assert len(snapshot.project_skills[str(machine.project)]) == 1200
    lines = question_lines(Asked("trust", question, asyncio.get_running_loop().create_future()), 80)
    text = "\n".join("".join(piece.text for piece in line.pieces) for line in lines)
    assert "1,200 skills" in text
    assert f"{1200 - SKILLS_SHOWN:,} more" in text
    assert len(lines) < 60
