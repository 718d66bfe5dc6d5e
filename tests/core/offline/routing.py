"""How often the offline model routes a request to a skill that fits it, and how often it rightly says that none does.

``requests.json`` asks for the skills of the shared cases and the bundled ones, ``everyday.json`` for skills such as
people install, ``native.json`` for skills that are themselves not in English. ``heldout.json`` was written after the
glossary, with the aim of sharing few words with the descriptions, ``independent.json`` before the thesaurus.
``chatter.json`` are questions of general knowledge and remarks, nearly all of them for no skill of any of these sets.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from skills_core.access import OPEN_ACCESS
from skills_core.agent.models.offline import index
from skills_core.agent.models.offline.decision import FIT_SCORE
from skills_core.agent.models.offline.glossary import Glossary
from skills_core.catalog import CatalogEntry, catalog_entries
from skills_core.filesystem import FilesystemSettings, filesystem_provider
from skills_core.registry import Lookup, SkillRegistry, settled_snapshot

HERE = Path(__file__).parent
PROJECT = HERE.parent.parent.parent
CASES = PROJECT / "tests" / "cases"
BUNDLED = PROJECT / "app" / "skills"


@dataclass
class Tally:
    """``asked`` requests have a fitting skill, ``idle`` ones have none."""

    asked: int = 0
    first: int = 0
    among_three: int = 0
    idle: int = 0
    left_alone: int = 0


@dataclass
class Measurement:
    """Tallies for English, for other languages, and for all; what went wrong, as text."""

    english: Tally = field(default_factory=Tally)
    other: Tally = field(default_factory=Tally)
    misses: list[str] = field(default_factory=list)

    @property
    def all(self) -> Tally:
        return Tally(*(a + b for a, b in zip(vars(self.english).values(), vars(self.other).values(), strict=True)))


def stored(name: str) -> Any:
    return json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))


def stored_set(name: str) -> tuple[tuple[CatalogEntry, ...], list[dict[str, Any]]]:
    """The skills and the requests of a file that holds both."""
    data = stored(name)
    return tuple(CatalogEntry(**entry) for entry in data["skills"]), data["requests"]


async def case_entries() -> tuple[CatalogEntry, ...]:
    """The catalog of all shared cases and the bundled skills, as a model would get it."""
    with TemporaryDirectory() as built:
        roots = [str(root) for folder in sorted(CASES.iterdir()) if (root := case_root(folder, Path(built)))]
        return await root_entries(roots)


def case_root(folder: Path, built: Path) -> Path | None:
    """The skills root of a case; one that holds links is made in ``built`` first. None for other special files."""
    if not (folder / "expected.json").is_file():
        return None
    steps = json.loads((folder / "expected.json").read_text(encoding="utf-8")).get("build", [])
    if any(step["op"] not in ("symlink", "mkdir", "write") for step in steps):
        return None
    if not steps:
        return folder / "root" if (folder / "root").is_dir() else None
    target = built / folder.name
    shutil.copytree(folder, target, symlinks=True)
    for step in steps:
        path = target / step["path"]
        path.parent.mkdir(parents=True, exist_ok=True)
        if step["op"] == "symlink":
            path.symlink_to(step["target"])
        elif step["op"] == "mkdir":
            path.mkdir()
        else:
            path.write_text(step["text"], encoding="utf-8")
    return target / "root"


async def root_entries(roots: Iterable[str]) -> tuple[CatalogEntry, ...]:
    """The catalog of these skills roots and the bundled skills."""
    settings = FilesystemSettings(
        watch=False, include_default_roots=False, custom_skill_dirs=tuple(roots), bundled_skill_dir=str(BUNDLED)
    )
    registry = SkillRegistry()
    registration = registry.register_provider(filesystem_provider(settings))
    try:
        snapshot = await settled_snapshot(registry, Lookup(cwd=str(PROJECT)), 5.0, only_in_flight=True)
        return catalog_entries(snapshot, OPEN_ACCESS)
    finally:
        registration.close()
        await registry.aclose()


def measure(entries: tuple[CatalogEntry, ...], requests: Iterable[dict[str, Any]]) -> Measurement:
    """Routes each request. A skill counts only when its score says that it fits."""
    result = Measurement()
    for request in requests:
        tally = result.english if request["language"] == "en" else result.other
        routes = index.route(request["text"], entries)
        fitting = [route.name for route in routes if route.score >= FIT_SCORE][:3]
        expected = request["expected"]
        if expected:
            right = bool(fitting) and fitting[0] in expected
            tally.asked += 1
            tally.first += right
            tally.among_three += any(name in expected for name in fitting)
        else:
            right = not fitting
            tally.idle += 1
            tally.left_alone += right
        if not right:
            near = ", ".join(f"{route.name} {route.score:.2f}" for route in routes[:3]) or "nothing"
            result.misses.append(f"{request['language']}: {request['text']} -> {near}")
    return result


@contextmanager
def without_glossary() -> Iterator[None]:
    """Words are compared by their letters alone."""
    index.index_of.cache_clear()
    try:
        with patch.object(index, "glossary", lambda: Glossary("")):
            yield
    finally:
        index.index_of.cache_clear()
