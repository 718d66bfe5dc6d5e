"""What the model says to each kind of turn."""

import pytest

from skills_core.catalog import CatalogEntry
from skills_core.session.event import text_block
from skills_core.session.message import UserMessage
from tests.core.offline.conversations import BODY, SKILLS, call, catalog, content, reply_to, result, said, words

CATALOG = catalog(*SKILLS)


async def test_a_fitting_skill_is_loaded_and_the_reason_given():
    text, loaded = await reply_to(words("hem these towels"), CATALOG)
    assert loaded == "hem-towels" and "`hem-towels` fits (" in text and "towels" in text and "Close to it" not in text


async def test_close_ones_are_named():
    text, loaded = await reply_to(words("a chart"), CATALOG)
    assert loaded == "chart-maker" and "Close to it: `draw-charts`" in text and "/skill:NAME" in text


async def test_none_fits_and_the_nearest_are_named():
    text, loaded = await reply_to(words("I make something"), catalog(CatalogEntry("maker", "Make it so.")))
    assert loaded is None and text.startswith("None of the skills fits") and "Nearest: `maker`" in text


async def test_none_fits_and_nothing_is_near():
    text, loaded = await reply_to(words("zebra crossings"), CATALOG)
    assert loaded is None and "None of the skills fits" in text and "3 skills" in text


async def test_a_name_that_is_not_there_is_said_so_with_those_like_it():
    text, loaded = await reply_to(words("use the hemtowels skill"), CATALOG)
    assert loaded is None and "There is no skill `hemtowels`" in text and "Names like it: `hem-towels`." in text


async def test_a_skill_called_by_name_is_loaded():
    assert (await reply_to(words("please use hem-towels to draw charts from tables"), CATALOG))[1] == "hem-towels"


@pytest.mark.parametrize(
    "greeting", ["hi", "Hello!", "你好", "こんにちは", "Guten Tag", "Здравствуйте", "مرحبا", "สวัสดี", "Merci !"]
)
async def test_a_greeting_is_answered(greeting: str):
    text, loaded = await reply_to(words(greeting), CATALOG)
    assert loaded is None and text.startswith("Hello.") and "`hem-towels`" in text and "offline model" in text


@pytest.mark.parametrize(
    "question",
    [
        "who are you?",
        "What can you do",
        "which skills are there?",
        "list skills",
        "你能做什么？",
        "was kannst du?",
        "help",
    ],
)
async def test_a_question_about_the_skills_lists_them(question: str):
    text, loaded = await reply_to(words(question), CATALOG)
    assert loaded is None and "I can load 3 skills" in text and "- `hem-towels`: Hem towels & <cloths>." in text


async def test_long_lists_say_how_many_more():
    many = [CatalogEntry(f"s-{number}", "x") for number in range(100)]
    text, _ = await reply_to(words("list skills"), catalog(*many))
    assert "and 60 more" in text
    text, _ = await reply_to(words("hi"), catalog(*many))
    assert "and 95 more" in text


@pytest.mark.parametrize("before", [(), (catalog(update=True),)])
@pytest.mark.parametrize("text", ["hi", "hem towels", "list skills"])
async def test_without_skills_it_says_how_to_get_one(text: str, before):
    said_text, loaded = await reply_to(words(text), *before)
    assert loaded is None and "SKILL.md" in said_text


async def test_after_the_load_the_outline_with_files_and_base():
    text, loaded = await reply_to(words("draw"), CATALOG, call("draw-charts"), result(content("draw-charts")))
    assert loaded is None
    assert text == (
        "`draw-charts` is loaded. Its instructions ask, in this order:\n"
        "\n"
        "- Charts\n"
        "  1. Read the table.\n"
        "  2. Run `scripts/draw.py --in x`.\n"
        "    1. Look at it.\n"
        "- Afterwards\n"
        "\n"
        "Files it refers to: `references/colours.md`, `scripts/draw.py`, `docs/more.md`\n"
        "\n"
        "Base directory for this skill: /skills/a & b"
    )


async def test_a_skill_without_instructions():
    text, _ = await reply_to(words("draw"), CATALOG, call("draw-charts"), result(content("draw-charts", "")))
    assert text.startswith("`draw-charts` is loaded. It has no instructions.")


