"""``skilldeck help [TOPIC]``: the program's own documents."""

from __future__ import annotations

from pathlib import Path

from app.assets import help_topics
from app.context import CommandContext
from app.errors import UsageError
from app.nearest import did_you_mean
from app.output import Style
from app.process import DONE

INDEX = "index"


def run(context: CommandContext) -> int:
    topics = topic_files()
    name = context.arguments.topic
    if name is None:
        context.output.text(topics[INDEX].read_text("utf-8"))
        rows: list[list[str | tuple[str, Style]]] = [
            [(topic, "bold"), title(path)] for topic, path in topics.items() if topic != INDEX
        ]
        context.output.line("Topics:")
        context.output.table(rows, indent=2)
        return DONE
    path = topics.get(name.lower().removesuffix(".md"))
    if path is None:
        near = did_you_mean(name, topics)
        raise UsageError(f'there is no help about "{name}"', near or "skilldeck help lists the topics")
    context.output.text(path.read_text("utf-8"))
    return DONE


def topic_files() -> dict[str, Path]:
    """Every topic and its file, by name."""
    return {path.stem: path for path in sorted(help_topics().glob("*.md"))}


def title(path: Path) -> str:
    """The first heading of a document."""
    for line in path.read_text("utf-8").splitlines():
        if line.startswith("# "):
            return line.removeprefix("# ").strip()
    return path.stem
