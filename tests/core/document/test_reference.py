"""Behaviours of the reference system that are about reading files; the name of a root's entry gives the outcome."""

from __future__ import annotations

from pathlib import Path

import pytest

from skills_core.document import EntryName, SkillDocument, read_whole
from skills_core.skill import InvocationPolicy

GOOD = "---\nname: good-skill\ndescription: Stays.\n---\nUse it."


def read_root(files: dict[str, str], root: Path) -> dict[str, tuple[SkillDocument, str]]:
    """Write ``files`` below ``root`` and read each as its place says; what is offered, by name."""
    offered: dict[str, tuple[SkillDocument, str]] = {}
    for relative, text in files.items():
        path = root / relative
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    for relative in files:
        path = root / relative
        bundle = "/" in relative
        stem = path.parent.name if bundle else path.stem
        reading, body = read_whole(path.read_bytes(), EntryName(str(path), stem, "bundle" if bundle else "flat"))
        if reading.document is not None:
            offered[reading.document.name] = (reading.document, body)
        else:
            assert reading.problems or reading.not_a_skill, relative
    return offered


def test_flat_skills_are_parsed_and_invalid_ones_left_out(tmp_path: Path):
    offered = read_root(
        {
            "flat-skill.md": "---\nname: flat-skill\ndescription: Flat.\n---\nFlat body.",
            "rich-skill.md": "---\nname: rich-skill\ndescription: Rich.\nwhenToUse: When rich.\n"
            "disable-model-invocation: off\nuser-invocable: YES\nmetadata:\n  owner: tools\n---\nRich body.",
            "bad.md": "---\nname: Bad_Name\ndescription: Bad.\n---\nBody.",
            "missing.md": "---\nname: missing\n---\nBody.",
            "plain.md": "# Plain markdown\n",
            "unterminated.md": "---\nname: x",
            "list.md": "---\n- a\n- b\n---\nBody.",
            "no-trailing-body.md": "---\nname: no-trailing-body\ndescription: No body.\n---",
            "user-only/SKILL.md": "---\nname: user-only-skill\ndescription: U\n"
            "disable-model-invocation: true\n---\nUser-only.",
            "model-only/SKILL.md": "---\nname: model-only-skill\ndescription: M\n"
            "user-invocable: false\n---\nModel-only.",
        },
        tmp_path,
    )
    # A name against the rule is not lost here: the file gives one that fits.
    assert sorted(offered) == [
        "bad",
        "flat-skill",
        "model-only-skill",
        "no-trailing-body",
        "rich-skill",
        "user-only-skill",
    ]
    assert offered["bad"][0].label == "Bad_Name"
    rich, _ = offered["rich-skill"]
    assert (rich.when_to_use, rich.metadata, rich.invocation) == (
        "When rich.",
        {"owner": "tools"},
        InvocationPolicy(True, True),
    )
    assert offered["flat-skill"][0].invocation == InvocationPolicy(True, True)
    assert offered["no-trailing-body"] == (offered["no-trailing-body"][0], "")
    assert (offered["user-only-skill"][0].invocation, offered["user-only-skill"][1]) == (
        InvocationPolicy(False, True),
        "User-only.",
    )
    assert offered["model-only-skill"][0].invocation == InvocationPolicy(True, False)


@pytest.mark.parametrize("value", ["true", "TRUE", '"true"', "yes", "ON", "1", '"1"'])
def test_boolean_spellings_that_disable_the_model(value: str, tmp_path: Path):
    text = f"---\nname: some-skill\ndescription: x\ndisable-model-invocation: {value}\n---\n"
    assert read_root({"some-skill.md": text}, tmp_path)["some-skill"][0].invocation == InvocationPolicy(False, True)


@pytest.mark.parametrize("value", ["false", "FALSE", '"false"', "no", "OFF", "0", '"0"'])
def test_boolean_spellings_that_keep_the_user_out(value: str, tmp_path: Path):
    text = f"---\nname: some-skill\ndescription: x\nuser-invocable: {value}\n---\n"
    assert read_root({"some-skill.md": text}, tmp_path)["some-skill"][0].invocation == InvocationPolicy(True, False)


def test_legacy_and_invalid_permissions_hide_no_sibling(tmp_path: Path):
    faults = [
        "disableModelInvocation: true",
        "modelInvocable: false",
        "userInvocable: false",
        "disable-model-invocation: maybe",
        "user-invocable: null",
    ]
    files = {
        f"fault-{number}.md": f"---\nname: fault-{number}\ndescription: x\n{fault}\n---\n"
        for number, fault in enumerate(faults)
    }
    assert list(read_root({"good-skill/SKILL.md": GOOD, **files}, tmp_path)) == ["good-skill"]


def test_crlf_and_text_that_looks_like_a_fence(tmp_path: Path):
    crlf = '---\r\nname: crlf-skill\r\ndescription: CRLF.\r\nmetadata:\r\n  marker: "----"\r\n---\r\n\r\nCRLF body.\r\n'
    block = "---\nname: block-skill\ndescription: |\n"
    block += "  Includes a ---- marker that is not a delimiter.\n---\n\nBlock body.\n"
    offered = read_root({"crlf-skill.md": crlf, "block-skill.md": block}, tmp_path)
    document, body = offered["crlf-skill"]
    assert (document.metadata, body) == ({"marker": "----"}, "CRLF body.")
    document, body = offered["block-skill"]
    assert (document.description, body) == ("Includes a ---- marker that is not a delimiter.\n", "Block body.")


def test_a_broken_yaml_file_hides_no_sibling(tmp_path: Path):
    bad = "---\nname: bad-yaml\ndescription: [unclosed\n---\nBody."
    offered = read_root({"bad-yaml.md": bad, "good-skill/SKILL.md": GOOD}, tmp_path)
    assert offered["good-skill"][1] == "Use it."
    # The text after the open bracket is plainly there, so it is offered, with a warning.
    assert offered["bad-yaml"][0].description == "[unclosed"
