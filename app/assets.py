"""Where the files lie that come with the program, in an installed wheel and in a checkout alike."""

from __future__ import annotations

from pathlib import Path

_HERE = Path(__file__).resolve().parent


def style_sheet(name: str) -> Path:
    """The path of a Textual style sheet, such as ``main.tcss``. Raises FileNotFoundError."""
    for folder in (_HERE / "tcss", _HERE.parent / "tcss"):
        path = folder / name
        if path.is_file():
            return path
    raise FileNotFoundError(name)


def bundled_skills() -> Path:
    """The root of the skills that come with the program."""
    return _HERE / "skills"


def help_topics() -> Path:
    """The folder of the program's own documents, one ``TOPIC.md`` each."""
    return _HERE / "docs"


def program_version() -> str:
    """The installed version; in a checkout that was never installed, the one in its project file."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("skilldeck")
    except PackageNotFoundError:
        return _checkout_version(_HERE.parent / "pyproject.toml")


def _checkout_version(project_file: Path) -> str:
    import tomllib

    try:
        project = tomllib.loads(project_file.read_text("utf-8"))["project"]
        return str(project["version"])
    except (OSError, ValueError, KeyError):
        return "unknown"
