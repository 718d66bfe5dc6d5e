"""Skills on the disk, written as an editor writes them."""

from __future__ import annotations

from pathlib import Path


def write_skill(root: Path, name: str, description: str, body: str = "Do it well.") -> Path:
    folder = root / name
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "SKILL.md"
    fresh = folder / "SKILL.md.tmp"
    fresh.write_text(f"---\nname: {name}\ndescription: {description}\n---\n\n{body}\n", "utf-8")
    fresh.replace(path)
    return path
