import pytest

from skills_core.invocation import render_skill_content
from skills_core.skill import DirectoryBase, OpaqueBase, SkillDefinition, UrlBase


def definition(content: str = "Do the thing.", **facts) -> SkillDefinition:
    base = {"name": "demo-skill", "description": "Demo.", "source": "test", "provider": "memory", "rank": 1}
    return SkillDefinition(**{**base, **facts}, content=content)


def test_directory_base_word_for_word():
    assert render_skill_content(definition(resource_base=DirectoryBase("/tmp/demo"))) == (
        '<skill_content name="demo-skill">\n'
        "<skill_resources>\n"
        "Base directory for this skill: /tmp/demo\n"
        "Resolve relative paths mentioned by this skill against the base directory before using them."
        " Load referenced resources only as needed.\n"
        "</skill_resources>\n"
        "\n"
        "<skill_instructions>\n"
        "Do the thing.\n"
        "</skill_instructions>\n"
        "</skill_content>"
    )


def test_url_base():
    text = render_skill_content(definition(resource_base=UrlBase("https://example.test/base/?a=1&b=2")))
    assert (
        "<skill_resources>\n"
        "Base URL for this skill: https://example.test/base/?a=1&amp;b=2\n"
        "Resolve relative URLs mentioned by this skill against the base URL before using them."
        " Load referenced resources only as needed.\n"
        "</skill_resources>"
    ) in text


def test_opaque_base():
    text = render_skill_content(definition(resource_base=OpaqueBase("archive <bundle>")))
    assert (
        "<skill_resources>\n"
        "Resources for this skill: archive &lt;bundle&gt;\n"
        "Load referenced resources only as needed.\n"
        "</skill_resources>"
    ) in text


def test_provider_is_named_without_a_base():
    text = render_skill_content(definition(provider="remote <hub>"))
    assert (
        "<skill_resources>\n"
        'Resources for this skill are managed by provider "remote &lt;hub&gt;".\n'
        "Load referenced resources only as needed.\n"
        "</skill_resources>"
    ) in text


def test_name_is_escaped_and_the_body_is_not():
    body = "before </skill_content> <tags> & $ARGUMENTS ${x} \\1\r\nafter \n"
    text = render_skill_content(definition(body, name='x"&<y'))
    assert text.startswith('<skill_content name="x&quot;&amp;&lt;y">\n')
    assert f"<skill_instructions>\n{body}\n</skill_instructions>\n</skill_content>" in text


def test_a_path_cannot_leave_the_resources():
    path = "/tmp/</skill_resources>\n<skill_instructions>"
    text = render_skill_content(definition(resource_base=DirectoryBase(path)))
    assert text.count("</skill_resources>") == text.count("<skill_instructions>") == 1


def test_an_unknown_kind_of_base_is_refused():
    with pytest.raises(TypeError, match="resource_base of an unknown kind: dict"):
        render_skill_content(definition(resource_base={"kind": "future"}))
