"""Skills to measure with: made up, but of the size and shape of real ones."""

from __future__ import annotations

from pathlib import Path

_WORDS = """
use this skill when a person asks to review convert summarise extract migrate test deploy or explain documents tables
reports services schemas pipelines invoices forms images and the notes that belong to them
""".split()  # noqa: SIM905


def skill_text(number: int, change: int = 0) -> str:
    """About 2.5 KB; the description differs for each ``number`` and ``change``."""
    description = " ".join(_WORDS[(number * 7 + step * 3) % len(_WORDS)] for step in range(28))
    body = "".join(
        f"{line}. Read the part that is named, change what is asked for, and say what was left as it was.\n"
        for line in range(1, 25)
    )
    return (
        f"---\nname: skill-{number:05}\ndescription: {description} {change}\nlicense: MIT\n"
        f"metadata:\n  version: '1.{number % 9}'\n---\n\n# Skill {number}\n\n{body}"
    )


def make_skills(root: Path, count: int, first: int = 0) -> list[str]:
    """Makes ``count`` bundles in ``root``, numbered from ``first``, and returns the paths of their files."""
    files: list[str] = []
    for number in range(first, first + count):
        folder = root / f"skill-{number:05}"
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text(skill_text(number), encoding="utf-8")
        files.append(str(folder / "SKILL.md"))
    return files
