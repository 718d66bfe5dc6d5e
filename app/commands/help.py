"""``skilldeck help [TOPIC]``: the program's own documents."""

from __future__ import annotations

from pathlib import Path

from app.assets import help_topics
from app.context import CommandContext
from app.errors import UsageError
from app.help_text import help_lines
from app.nearest import did_you_mean
from app.output import Output, Style
from app.process import DONE

INDEX = "index"


def run(context: CommandContext) -> int:
    topics = topic_files()
    name = context.arguments.topic
    if name is None:
        _print(context.output, topics[INDEX])
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
    _print(context.output, path)
    return DONE


def _print(output: Output, path: Path) -> None:
    """Laid out on a terminal; the document itself for whatever reads the output."""
    text = path.read_text("utf-8")
    if not output.is_terminal:
        output.text(text)
        return
    for line in help_lines(text, output.width):
        output.line((line.text, line.style))


def topic_files() -> dict[str, Path]:
    """Every topic and its file, by name."""
    return {path.stem: path for path in sorted(help_topics().glob("*.md"))}


def title(path: Path) -> str:
    """The first heading of a document."""
    for line in path.read_text("utf-8").splitlines():
        if line.startswith("# "):
            return line.removeprefix("# ").strip()
    return path.stem
