"""What is shipped: built, looked into, installed where nothing of this checkout is in reach, and run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 280
pytestmark = [pytest.mark.packaging, pytest.mark.timeout(SECONDS + 20)]


def run(*words: str | Path, cwd: Path, environment: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(word) for word in words],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the wheel and the source distribution."""
    folder = tmp_path_factory.mktemp("dist")
    done = run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-t", "sdist", "-d", folder, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def wheel(built: Path) -> Path:
    (path,) = built.glob("*.whl")
    return path


def tracked(folder: str, suffix: str) -> set[str]:
    return {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / folder).rglob(f"*{suffix}")
        if "__pycache__" not in path.parts and path.is_file()
    }


def under_version_control() -> set[str]:
    """The files that belong into the wheel; none where this is no checkout."""
    done = run("git", "ls-files", "-z", "app", "skills_core", "tcss", cwd=ROOT)
    return set(done.stdout.split("\0")) - {""} if done.returncode == 0 else set()


def test_the_wheel_holds_the_program_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as file:
        names = set(file.namelist())
        metadata = next(name for name in names if name.endswith(".dist-info/METADATA"))
        described = file.read(metadata).decode()
        points = file.read(metadata.replace("METADATA", "entry_points.txt")).decode()
    for folder in ("app", "skills_core"):
        assert tracked(folder, ".py") <= names
        assert f"{folder}/py.typed" in names
    assert {f"app/{name}" for name in tracked("tcss", ".tcss")} <= names
    assert tracked("app/docs", ".md") <= names
    assert tracked("app/docs", ".md")
    assert tracked("app/skills", "SKILL.md") <= names
    assert tracked("app/skills", "SKILL.md")
    assert tracked("skills_core/agent/models/offline", "") <= names
    packed = {name for name in names if not name.startswith(metadata.split("/")[0])}
    kinds = {(name.split("/")[0], Path(name).suffix) for name in packed}
    assert kinds <= {
        *((folder, suffix) for folder in ("app", "skills_core") for suffix in (".py", ".typed")),
        *(("app", suffix) for suffix in (".tcss", ".md", ".svg")),
        ("skills_core", ".txt"),
    }
    assert not [name for name in packed if "test" in Path(name).parts or "tests" in Path(name).parts]
    if known := under_version_control():
        assert packed == {name.replace("tcss/", "app/tcss/", 1) if name.startswith("tcss/") else name for name in known}
    assert "skilldeck = app.cli:main" in points
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert f"\nVersion: {project['version']}\n" in described
    required = {line for line in described.splitlines() if line.startswith("Requires-Dist") and "extra ==" not in line}
    assert len(required) == len(project["dependencies"])


def test_the_source_distribution_can_build_and_test_itself(built: Path) -> None:
    (path,) = built.glob("*.tar.gz")
    with tarfile.open(path) as file:
        names = {name.partition("/")[2] for name in file.getnames()}
    for wanted in ("pyproject.toml", "README.md", "constraints.txt", "scripts/test", "tests/conftest.py"):
        assert wanted in names, wanted
    for folder in ("app", "skills_core", "tcss"):
        assert tracked(folder, "") <= names
    assert not [name for name in names if name.startswith((".venv", ".git/")) or "__pycache__" in name]


@pytest.mark.parametrize("pattern", ["*.whl", "*.tar.gz"], ids=["wheel", "sdist"])
def test_it_works_where_nothing_else_is(built: Path, pattern: str, tmp_path: Path) -> None:
    (distribution,) = built.glob(pattern)
    place, home = tmp_path / "elsewhere", tmp_path / "home"
    for folder in (place, home):
        folder.mkdir()
    environment = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL", "TMPDIR") if name in os.environ}
    environment |= {"HOME": str(home), "PYTHONWARNINGS": "error", "PYTHONSAFEPATH": "1"}
    venv = tmp_path / "venv"
    done = run(sys.executable, "-m", "venv", venv, cwd=place)
    assert done.returncode == 0, done.stderr
    # The person's own configuration says where packages come from.
    pip = [venv / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    done = run(*pip, "--constraint", ROOT / "constraints.txt", distribution, cwd=place)
    if done.returncode and ("No matching distribution" in done.stderr or "Temporary failure" in done.stderr):
        pytest.skip("no package index can be reached from here")
    assert done.returncode == 0, done.stderr
    skilldeck = venv / "bin" / "skilldeck"

    done = run(skilldeck, "--version", cwd=place, environment=environment)
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    assert (done.returncode, done.stdout, done.stderr) == (0, f"skilldeck {version}\n", "")

    done = run(skilldeck, "skills", "--json", cwd=place, environment=environment)
    assert done.returncode == 0, done.stderr
    skills = json.loads(done.stdout)["skills"]
    assert {Path(path).parent.name for path in tracked("app/skills", "SKILL.md")} == {one["name"] for one in skills}
    assert all(str(venv) in one["path"] for one in skills)

    done = run(skilldeck, "run", "hello", "--no-save", cwd=place, environment=environment)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.strip()

    done = run(skilldeck, "help", "settings", cwd=place, environment=environment)
    assert done.returncode == 0
    code = "import app, app.main, app.screens.chat, pathlib; print(pathlib.Path(app.__file__).parent)"
    done = run(venv / "bin" / "python", "-W", "error", "-c", code, cwd=place, environment=environment)
    assert (done.returncode, done.stderr) == (0, "")
    package = Path(done.stdout.strip())
    assert package.is_relative_to(venv)
    assert len(list((package / "tcss").glob("*.tcss"))) == len(tracked("tcss", ".tcss"))


def test_importing_any_module_gives_no_warning() -> None:
    code = (
        "import importlib, pkgutil, app, skills_core\n"
        "for package in (app, skills_core):\n"
        "    for found in pkgutil.walk_packages(package.__path__, package.__name__ + '.'):\n"
        "        importlib.import_module(found.name)\n"
    )
    done = run(sys.executable, "-W", "error", "-c", code, cwd=ROOT)
    assert (done.returncode, done.stderr) == (0, "")
