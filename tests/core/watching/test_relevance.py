from __future__ import annotations

import pytest

from skills_core.filesystem.watching.relevance import Relevance, RelevantRoot

ROOT = "/p/.agents/skills"


def rules(depth: int = 1) -> Relevance:
    return Relevance(
        roots=(RelevantRoot(ROOT, depth), RelevantRoot("/home/u/.dsh/skills")),
        linked_folders=frozenset({"/elsewhere/linked"}),
        linked_files=frozenset({"/elsewhere/notes/flat.md"}),
    )


FILES = {"notes.txt", "flat.md", "SKILL.md", "skill.md", "references.md", "extra.md"}


def is_file(path: str) -> bool:
    return path.rpartition("/")[2] in FILES


@pytest.mark.parametrize(
    "path",
    [
        ROOT,
        "/p/.agents",
        "/p",
        f"{ROOT}/new-folder",
        f"{ROOT}/flat.md",
        f"{ROOT}/FLAT.MD",
        f"{ROOT}/bundle/SKILL.md",
        f"{ROOT}/bundle/skill.md",
        "/home/u/.dsh/skills/bundle/SKILL.md",
        "/elsewhere/linked",
        "/elsewhere/linked/SKILL.md",
        "/elsewhere/notes/flat.md",
    ],
)
def test_what_can_change_the_catalog_matters(path: str):
    assert rules().matters(path, is_file)


@pytest.mark.parametrize(
    "path",
    [
        f"{ROOT}/notes.txt",
        f"{ROOT}/bundle/references.md",
        f"{ROOT}/bundle/scripts",
        f"{ROOT}/bundle/references/SKILL.md",
        f"{ROOT}/.hidden",
        f"{ROOT}/.flat.md",
        f"{ROOT}/.hidden/SKILL.md",
        "/home/u/.dsh/skills/.system/SKILL.md",
        f"{ROOT}/node_modules",
        "/p/other",
        "/p/.agents/other/SKILL.md",
        "/elsewhere/linked/extra.md",
        "/elsewhere/notes/other.md",
        "/elsewhere",
        "/unrelated/SKILL.md",
    ],
)
def test_a_bundles_resources_and_everything_outside_do_not_matter(path: str):
    assert not rules().matters(path, is_file)


def test_a_deeper_root_is_read_to_its_depth_and_no_further():
    deep = rules(depth=3)
    assert deep.matters(f"{ROOT}/a/b/SKILL.md", is_file)
    assert deep.matters(f"{ROOT}/a/b/c/SKILL.md", is_file)
    assert deep.matters(f"{ROOT}/a/b", is_file)
    assert not deep.matters(f"{ROOT}/a/b/c/d/SKILL.md", is_file)
    assert not deep.matters(f"{ROOT}/a/b/c/d", is_file)
    assert not deep.matters(f"{ROOT}/a/.git/b/SKILL.md", is_file)
    assert not deep.matters(f"{ROOT}/a/node_modules/b/SKILL.md", is_file)
    assert not deep.matters("/home/u/.dsh/skills/a/b/SKILL.md", is_file)


def test_whether_a_path_is_a_file_is_asked_only_when_it_decides():
    asked: list[str] = []

    def asking(path: str) -> bool:
        asked.append(path)
        return False

    one = rules()
    assert one.matters(f"{ROOT}/bundle/SKILL.md", asking)
    assert one.matters(f"{ROOT}/flat.md", asking)
    assert not one.matters(f"{ROOT}/bundle/references/x", asking)
    assert asked == []
    assert one.matters(f"{ROOT}/gone", asking)
    assert asked == [f"{ROOT}/gone"]


def test_a_root_at_the_top_of_the_file_system():
    top = Relevance(roots=(RelevantRoot("/skills"),))
    assert top.matters("/skills", is_file)
    assert top.matters("/skills/a/SKILL.md", is_file)
    assert not top.matters("/other", is_file)
