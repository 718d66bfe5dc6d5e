"""The command that installs the packages of a provider, as it has to be typed where this program runs."""

from __future__ import annotations

import shlex
import sys
from importlib.util import find_spec
from pathlib import Path

from skills_core.agent.models.real.providers import ProviderFacts

_CODE = Path(__file__).resolve().parents[4]


def missing_package(provider: ProviderFacts) -> str | None:
    """The name of a package that models of this provider need and that is not installed."""
    for package in ("pydantic_ai", provider.package):
        try:
            present = find_spec(package) is not None
        except (ModuleNotFoundError, ValueError):
            present = False
        if not present:
            return package
    return None


def install_command(extra: str, code: Path = _CODE, python: str | None = None, here: Path | None = None) -> str:
    """The command for an extra: in a clone it installs from there, else by name, into the environment that runs.

    ``code`` is the folder that holds the packages of this program; ``here`` the working folder, from which the
    command of a clone is written as short as it can be.
    """
    python = python or sys.executable or "python3"
    pip = f"{shlex.quote(python)} -m pip"
    if not (code / "pyproject.toml").is_file():
        return f'{pip} install "skilldeck[{extra}]"'
    in_clone = (here is None and _is_here(code)) or here == code
    own = code / ".venv" / "bin" / "pip"
    if own.is_file() and own.parent in (Path(python).parent, Path(python).resolve().parent):
        pip = ".venv/bin/pip" if in_clone else shlex.quote(str(own))
    return f'{pip} install -e "{"." if in_clone else code}[{extra}]"'


def _is_here(folder: Path) -> bool:
    try:
        return Path.cwd() == folder
    except OSError:
        return False
