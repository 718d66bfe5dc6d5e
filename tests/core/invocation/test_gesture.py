import time

import pytest

from skills_core.invocation import Gesture, find_gestures


def found(text: str) -> list[tuple[str, bool]]:
    return [(gesture.name, gesture.explicit) for gesture in find_gestures(text)]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("/a /b", ["a", "b"]),
        ("/hidden-demo what does this do", ["hidden-demo"]),
        ("please use /hidden-demo to answer this", ["hidden-demo"]),
        ("first\n/a", ["a"]),
        ("/a\n/b\r\n/c\t/d", ["a", "b", "c", "d"]),
        ("x\u3000/a", ["a"]),
        ("x\u00a0/a\u00a0y", ["a"]),
        ("\ufeff/a\ufeff", ["a"]),
        ("/2048", ["2048"]),
        ("/a /a", ["a", "a"]),
        ("/skill", ["skill"]),
    ],
)
def test_plain_gestures(text: str, names: list[str]):
    assert found(text) == [(name, False) for name in names]


@pytest.mark.parametrize(
    "text",
    [
        *("/a.", "/a,", "(/a)", "/A", "/a-", "/-a", "/a--b", "/a_b", "/a/b", "//a", "x/a", "the odds are 5/8", "/a:b"),
        *("/hidden-demo/refs", "foo/hidden-demo", "/usr/bin", "https://example.test/a", "`/a`", "/é", "/", "/ a", ""),
        *("a/skill:hem-towels", "`/skill:hem-towels`", "(/skill:a)", "//skill:a"),
    ],
)
def test_what_stays_words(text: str):
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("/skill:hem-towels", "hem-towels"),
        ("see /skill:hem-towels please", "hem-towels"),
        ("see /skill:hem-towels.", "hem-towels."),
        ("/skill: hem", ""),
        ("/skill:", ""),
        ("/skill:../../etc/passwd x", "../../etc/passwd"),
        ("/skill:Hem_Towels", "Hem_Towels"),
        ("/skill:a\u3000b", "a"),
    ],
)
def test_the_explicit_form_takes_all_up_to_white_space(text: str, name: str):
    assert found(text) == [(name, True)]


def test_places_are_code_points_of_the_text():
    text = "𝄞 é /skill:ab\n```\n/x\n```\n/cd"
    gestures = find_gestures(text)
    assert gestures == (Gesture("ab", True, 4, 13), Gesture("cd", False, 25, 28))
    assert [text[gesture.start : gesture.end] for gesture in gestures] == ["/skill:ab", "/cd"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("/a\n```\n/b\n```\n/c", ["a", "c"]),
        ("~~~sh\n/b\n~~~\n/c", ["c"]),
        ("````\n/b\n```\n/c\n````\n/d", ["d"]),
        ("```\n/b\n~~~\n/c\n```", []),
        ("```\n/never closed", []),
        ("   ```\n/b\n   ```\n/c", ["c"]),
        ("    ```\n/b", ["b"]),
        ("``` not a fence ` \n/b", ["b"]),
        ("```\n/b\n``` still open\n/c", []),
        ("```\r\n/b\r\n```\r\n/c", ["c"]),
        ("``\n/b\n``", ["b"]),
    ],
)
def test_fenced_code_is_not_searched(text: str, names: list[str]):
    assert [name for name, _ in found(text)] == names


@pytest.mark.parametrize("unit", ["/a-b ", "a-", "/", "```\n/x\n", "/skill:", " /" + "a-" * 50])
def test_time_is_linear(unit: str):
    began = time.monotonic()
    find_gestures("/" + unit * (1_000_000 // len(unit)))
    assert time.monotonic() - began < 20
