"""Random and damaged input for the readers that a stranger's files or fingers reach."""

from __future__ import annotations

import json
import os
import tempfile
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from app.controllers.slash_token import find_slash_token
from app.errors import UsageError
from app.settings.definition import PROJECT_KEYS, Settings
from app.settings.listing import setting_rows
from app.settings.loading import FlagValue, load_settings
from skills_core.access import AccessStore, AnswersError
from skills_core.access.answers import AnswersFile
from skills_core.invocation import check_draft, find_gestures
from skills_core.registry import SkillSnapshot
from skills_core.skill import is_skill_name

SHORT = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
HUGE = "9" * 5000
DEEP = "[" * 3000 + "]" * 3000

# Settings.

KEYS = st.sampled_from([*Settings.model_fields, "keymap.x", '"a b"', "x.y.z", "unknown"])
SCALARS = st.one_of(
    st.booleans().map(lambda value: str(value).lower()),
    st.integers().map(str),
    st.floats().map(str),
    st.text(max_size=20).map(json.dumps),
    st.sampled_from(
        ["nan", "-inf", "1979-05-27", "07:32:00", "0x1F", '"""a\nb"""', "'''c\n\"'''", '"\\u0000"', '"~x/y"']
    ),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4).map(lambda parts: "[" + ",\n".join(parts) + "]"),
        st.lists(inner, max_size=3).map(
            lambda parts: "{" + ", ".join(f"k{i} = {p}" for i, p in enumerate(parts)) + "}"
        ),
    ),
    max_leaves=6,
)
LINES = st.one_of(
    st.tuples(KEYS, VALUES).map(lambda pair: f"{pair[0]} = {pair[1]}"),
    st.sampled_from(["[keymap]", "[a.b]", "[[c]]", "# x", "", "= 1", "[", '"', "'''", "\x00", "\r"]),
    st.text(max_size=30),
)
TOML = st.lists(LINES, max_size=6).map("\n".join)


def load(user: bytes, project: bytes, flags: tuple[FlagValue, ...] = ()) -> Settings | UsageError:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "config").mkdir()
        (folder / "config" / "settings.toml").write_bytes(user)
        (folder / ".skilldeck.toml").write_bytes(project)
        before = os.environ.get("SKILLDECK_CONFIG_DIR")
        os.environ["SKILLDECK_CONFIG_DIR"] = str(folder / "config")
        try:
            return load_settings(name, name, flags)
        except UsageError as error:
            assert error.message
            return error
        finally:
            if before is None:
                del os.environ["SKILLDECK_CONFIG_DIR"]
            else:
                os.environ["SKILLDECK_CONFIG_DIR"] = before


@pytest.fixture(autouse=True)
def _no_settings_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith("SKILLDECK_"):
            monkeypatch.delenv(name)


@SHORT
@given(user=TOML, project=TOML)
@example(user=f"max_steps = {HUGE}", project="")
@example(user="", project=f"discovery_depth = {HUGE}")
@example(user=f"model = {DEEP}", project=f"model = {DEEP}")
@example(user="model." + ".".join("a" * 3000) + " = 1", project="")
@example(user="", project="disabled_skills." + ".".join("a" * 3000) + " = 1")
@example(user='custom_skill_dirs = ["~nobody-of-this-name/x", "\\u0000", ""]', project="")
@example(user="", project='custom_skill_dirs = [["a"], {b = 1}, "~nobody/x"]')
@example(user='base_url = "http://[x"', project="")
@example(user='model = "a\\nb"', project='disabled_skills = ["\\n"]')
@example(user="watch = 1979-05-27", project="")
@example(user="discovery_depth = nan", project="discovery_depth = inf")
@example(user="keymap = {a = {b = {c = [1]}}}", project="")
def test_settings_files_load_or_say_why_not(user: str, project: str) -> None:
    loaded = load(user.encode("utf-8", "surrogatepass"), project.encode("utf-8", "surrogatepass"))
    if isinstance(loaded, Settings):
        assert len(setting_rows(loaded)) == len(Settings.model_fields)
        assert {key for key in Settings.model_fields if loaded.origin(key).kind == "project"} <= set(PROJECT_KEYS)


@SHORT
@given(user=st.binary(max_size=80), project=st.binary(max_size=80))
@example(user=b"\xef\xbb\xbf\xef\xbb\xbfmodel='a'", project=b"\x00")
@example(user=b"\xff\xfem\x00", project=b"model='\xc3'")
def test_settings_files_of_any_bytes(user: bytes, project: bytes) -> None:
    load(user, project)


@SHORT
@given(key=st.one_of(KEYS, st.text(max_size=12)), value=st.text(max_size=30))
@example(key="keymap", value="[1]")
@example(key="disabled_skills", value="[" * 5000)
@example(key="base_url", value="http://[::1")
@example(key="max_steps", value=HUGE)
@example(key="keymap." + "a." * 3000, value="x")
@example(key="custom_skill_dirs", value="\0")
def test_flags_of_any_text(key: str, value: str) -> None:
    load(b"", b"", (FlagValue(key, value, "--set"),))


