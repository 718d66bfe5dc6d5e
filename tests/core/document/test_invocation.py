"""Permission keys fail closed: no fault of the file opens what its author closed."""

from __future__ import annotations

import pytest

from skills_core.skill import InvocationPolicy
from tests.core.document.support import DESCRIPTION, NAME, codes, offered, places, read, read_block

BLOCK = NAME + DESCRIPTION


@pytest.mark.parametrize(
    "value", ["true", "TRUE", '"true"', "'True'", "yes", "ON", "1", '"1"', "true # why", "!!bool true", "!!str yes"]
)
def test_spellings_of_truth(value: str):
    policy = offered(read_block(f"{BLOCK}disable-model-invocation: {value}\n")).invocation
    assert policy == InvocationPolicy(model_invocable=False, user_invocable=True)
    policy = offered(read_block(f"{BLOCK}user-invocable: {value}\n")).invocation
    assert policy == InvocationPolicy(model_invocable=True, user_invocable=True)


@pytest.mark.parametrize("value", ["false", "FALSE", '"false"', "no", "Off", "0", "'0'"])
def test_spellings_of_falsehood(value: str):
    policy = offered(read_block(f"{BLOCK}user-invocable: {value}\n")).invocation
    assert policy == InvocationPolicy(model_invocable=True, user_invocable=False)
    policy = offered(read_block(f"{BLOCK}disable-model-invocation: {value}\n")).invocation
    assert policy == InvocationPolicy(model_invocable=True, user_invocable=True)


@pytest.mark.parametrize(
    "value",
    [
        "maybe",
        "",
        "null",
        "~",
        '""',
        "2",
        "y",
        "t",
        "tru",
        "[true]",
        "{a: true}",
        "\n  - true",
        "!x true",
        "|\n  trues",
        "# true",
        "0x1",
    ],
)
@pytest.mark.parametrize("key", ["disable-model-invocation", "user-invocable"])
def test_what_is_not_a_truth_value_refuses_the_skill(key: str, value: str):
    reading = read_block(f"{BLOCK}{key}: {value}\n")
    assert reading.document is None
    assert [(p.code, p.severity) for p in reading.problems] == [("invocation.value", "error")]
    assert f"`{key}: true`" in reading.problems[0].hint


@pytest.mark.parametrize(
    ("key", "right"),
    [
        ("disableModelInvocation", "disable-model-invocation"),
        ("disable_model_invocation", "disable-model-invocation"),
        ("Disable-Model-Invocation", "disable-model-invocation"),
        ("disable model invocation", "disable-model-invocation"),
        ("DISABLEMODELINVOCATION", "disable-model-invocation"),
        ("modelInvocable", "disable-model-invocation"),
        ("model-invocable", "disable-model-invocation"),
        ("model-invocation", "disable-model-invocation"),
        ("userInvocable", "user-invocable"),
        ("user_invocable", "user-invocable"),
        ("user-invokable", "user-invocable"),
        ("user-invocation", "user-invocable"),
        ("User-Invocable", "user-invocable"),
        ('"user invocable"', "user-invocable"),
        ("disable-model-invokation", "disable-model-invocation"),
        ("disable-model-invocaton", "disable-model-invocation"),
        ("disable-mdoel-invocation", "disable-model-invocation"),
        ("disabled-model-invocations", "disable-model-invocation"),
        ("disableModelInvokation", "disable-model-invocation"),
        ("disable.model.invocation", "disable-model-invocation"),
        ("disable-m\u043edel-invocation", "disable-model-invocation"),
        ("model-invokable", "disable-model-invocation"),
        ("model-invokation", "disable-model-invocation"),
        ("user-invocabel", "user-invocable"),
        ("user-invocible", "user-invocable"),
        ("users-invocable", "user-invocable"),
        ("user-invokation", "user-invocable"),
        ("user-invcable", "user-invocable"),
    ],
)
@pytest.mark.parametrize("value", ["true", "false"])
def test_another_spelling_refuses_and_names_the_right_one(key: str, right: str, value: str):
    reading = read_block(f"{BLOCK}{key}: {value}\n")
    assert reading.document is None
    assert places(reading) == [("invocation.spelling", 4, 1)]
    assert f"`{right}" in reading.problems[0].hint


def test_a_misspelt_key_beside_the_right_one_is_to_be_removed():
    line = "disable-model-invocation: true\n"
    reading = read_block(f"{BLOCK}{line}disableModelInvocation: true\n")
    assert reading.document is None
    assert places(reading) == [("invocation.spelling", 5, 1)]
    assert reading.problems[0].hint == "Remove the line: `disable-model-invocation` is given already."
    assert read_block(f"{BLOCK}{line}").problems == ()


