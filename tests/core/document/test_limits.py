"""The limits of a document, each on both of its sides."""

from __future__ import annotations

import pytest

from skills_core.document.model import DEPTH_MAX
from skills_core.skill import NAME_MAX_LENGTH, is_skill_name
from tests.core.document.support import DESCRIPTION, NAME, codes, offered, read_block


@pytest.mark.parametrize(("depth", "found"), [(DEPTH_MAX, []), (DEPTH_MAX + 1, ["yaml.too-deep"])])
@pytest.mark.parametrize("shape", ["lists", "maps", "lines"])
def test_collections_are_read_as_deep_as_is_allowed(shape: str, depth: int, found: list[str]) -> None:
    if shape == "lines":
        value = "\n" + "".join(f"{'  ' * level}k:\n" for level in range(1, depth)) + f"{'  ' * depth}k: end"
    elif shape == "lists":
        value = f" {'[' * depth}end{']' * depth}"
    else:
        value = f" {'{k: ' * depth}end{'}' * depth}"
    assert codes(read_block(f"{NAME}{DESCRIPTION}other:{value}\n")) == found


@pytest.mark.parametrize("letters", range(NAME_MAX_LENGTH - 2, NAME_MAX_LENGTH + 3))
def test_a_derived_name_that_is_cut_is_a_name(letters: int) -> None:
    """Wherever the cut falls: in a word, behind it, or behind the hyphen that follows it."""
    title = "A" * letters + " Longer Title"
    name = offered(read_block(f"name: {title}\n{DESCRIPTION}", stem="no name!")).name
    assert is_skill_name(name) and len(name) <= NAME_MAX_LENGTH
    assert name == ("a" * letters + "-longer-title")[:NAME_MAX_LENGTH].rstrip("-")
