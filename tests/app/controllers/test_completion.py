"""The state of the popup through typing, choosing and changes of the skills."""

from __future__ import annotations

from app.controllers.commands import COMMANDS, Command
from app.controllers.completion import Completion, Replacement, skill_choices
from skills_core.skill import InvocationPolicy, SkillSummary

SOME = (Command("help", "Shows help"), Command("quit", "Leaves"))


def summary(name: str, **facts: object) -> SkillSummary:
    values: dict[str, object] = {"description": f"Does {name}.", "source": "user-agents", "provider": "p", "rank": 500}
    values.update(facts)
    return SkillSummary(name=name, **values)  # type: ignore[arg-type]


def completion(*skills: SkillSummary, commands: tuple[Command, ...] = SOME) -> Completion:
    state = Completion(commands)
    give(state, *skills)
    return state


def give(state: Completion, *skills: SkillSummary) -> None:
    state.set_skills(skill_choices(skills, lambda skill: skill.invocation.user_invocable, lambda skill: True))


def write(state: Completion, text: str) -> str:
    state.follow(text, len(text))
    return text


def names(state: Completion) -> list[str]:
    return [choice.name for choice in state.items]


def test_a_slash_lists_commands_then_skills_and_skill_lists_skills_alone() -> None:
    state = completion(summary("hem"), summary("tie"))
    write(state, "/")
    assert names(state) == ["skill:", "help", "quit", "hem", "tie"]
    write(state, "/skill:")
    assert names(state) == ["hem", "tie"]
    write(state, "say /")
    assert names(state) == ["hem", "tie"]


def test_a_command_wins_over_a_skill_of_its_name_which_skill_still_reaches() -> None:
    state = completion(summary("help"))
    write(state, "/help")
    assert [(choice.name, choice.scope) for choice in state.items] == [("help", "command")]
    write(state, "/skill:help")
    assert [(choice.name, choice.scope) for choice in state.items] == [("help", "user")]


def test_only_user_invocable_skills_are_listed_and_marked() -> None:
    hidden = summary("hidden", invocation=InvocationPolicy(user_invocable=False))
    alone = summary("alone", invocation=InvocationPolicy(model_invocable=False))
    state = completion(hidden, alone)
    write(state, "/skill:")
    assert [(choice.name, choice.marks) for choice in state.items] == [("alone", ("user-only",))]


def test_equals_are_ordered_by_scope_then_name() -> None:
    state = completion(
        summary("he-b", source="bundled"),
        summary("he-u"),
        summary("he-z", source="project-agents", project_root="/p"),
        summary("he-a", source="project-dsh", project_root="/p"),
    )
    write(state, "/skill:he")
    assert names(state) == ["he-a", "he-z", "he-u", "he-b"]


def test_the_selection_follows_its_skill() -> None:
    state = completion(summary("b"), summary("c"), summary("d"))
    write(state, "/skill:")
    state.move(2)
    give(state, summary("a"), summary("b"), summary("c"), summary("d"))
    assert state.selected is not None and state.selected.name == "d"
    give(state, summary("c"), summary("d"))
    assert state.selected.name == "d"


def test_a_deleted_selection_goes_to_its_neighbour() -> None:
    state = completion(summary("a"), summary("b"), summary("c"))
    write(state, "/skill:")
    state.move(1)
    give(state, summary("a"), summary("c"))
    assert state.selected is not None and state.selected.name == "c"
    give(state, summary("a"))
    assert state.selected.name == "a"


def test_an_empty_result_that_fills_opens_again() -> None:
    state = completion()
    write(state, "/skill:")
    assert not state.open
    give(state, summary("hem"))
    assert state.open
    give(state)
    assert not state.open
    give(state, summary("tie"))
    assert state.open


def test_dismissed_stays_dismissed_until_the_token_changes() -> None:
    state = completion(summary("hem"))
    write(state, "/skill:h")
    state.dismiss()
    assert not state.open
    give(state, summary("hem"), summary("hum"))
    assert not state.open
    write(state, "/skill:h")
    assert not state.open
    write(state, "/skill:he")
    assert state.open


def test_accepting_keeps_the_form_and_the_rest_of_the_draft() -> None:
    state = completion(summary("hem-towels"))
    text = "please /skill:he and more"
    state.follow(text, len("please /skill:he"))
    assert state.accept(text) == Replacement(7, 17, "/skill:hem-towels ")
    text = "/he"
    state.follow("x " + text, 5)
    assert state.accept("x " + text) == Replacement(2, 5, "/hem-towels ")


def test_accepting_in_the_middle_of_the_name_takes_the_rest_of_it() -> None:
    state = completion(summary("hem-towels"))
    text = "/skill:hem-towels now"
    state.follow(text, len("/skill:hem"))
    assert state.accept(text) == Replacement(0, 18, "/skill:hem-towels ")
    text = "/skill:hemXX"
    state.follow(text, len("/skill:hem"))
    assert state.accept(text) == Replacement(0, 10, "/skill:hem-towels ")


def test_the_way_to_the_skills_is_accepted_without_a_space() -> None:
    state = completion(summary("hem"))
    text = write(state, "/ski")
    assert state.accept(text) == Replacement(0, 4, "/skill:")


def test_enter_accepts_an_unfinished_name_and_sends_a_whole_one() -> None:
    state = completion(summary("hem"), summary("hem-towels"))
    write(state, "/skill:he")
    assert state.enter_accepts()
    write(state, "/skill:hem")
    assert not state.enter_accepts()
    state.move(1)
    assert state.enter_accepts()


def test_a_move_is_forgotten_with_the_token() -> None:
    state = completion(summary("hem"), summary("hum"))
    write(state, "/skill:h")
    state.move(1)
    write(state, "")
    write(state, "/skill:")
    assert state.index == 0


def test_a_step_wraps_and_a_page_stops() -> None:
    state = completion(*(summary(f"s{number:02}") for number in range(25)))
    write(state, "/skill:")
    state.move(-1)
    assert state.index == 24
    state.move(1)
    assert state.index == 0
    state.move(10)
    assert state.index == 10
    state.move(10)
    state.move(10)
    assert state.index == 24


def test_the_argument_hint_shows_after_a_whole_name_and_one_space() -> None:
    state = completion(summary("hem", argument_hint="[cloth]"))
    assert state.hint_at("/skill:hem ", 11) == "[cloth]"
    assert state.hint_at("say /hem ", 9) == "[cloth]"
    assert state.hint_at("/skill:he ", 10) == ""
    assert state.hint_at("/skill:hem  ", 12) == ""
    assert state.hint_at("/skill:hem x", 12) == ""


def test_every_command_is_listed_once() -> None:
    state = completion(commands=COMMANDS)
    write(state, "/")
    assert sorted(names(state)) == sorted({"skill:", *(command.name for command in COMMANDS)})


def test_reading_on_belongs_to_the_selected_choice() -> None:
    state = completion(summary("hem"), summary("tie"))
    write(state, "/skill:")
    state.read_at(3)
    assert state.reading == 3
    give(state, summary("hem"), summary("tie"), summary("zip"))
    assert state.reading == 3
    state.move(1)
    assert state.reading == 0
    state.read_at(-2)
    assert state.reading == 0
