"""Any sequence of changes of real roots: a model step never meets a complete catalog that differs from the disk."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from skills_core.filesystem import FilesystemSettings, filesystem_provider
from skills_core.registry import Lookup, SkillRegistry, SkillSnapshot, settled_snapshot

ROOTS = ("project-dsh", "project-agents", "custom", "user-dsh", "user-agents")
"""In the order of their ranks."""

NAMES = st.sampled_from(["alpha", "beta", "gamma"])
PLACES = st.sampled_from(range(len(ROOTS)))
KINDS = st.sampled_from(["bundle", "flat"])
WORDS = st.text("abcdef ", min_size=1, max_size=12).map(str.strip).filter(bool)


class Catalog(RuleBasedStateMachine):
    """The model is ``entries``: (root, kind, entry name) → description, or None for an entry that is not offered."""

    def __init__(self) -> None:
        super().__init__()
        self.base = Path(tempfile.mkdtemp(prefix="skills-machine-"))
        self.runner = asyncio.Runner()
        self.entries: dict[tuple[int, str, str], str | None] = {}
        self.linked: dict[tuple[int, str], Path] = {}
        self.targets = 0
        self.registry: SkillRegistry | None = None

    @initialize(missing=st.sets(PLACES))
    def start(self, missing: set[int]) -> None:
        project = self.base / "project"
        (project / ".git").mkdir(parents=True)
        self.roots = [
            project / ".dsh" / "skills",
            project / ".agents" / "skills",
            self.base / "custom",
            self.base / "home" / ".dsh" / "skills",
            self.base / "home" / ".agents" / "skills",
        ]
        for number, root in enumerate(self.roots):
            if number not in missing:
                root.mkdir(parents=True)
        self.lookup = Lookup(cwd=str(project))
        self.runner.run(self._open())

    async def _open(self) -> None:
        self.registry = SkillRegistry()
        self.registry.register_provider(
            filesystem_provider(
                FilesystemSettings(
                    dsh_home=str(self.base / "home" / ".dsh"),
                    agents_home=str(self.base / "home" / ".agents"),
                    custom_skill_dirs=(str(self.roots[2]),),
                    watch_stability_threshold_ms=20,
                )
            )
        )
        await self.registry.snapshot(self.lookup)

    # What the disk should be read as.

    def expected(self) -> dict[str, str]:
        found: dict[str, str] = {}
        # The entries of one root come in the order of their own names: "alpha" before "alpha.md".
        for (_, _, name), description in sorted(self.entries.items(), key=lambda item: _order(item[0])):
            if description is not None:
                found.setdefault(name, description)
        return found

    def _file(self, root: int, kind: str, name: str) -> Path:
        return self.roots[root] / f"{name}.md" if kind == "flat" else self.roots[root] / name / "SKILL.md"

    def _free(self, root: int, kind: str, name: str) -> bool:
        return (root, kind, name) not in self.entries

    # Changes.

    @rule(root=PLACES, kind=KINDS, name=NAMES, description=WORDS, by_rename=st.booleans())
    def write(self, root: int, kind: str, name: str, description: str, by_rename: bool) -> None:
        file = self._file(root, kind, name)
        file.parent.mkdir(parents=True, exist_ok=True)
        text = f"---\nname: {name}\ndescription: '{description}'\n---\nBody of {description}.\n"
        if by_rename:
            temporary = file.with_name(".temporary")
            temporary.write_text(text)
            temporary.replace(file)
        else:
            file.write_text(text)
        self.entries[root, kind, name] = description

    @rule(data=st.data())
    @precondition(lambda self: self.entries)
    def edit_body(self, data: Any) -> None:
        key = data.draw(st.sampled_from(sorted(self.entries)))
        with self._file(*key).open("a") as file:
            file.write("More.\n")

    @rule(data=st.data(), words=WORDS)
    @precondition(lambda self: self.entries)
    def break_it(self, data: Any, words: str) -> None:
        key = data.draw(st.sampled_from(sorted(self.entries)))
        self._file(*key).write_text(f"---\nname: {key[2]}\ndescription: [{words}]\n---\n")
        self.entries[key] = None

    @rule(data=st.data())
    @precondition(lambda self: self.entries)
    def leave_it_half_written(self, data: Any) -> None:
        key = data.draw(st.sampled_from(sorted(self.entries)))
        self._file(*key).write_text(f"---\nname: {key[2]}\ndescr")
        self.entries[key] = None

    @rule(data=st.data())
    @precondition(lambda self: self.entries)
    def remove(self, data: Any) -> None:
        root, kind, name = key = data.draw(st.sampled_from(sorted(self.entries)))
        if kind == "flat":
            self._file(*key).unlink()
        elif (root, name) in self.linked:
            (self.roots[root] / name).unlink()
            del self.linked[root, name]
        else:
            shutil.rmtree(self.roots[root] / name)
        del self.entries[key]

    @rule(data=st.data(), to=PLACES)
    @precondition(lambda self: self.entries)
    def move_to_another_root(self, data: Any, to: int) -> None:
        root, kind, name = key = data.draw(st.sampled_from(sorted(self.entries)))
        if root == to or not self._free(to, kind, name) or (to, name) in self.linked:
            return
        self.roots[to].mkdir(parents=True, exist_ok=True)
        entry = f"{name}.md" if kind == "flat" else name
        (self.roots[root] / entry).rename(self.roots[to] / entry)
        self.entries[to, kind, name] = self.entries.pop(key)
        if kind == "bundle" and (root, name) in self.linked:
            self.linked[to, name] = self.linked.pop((root, name))

    @rule(root=PLACES, name=NAMES, description=WORDS)
    def link(self, root: int, name: str, description: str) -> None:
        """A new link, or another target for an old one."""
        if not self._free(root, "bundle", name) and (root, name) not in self.linked:
            return
        self.targets += 1
        target = self.base / "targets" / f"{name}-{self.targets}"
        target.mkdir(parents=True)
        (target / "SKILL.md").write_text(f"---\nname: {name}\ndescription: '{description}'\n---\nx\n")
        self.roots[root].mkdir(parents=True, exist_ok=True)
        new = self.roots[root] / ".new-link"
        new.symlink_to(target)
        new.replace(self.roots[root] / name)
        self.linked[root, name] = target
        self.entries[root, "bundle", name] = description

    @rule(root=PLACES)
    def remove_root(self, root: int) -> None:
        shutil.rmtree(self.roots[root], ignore_errors=True)
        for key in [key for key in self.entries if key[0] == root]:
            del self.entries[key]
        for key in [key for key in self.linked if key[0] == root]:
            del self.linked[key]

    @rule(root=PLACES)
    def take_root_away_and_back(self, root: int) -> None:
        if self.roots[root].exists():
            self.roots[root].rename(self.base / "aside")
            (self.base / "aside").rename(self.roots[root])

    @rule(root=PLACES, folder=st.sampled_from(["references", "scripts", ".hidden", "node_modules"]))
    def add_what_does_not_matter(self, root: int, folder: str) -> None:
        self.roots[root].mkdir(parents=True, exist_ok=True)
        (self.roots[root] / "notes.txt").write_text("x")
        for bundle in [key for key in self.entries if key[:2] == (root, "bundle")]:
            place = self.roots[root] / bundle[2] / folder
            place.mkdir(exist_ok=True)
            (place / "notes.md").write_text("x")

    # What must hold.

    @rule()
    def a_step_begins(self) -> None:
        """Whatever a step is given as complete is the disk as it is now. (Not after each change: see below.)"""
        assert self.registry is not None
        snapshot = self.runner.run(self.registry.snapshot(Lookup(cwd=self.lookup.cwd, fresh=True)))
        if snapshot.complete:
            assert _catalog(snapshot) == self.expected()

    @rule()
    def wait_until_it_is_quiet(self) -> None:
        assert self.registry is not None
        snapshot = self.runner.run(settled_snapshot(self.registry, Lookup(cwd=self.lookup.cwd, fresh=True), 10.0))
        assert snapshot.complete, snapshot.reason
        assert _catalog(snapshot) == self.expected()

    @rule()
    def wait_for_the_watcher(self) -> None:
        """Never asked for afresh: hints alone must lead there."""
        self.runner.run(self._followed())

    async def _followed(self) -> None:
        assert self.registry is not None
        news = asyncio.Event()
        unsubscribe = self.registry.subscribe(news.set)
        snapshot = None
        try:
            async with asyncio.timeout(5):
                while True:
                    snapshot = await self.registry.snapshot(self.lookup)
                    if snapshot.complete and _catalog(snapshot) == self.expected():
                        return
                    await news.wait()
                    news.clear()
        except TimeoutError:
            raise AssertionError(f"the watcher never led to {self.expected()}, but to {snapshot}") from None
        finally:
            unsubscribe()

    def teardown(self) -> None:
        try:
            if self.registry is not None:
                self.wait_for_the_watcher()
                self.wait_until_it_is_quiet()
        finally:
            if self.registry is not None:
                self.runner.run(self.registry.aclose())
            self.runner.close()
            shutil.rmtree(self.base, ignore_errors=True)


def _order(key: tuple[int, str, str]) -> tuple[int, str]:
    root, kind, name = key
    return root, name if kind == "bundle" else f"{name}.md"


def _catalog(snapshot: SkillSnapshot) -> dict[str, str]:
    return {skill.name: skill.description for skill in snapshot.skills}


TestCatalog = Catalog.TestCase
TestCatalog.settings = settings(
    max_examples=40,
    stateful_step_count=25,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
