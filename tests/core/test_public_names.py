"""What ``skills_core`` offers by name, and what importing it must not bring along."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import skills_core
import skills_core.agent
import skills_core.session

ROOT = Path(__file__).resolve().parents[2]
HEAVY = {"textual", "rich", "pydantic", "pydantic_settings", "pydantic_ai", "watchfiles", "yaml", "filelock", "anyio"}


@pytest.mark.parametrize(
    "package", [skills_core, skills_core.agent, skills_core.session], ids=lambda package: package.__name__
)
def test_every_public_name_is_there(package):
    for name in package.__all__:
        assert getattr(package, name) is not None
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = package.no_such_name


def loaded_after(statement: str) -> set[str]:
    script = f"import sys; {statement}; print(' '.join(sorted(sys.modules)))"
    printed = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True
    )
    return {name.partition(".")[0] for name in printed.stdout.split()}


@pytest.mark.parametrize(
    "statement",
    [
        "import skills_core",
        "from skills_core import SkillRegistry, FilesystemProvider, Agent, Session, CatalogPublisher, open_model",
        "import skills_core.agent.models.offline",
    ],
)
def test_importing_the_core_brings_no_screen_and_no_heavy_library(statement: str):
    assert not loaded_after(statement) & (HEAVY | {"app"})


def test_the_core_never_names_the_screen():
    for path in sorted((ROOT / "skills_core").rglob("*.py")):
        for line in path.read_text(encoding="utf-8").splitlines():
            words = line.split()
            if words[:1] in (["import"], ["from"]):
                assert words[1].partition(".")[0] not in {"app", "textual", "rich", "pydantic"}, f"{path}: {line}"


def test_the_offline_model_is_imported_at_once():
    """Under 100 ms of the processor: the least of a few fresh processes, since other work only ever adds to it."""
    script = (
        "import time; start = time.process_time(); import skills_core.agent.models.offline;"
        " print(time.process_time() - start)"
    )
    seconds = [
        float(subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, timeout=60).stdout)
        for _ in range(5)
    ]
    assert min(seconds) < 0.1, seconds


def test_the_offline_model_needs_no_loop_no_tools_and_no_client():
    listed = subprocess.run(
        [sys.executable, "-c", "import sys, skills_core.agent.models.offline; print(' '.join(sys.modules))"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    ).stdout.split()
    assert not [name for name in listed if name.startswith(("skills_core.agent.loop", "skills_core.agent.tools"))]
    assert not [name for name in listed if name.startswith("skills_core.agent.models.real")]
