import time

import pytest

from skills_core.invocation import nearest_names

NAMES = (
    "draw-charts",
    "hem-towels",
    "label-jars",
    "pack-crates",
    "tag-releases",
    "tie-knots",
    "2048",
    "a-very-long-name",
)


@pytest.mark.parametrize(
    ("written", "first"),
    [
        ("hem-towel", "hem-towels"),
        ("hme-towels", "hem-towels"),
        ("Hem_Towels", "hem-towels"),
        ("hem-towels.", "hem-towels"),
        ("hem towels", "hem-towels"),
        ("towels", "hem-towels"),
        ("towel-hemming", "hem-towels"),
        ("lable-jars", "label-jars"),
        ("draw", "draw-charts"),
        ("tag-release-now", "tag-releases"),
        ("2047", "2048"),
        ("tieknots", "tie-knots"),
    ],
)
def test_the_likely_name_comes_first(written: str, first: str):
    assert nearest_names(written, NAMES)[0] == first


@pytest.mark.parametrize("written", ["", "...", "zzzzqqqq", "../../etc/passwd", "日本"])
def test_nothing_near(written: str):
    assert nearest_names(written, NAMES) == ()


def test_at_most_three_nearest_first_and_stable():
    names = [f"chart-{letter}" for letter in "edcba"] + ["charts"]
    assert nearest_names("chart", names) == ("charts", "chart-a", "chart-b")
    assert nearest_names("chart", reversed(names)) == nearest_names("chart", names)


def test_no_names():
    assert nearest_names("a", ()) == ()


def test_ten_thousand_names_and_a_long_word_take_no_time_to_speak_of():
    names = [f"skill-{number}-of-many-{number * 7919 % 10007}" for number in range(10_000)]
    began = time.monotonic()
    assert nearest_names("skil-77-of-many-9343", names)
    nearest_names("a-" * 100_000, names)
    assert time.monotonic() - began < 10
