from __future__ import annotations

import tomllib

from hypothesis import given
from hypothesis import strategies as st

from app.settings.places import key_lines


def test_lines_of_keys() -> None:
    text = (
        '# about\na = 1\n\nb = [\n  "x", # ]\n  "a = 3",\n]\nc = """\nd = 4\n"""\n[t]\n'
        'e.f = { g = 1 }\n"h.i" = 2\n[[u]]\nj = 1\n[[u]]\nj = 2\n[v . "w"]\nk = 1\n'
    )
    tomllib.loads(text)
    assert key_lines(text) == {
        ("a",): 2,
        ("b",): 4,
        ("c",): 8,
        ("t",): 11,
        ("t", "e"): 12,
        ("t", "e", "f"): 12,
        ("t", "e", "f", "g"): 12,
        ("t", "h.i"): 13,
        ("u",): 14,
        ("u", "j"): 15,
        ("v", "w"): 18,
        ("v", "w", "k"): 19,
    }


@given(st.dictionaries(st.from_regex(r"[a-z]{1,5}", fullmatch=True), st.lists(st.integers(0, 9), max_size=4)))
def test_every_key_of_a_flat_file_has_its_line(values: dict[str, list[int]]) -> None:
    lines: list[str] = []
    expected: dict[tuple[str, ...], int] = {}
    for name, numbers in values.items():
        expected[(name,)] = len(lines) + 1
        lines.extend([f"{name} = [", *(f"  {number}," for number in numbers), "]"])
    assert key_lines("\n".join(lines)) == expected
