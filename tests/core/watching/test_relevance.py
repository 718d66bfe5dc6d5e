from __future__ import annotations

import pytest

from skills_core.filesystem.watching.relevance import Relevance

ROOT = "/p/.agents/skills"
MISSING = "/home/u/.dsh/skills"


def rules(depth: int = 1) -> Relevance:
    return Relevance(
        roots=frozenset({ROOT, MISSING}),
        folders=frozenset({ROOT, f"{ROOT}/bundle", "/home/u", "/elsewhere/linked", "/elsewhere/notes"}),
        depth=depth,
    )


@pytest.mark.parametrize(
    "path",
    [
        ROOT,
        "/p/.agents",
        "/home/u/.dsh",
        f"{ROOT}/new-folder",
        f"{ROOT}/flat.md",
        f"{ROOT}/FLAT.MD",
        f"{ROOT}/bundle",
        f"{ROOT}/bundle/SKILL.md",
        f"{ROOT}/bundle/skill.md",
        f"{ROOT}/not-watched-yet/SKILL.md",
        f"{MISSING}/bundle/SKILL.md",
        "/elsewhere/linked",
        "/elsewhere/linked/SKILL.md",
        "/elsewhere/notes/flat.md",
    ],
)
def test_what_can_change_the_catalog_matters(path: str):
    assert rules().matters(path)


@pytest.mark.parametrize(
    "path",
    [
        f"{ROOT}/bundle/references.md",
        f"{ROOT}/bundle/scripts",
        f"{ROOT}/bundle/references/SKILL.md",
        f"{ROOT}/.hidden",
        f"{ROOT}/.flat.md",
        f"{ROOT}/.hidden/SKILL.md",
        f"{MISSING}/.system/SKILL.md",
        f"{ROOT}/node_modules",
        "/p/other",
        "/p/.agents/other/SKILL.md",
        "/home/u/.bash_history",
        "/home/u/notes.md",
        "/elsewhere/linked/scripts",
        "/elsewhere/notes/data.json",
        "/elsewhere",
        "/unrelated/SKILL.md",
    ],
)
def test_a_bundles_resources_and_everything_outside_do_not_matter(path: str):
    assert not rules().matters(path)


def test_a_deeper_root_is_read_to_its_depth_and_no_further():
    deep = rules(depth=3)
    assert deep.matters(f"{ROOT}/a/b/SKILL.md")
    assert deep.matters(f"{ROOT}/a/b/c/SKILL.md")
    assert deep.matters(f"{ROOT}/a/b")
    assert deep.matters("/elsewhere/linked/collection")
    assert not deep.matters(f"{ROOT}/a/b/c/d/SKILL.md")
    assert not deep.matters(f"{ROOT}/a/b/c/d")
    assert not deep.matters(f"{ROOT}/a/.git/b/SKILL.md")
    assert not deep.matters(f"{ROOT}/a/node_modules/b/SKILL.md")


def test_any_of_several():
    assert rules().any_matters(["/unrelated", f"{ROOT}/flat.md"])
    assert not rules().any_matters(["/unrelated", "/home/u/.bash_history"])


def test_a_root_at_the_top_of_the_file_system():
    top = Relevance(frozenset({"/skills"}), frozenset({"/"}))
    assert top.matters("/skills")
    assert top.matters("/skills/a/SKILL.md")
    assert not top.matters("/other")