@pytest.mark.parametrize(
    "block",
    [
        BLOCK + "disable-model-invocation: [true",
        BLOCK + 'disable-model-invocation: "true',
        BLOCK + "disable-model-invocation: true: false",
        BLOCK + "disable-model-invocation: @true",
        BLOCK + "disable-model-invocation:true",
        BLOCK + "disable-model-invocation：true",
        BLOCK + " disable-model-invocation: true",
        BLOCK + "\tdisable-model-invocation: true",
        " disable-model-invocation: true\n" + BLOCK,
        BLOCK + "disable-model-invocation: true\n  and: more",
        NAME + "description: foo: bar\n  disable-model-invocation: true",
        NAME + "description: foo\n  - disable-model-invocation: true\n   x: y: z",
        NAME + 'description: "foo\ndisable-model-invocation: true\nlicense: "',
        NAME + 'description: "foo\nuserInvocable: false\nlicense: "x" y',
        NAME + "description: 'foo\n\nuser-invocable: false'",
        BLOCK + "metadata: {\ndisable-model-invocation: true\n}",
        BLOCK + "metadata:\n  a: b: c\n  disable-model-invocation: true",
        BLOCK + "metadata:\n  a: b\n user-invocable: false",
        BLOCK + "base: &base {disable-model-invocation: true}\n<<: *base",
        BLOCK + "base: &yes true\ndisable-model-invocation: *yes",
        BLOCK + "disable-model-invocation: true\ndisable-model-invocation: false",
    ],
)
def test_a_fault_never_opens_what_was_closed(block: str):
    reading = read_block(block)
    assert reading.document is None, reading
    assert any(code.startswith("invocation.") or code == "yaml.duplicate-key" for code in codes(reading))
    assert any(problem.severity == "error" for problem in reading.problems)


def test_a_restriction_that_can_be_read_holds_beside_a_broken_value():
    document = offered(read_block(NAME + 'description: "unclosed\ndisable-model-invocation: true\nuser-invocable: no'))
    assert document.invocation == InvocationPolicy(model_invocable=False, user_invocable=False)
    document = offered(read_block(BLOCK + "tags: [\ndisable-model-invocation: true"))
    assert document.invocation == InvocationPolicy(model_invocable=False, user_invocable=True)


def test_the_same_restriction_twice_is_a_warning():
    reading = read_block(BLOCK + "user-invocable: no\nuser-invocable: no")
    assert offered(reading).invocation == InvocationPolicy(model_invocable=True, user_invocable=False)
    assert [(p.code, p.severity) for p in reading.problems] == [("yaml.duplicate-key", "warning")]


@pytest.mark.parametrize(
    "block",
    [
        BLOCK + "# disable-model-invocation: maybe",
        NAME + "description: |\n  Explains\n  disable-model-invocation: maybe",
        NAME + 'description: "Explains disable-model-invocation and userInvocable."',
        BLOCK + "invocation: x\nmodel: fast\nuser: ada",
    ],
)
def test_mentions_are_no_permission_keys(block: str):
    reading = read_block(block)
    assert offered(reading).invocation == InvocationPolicy() and reading.problems == ()


@pytest.mark.parametrize(
    "key",
    [
        "allowed-tools",
        "argument-hint",
        "arguments",
        "author",
        "agent",
        "category",
        "compatibility",
        "context",
        "created",
        "dependencies",
        "disable",
        "disabled",
        "enabled",
        "hooks",
        "icon",
        "invocation",
        "invocable",
        "keywords",
        "last_updated",
        "license",
        "metadata",
        "mode",
        "model",
        "model-config",
        "model-version",
        "modelinfo",
        "model-selection",
        "model-inventory",
        "model-location",
        "priority",
        "tags",
        "title",
        "tools",
        "triggers",
        "type",
        "user",
        "user-interface",
        "user-involvement",
        "user-invoice",
        "user-location",
        "user-information",
        "version",
        "when_to_use",
    ],
)
def test_other_keys_are_no_permission_keys(key: str):
    reading = read_block(f"{BLOCK}{key}: some text\n")
    assert not any(code.startswith("invocation.") for code in codes(reading))
    assert offered(reading).invocation == InvocationPolicy()


def test_a_misspelt_permission_in_a_broken_block_refuses_the_skill():
    reading = read_block(BLOCK + "tags: [\ndisable-model-invokation: true")
    assert reading.document is None
    assert "invocation.spelling" in codes(reading)
    reading = read_block(NAME + 'description: "unclosed\nuser-invocabel: no\nlicense: "x" y')
    assert reading.document is None
    assert any(code.startswith("invocation.") for code in codes(reading))


def test_a_permission_inside_another_key_is_pointed_out():
    reading = read_block(BLOCK + "metadata:\n  disable-model-invocation: true")
    assert offered(reading).invocation == InvocationPolicy()
    assert places(reading) == [("invocation.nested", 5, 3)]


def test_a_permission_in_the_body_means_nothing():
    reading = read(f"---\n{BLOCK}---\ndisable-model-invocation: maybe\n")
    assert reading.problems == ()