async def test_several_results_are_all_told():
    text, loaded = await reply_to(
        words("draw and hem"),
        CATALOG,
        call("draw-charts"),
        result(content("draw-charts")),
        result(content("hem-towels", "1. Hem."), call_id="c2"),
        result("one\ntwo\nthree", tool="read", call_id="c3"),
        result("Error: no such file", tool="read", error=True, call_id="c4"),
    )
    assert loaded is None
    for part in (
        "`draw-charts` is loaded.",
        "`hem-towels` is loaded.",
        "1. Hem.",
        "The tool `read` answered with 3 lines: one two three",
        "The tool `read` failed. no such file",
    ):
        assert part in text


async def test_a_failed_load_is_told_and_the_next_best_taken():
    failure = result('Error: skill "draw-charts" is unknown or no longer available', error=True)
    text, loaded = await reply_to(words("draw charts"), CATALOG, call("draw-charts"), failure)
    assert 'could not be loaded. skill "draw-charts" is unknown' in text and loaded == "chart-maker"
    text, loaded = await reply_to(
        words("draw charts"), CATALOG, call("draw-charts"), failure, call("chart-maker", "c2"), failure
    )
    assert loaded is None and "No other skill fits" in text


async def test_words_typed_while_a_skill_was_loading_are_answered_too():
    messages = (
        words("draw"),
        CATALOG,
        call("draw-charts"),
        result(content("draw-charts")),
        words("and hem the towels"),
    )
    text, loaded = await reply_to(*messages)
    assert text.startswith("`draw-charts` is loaded.") and "`hem-towels` fits" in text and loaded == "hem-towels"


async def test_an_invoked_skill_is_outlined_at_once_without_a_call():
    text, loaded = await reply_to(words("/skill:draw-charts hem the towels"), CATALOG, words(content("draw-charts")))
    assert loaded is None and text.startswith("You invoked `draw-charts`. Its instructions ask, in this order:")


async def test_two_invoked_skills_are_both_outlined():
    invoked = [words(content(name)) for name in ("draw-charts", "hem-towels")]
    text, loaded = await reply_to(words("/draw-charts /hem-towels"), CATALOG, *invoked)
    assert loaded is None and "You invoked `draw-charts`." in text and "You invoked `hem-towels`." in text


async def test_a_skill_that_was_invoked_before_is_not_loaded_again():
    messages = (words("/hem-towels"), CATALOG, words(content("hem-towels", BODY)), said(), words("hem more towels"))
    text, loaded = await reply_to(*messages)
    assert loaded is None and "in this conversation already" in text and "Read the table." in text


async def test_a_carried_skill_is_not_taken_for_an_invocation():
    summary = text_block("Older:\n<conversation_summary>\nx\n</conversation_summary>\n")
    carried = UserMessage((summary, text_block(content("draw-charts"))))
    text, loaded = await reply_to(carried, words("hem the towels"), CATALOG)
    assert loaded == "hem-towels" and "You invoked" not in text


async def test_a_replaced_catalog_is_used_and_its_changes_told():
    new = CatalogEntry("fold-maps", "Fold paper maps.")
    changed = CatalogEntry("draw-charts", "Draws.")
    messages = (words("hi"), CATALOG, said(), words("hem towels"), catalog(SKILLS[0], changed, new, update=True))
    text, loaded = await reply_to(*messages)
    assert text.startswith(
        "The skills have changed since my last reply; new: `fold-maps`; gone: `hem-towels`; changed: `draw-charts`."
    )
    assert loaded is None
    text, loaded = await reply_to(words("hi"), CATALOG, said(), words("fold maps"), catalog(new, update=True))
    assert loaded == "fold-maps"


async def test_without_the_tool_it_says_that_it_cannot():
    text, loaded = await reply_to(words("hem towels"), CATALOG, tools=())
    assert loaded is None and "no `skill` tool" in text


async def test_nothing_new():
    text, loaded = await reply_to(words("hem"), CATALOG, said())
    assert loaded is None and text.startswith("There is nothing new to answer.")
    assert (await reply_to())[1] is None
    picture = UserMessage(({"type": "image", "data": "…"},))
    assert (await reply_to(picture))[1] is None


async def test_earlier_words_do_not_route_again():
    text, loaded = await reply_to(words("hem towels"), CATALOG, said(), words("zebra"))
    assert loaded is None and "None of the skills fits" in text