@pytest.mark.parametrize(
    "text",
    [
        "disabled_skills = [\n" + '"a",\n' * 150_000 + "]\n",
        "disabled_skills = [" + "\n" * 1_000_000 + "]\n",
        'model = """' + "\n" * 1_000_000 + '"""\n',
        "# x\n" * 250_000,
        "a = 1\n[" * 1,
        "[[[" * 300_000,
        '"' * 1_000_000,
        "model = '" + "\\" * 1_000_000 + "'",
        "[" * 1_000_000,
        "a." * 500_000,
    ],
    ids=["list", "blank-lines", "long-string", "comments", "cut", "brackets", "quotes", "slashes", "open", "dots"],
)
def test_a_large_file_of_a_project_is_read_or_refused_in_a_moment(text: str) -> None:
    for project in (text[:60_000], text):
        begun = time.monotonic()
        load(b"", project.encode())
        assert time.monotonic() - begun < 20


def test_a_long_list_of_the_persons_own_is_read_in_a_moment() -> None:
    text = "disabled_skills = [\n" + '"a",\n' * 100_000 + "]\nmax_steps = 7\n"
    begun = time.monotonic()
    loaded = load(text.encode(), b"")
    assert isinstance(loaded, Settings)
    assert len(loaded.disabled_skills) == 100_000
    assert loaded.origin("max_steps").place.endswith(":100003")
    assert time.monotonic() - begun < 20


# The answers.

JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.one_of(st.sampled_from(["trust", "switches", "user", "projects", "version", "/p"]), st.text(max_size=5)),
            inner,
            max_size=4,
        ),
    ),
    max_leaves=10,
)


@SHORT
@given(
    data=st.one_of(
        st.binary(max_size=60), JSON.map(lambda value: json.dumps(value).encode()), st.text(max_size=40).map(str.encode)
    )
)
@example(data=b"[" * 100_000)
@example(data=b'{"trust": {"/p": 1, "/q": "yes", "": true, "/r": [true]}}')
@example(data=b'{"trust": {"/p": false, "/p": true}}')
@example(data=b'{"version": ' + HUGE.encode() + b"}")
@example(data=b'{"switches": {"projects": {"/p": null, "/q": {"a": {}}}}}')
@example(data=b'{"trust": {"\\ud800": true}}')
@example(data=b"\xff")
@example(data=b"")
def test_answers_of_any_bytes_are_read_or_refused_and_never_lost(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as name:
        path = Path(name, "answers.json")
        path.write_bytes(data)
        file = AnswersFile(path)
        try:
            answers = file.read()
        except AnswersError as error:
            assert error.message
            assert error.hint
            # What cannot be read is neither trusted nor overwritten.
            store = AccessStore(Path(name), cwd_project="/p")
            assert store.fault is not None
            assert store.trust_of("/p") is None
            with pytest.raises(AnswersError):
                store.set_trust("/p", True)
            assert path.read_bytes() == data
            return
        assert all(type(value) is bool for value in answers.trust.values())
        changed = file.change_trust("/fuzz", True)
        assert changed.trust["/fuzz"] is True
        assert {root: kept for root, kept in changed.trust.items() if root != "/fuzz"} == {
            root: kept for root, kept in answers.trust.items() if root != "/fuzz"
        }
        assert AnswersFile(path).read() == changed


# What a person types.

DRAFTS = st.lists(
    st.one_of(
        st.sampled_from(
            ["/", "/skill:", "skill:", "tidy", "/tidy", " ", "\n", "```", "~~~", "\t", "\ufeff", "\u2028", "`"]
        ),
        st.text(max_size=6),
    ),
    max_size=14,
).map("".join)


@SHORT
@given(text=DRAFTS)
@example(text="/skill:")
@example(text="```\n/tidy\n```/tidy")
@example(text="\ufeff/tidy\ufeff")
@example(text="/skill:\x1b[2J")
@example(text="~~~`\n/tidy\n~~~~\n/tidy")
@example(text="/tidy\x85/tidy")
def test_gestures_of_any_draft(text: str) -> None:
    for gesture in find_gestures(text):
        written = text[gesture.start : gesture.end]
        assert written == ("/skill:" if gesture.explicit else "/") + gesture.name
        assert gesture.start == 0 or text[gesture.start - 1].isspace() or text[gesture.start - 1] == "\ufeff"
        assert gesture.end == len(text) or text[gesture.end].isspace() or text[gesture.end] == "\ufeff"
        assert gesture.explicit or is_skill_name(gesture.name)
    with tempfile.TemporaryDirectory() as name:
        problem = check_draft(text, SkillSnapshot(), AccessStore(Path(name), cwd_project="/p"))
    assert (problem is None) == (not any(gesture.explicit for gesture in find_gestures(text)))
    if problem is not None:
        assert (problem.message + problem.hint).isprintable()


@SHORT
@given(text=DRAFTS, data=st.data())
def test_the_slash_token_of_any_draft_and_cursor(text: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(text)))
    token = find_slash_token(text, at)
    if token is not None:
        assert 0 <= token.start <= at <= token.end <= len(text)
        assert text[token.start] == "/"
        assert not any(letter.isspace() for letter in text[token.start : token.end])


@pytest.mark.parametrize(
    "text", ["/" * 400_000, "/a " * 200_000, "/skill:" * 100_000, "```\n" * 100_000, "/a-" * 200_000]
)
def test_a_long_draft_is_read_in_a_moment(text: str) -> None:
    begun = time.monotonic()
    find_gestures(text)
    find_slash_token(text, len(text))
    assert time.monotonic() - begun < 5
