import time

import pytest

from skills_core.agent.models.offline.outline import ITEMS_SHOWN, outline
from tests.core.offline.conversations import BODY


def test_headings_and_steps_in_their_order():
    assert outline(BODY).items == (
        "Charts",
        "  1. Read the table.",
        "  2. Run `scripts/draw.py --in x`.",
        "    1. Look at it.",
        "Afterwards",
    )


def test_files_in_order_of_mention_without_addresses():
    assert outline(BODY).files == ("references/colours.md", "scripts/draw.py", "docs/more.md")


@pytest.mark.parametrize(
    ("body", "files"),
    [
        ("Run ./scripts/a.sh, then `b.py`.", ("scripts/a.sh", "b.py")),
        ("See https://example.test/x.md or //host/y.md or mail@host/z.md", ()),
        ("```\npython tools/run.py\n```", ("tools/run.py",)),
        ("5/8 and/or yes/no, v1.2, e.g. this", ()),
        ("Under `assets/` and ../shared/t.json", ("../shared/t.json",)),
        ("[a](<with.md>) [b](#top) [c](mailto:x@y.z)", ("with.md",)),
        ("读 references/说明.md 再做", ("references/说明.md",)),
    ],
)
def test_what_counts_as_a_file(body: str, files: tuple[str, ...]):
    assert outline(body).files == files


def test_bullets_when_there_is_nothing_else():
    assert outline("Do:\n\n- first **bold**\n* [second](x.md)\n").items == ("first bold", "second")


def test_sentences_when_there_are_no_lists():
    assert outline("One. Two? Three! Four.").items == ("One.", "Two?", "Three!")
    assert outline("一。二。三。四。").items == ("一。", "二。", "三。")


def test_code_is_no_structure():
    assert outline("# Real\n```sh\n# not a heading\n1. not a step\n```\n1. a step\n").items == ("Real", "  1. a step")
    assert outline("~~~~\n# no\n~~~\n# no\n~~~~\n# Yes").items == ("Yes",)


def test_nothing_gives_nothing():
    assert outline("") == outline("  \n\n") and outline("").items == ()


def test_long_outlines_say_what_they_leave_out():
    plan = outline("\n".join(f"{number}. step" for number in range(100)))
    assert len(plan.items) == ITEMS_SHOWN and plan.left_out == 100 - ITEMS_SHOWN
    assert len(outline("# " + "x" * 1000).items[0]) < 200


@pytest.mark.parametrize(
    "unit", ["a", "./", "a/b", "[", "](", "# ", "`", "1. [a](", "- ", "a.", "~~~\n", "**", "\n", " "]
)
def test_hostile_bodies_cost_little_time(unit: str):
    began = time.monotonic()
    outline(unit * (400_000 // len(unit)))
    assert time.monotonic() - began < 20
