"""Files named in a draft."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from app.controllers.completion import Completion, Replacement
from app.controllers.file_token import file_reference, find_file_token, mentioned_paths
from app.controllers.project_files import MENTION_LIMIT, project_files, read_mention


@pytest.mark.parametrize(
    ("written", "query", "quoted"),
    [
        ("@wo", "wo", False),
        ("@", "", False),
        ("ping @src/a", "src/a", False),
        ("/goal @wor", "wor", False),
        ('@"docs/design notes', "docs/design notes", True),
        ("one\n@two", "two", False),
    ],
)
def test_a_file_token(written: str, query: str, quoted: bool) -> None:
    token = find_file_token(written, len(written))
    assert token is not None
    assert (token.query, token.quoted) == (query, quoted)
    assert written[token.start] == "@"


@pytest.mark.parametrize("written", ["user@host", "@worker done", "", 'said @"a b" c', "```\n@a", "(@a"])
def test_no_file_token(written: str) -> None:
    assert find_file_token(written, len(written)) is None


def test_accepting_writes_the_path_and_quotes_spaces() -> None:
    state = Completion(())
    state.set_files(["src/app.py", "docs/design notes.md"])
    state.follow("see @app", 8)
    assert state.accept("see @app") == Replacement(4, 8, "@src/app.py ")
    state.follow("see @des", 8)
    assert state.accept("see @des") == Replacement(4, 8, '@"docs/design notes.md" ')
    assert file_reference("a b") == '@"a b"'


def test_mentions_of_a_message() -> None:
    text = 'See @src/a.py, @"b c.md" and @src/a.py. Mail me@host.\n```\n@not/this\n```\n@ alone'
    assert mentioned_paths(text) == ("src/a.py", "b c.md")


def test_ignored_files_are_not_listed(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("*.log\nbuild/\n")
    for name in ("a.py", "x.log", "build/out.txt", "src/b.py", ".hidden/c", "node_modules/d.js"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("x")
    assert project_files(str(tmp_path)) == (".gitignore", "a.py", "src/b.py")
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    assert "x.log" not in project_files(str(tmp_path))
    assert "src/b.py" in project_files(str(tmp_path))
    assert project_files(str(tmp_path), limit=2) == (".gitignore", ".hidden/c")


def test_a_text_file_of_the_project_is_read_bounded(tmp_path: Path) -> None:
    root = tmp_path / "shop"
    root.mkdir()
    (root / "a.md").write_text("整" * MENTION_LIMIT)
    (root / "b.bin").write_bytes(b"a\0b")
    (root / "c.txt").write_bytes(b"\xff\xfe")
    (root / "small.md").write_text("hello\n")
    (tmp_path / "secret").write_text("s")
    (root / "link").symlink_to(tmp_path / "secret")
    whole = read_mention(str(root), str(root), "small.md")
    assert whole is not None and (whole.text, whole.truncated) == ("hello", False)
    large = read_mention(str(root), str(root), "a.md")
    assert large is not None and large.truncated
    assert len(large.text.encode()) <= MENTION_LIMIT
    data = large.message().data
    assert data["source"] == {"kind": "file-mention", "path": "a.md", "bytes": 3 * MENTION_LIMIT, "truncated": True}
    assert "truncated: the first 65,536 of 196,608 bytes" in data["content"][0]["text"]
    for other in ("b.bin", "c.txt", "nowhere", "../secret", "link", ".", "/etc/hostname"):
        assert read_mention(str(root), str(root), other) is None


def test_every_folder_has_its_own_say_outside_of_repositories(tmp_path: Path) -> None:
    files = ("a.tmp", "docs/a.tmp", "docs/keep.tmp", "docs/draft.md", "docs/deep/draft.md", "draft.md", "out/x.py")
    for name in files:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    (tmp_path / ".gitignore").write_text("*.tmp\nout/\n")
    (tmp_path / "docs" / ".gitignore").write_text("!keep.tmp\ndraft.md\n")
    assert project_files(str(tmp_path)) == (".gitignore", "docs/.gitignore", "docs/keep.tmp", "draft.md")
