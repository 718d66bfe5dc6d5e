"""The slash commands, as data: the popup, the help screen and the dispatcher read the same list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Command:
    """``arguments`` is what may follow the name, as shown to a person; empty when nothing may.

    ``doing`` says what is being done when it takes a while. ``beside`` when messages need not wait for its end.
    """

    name: str
    summary: str
    arguments: str = ""
    doing: str = ""
    beside: bool = False


COMMANDS: tuple[Command, ...] = (
    Command("skills", "Show the skills: what the model has against what is on the disk"),
    Command("problems", "Show why files are not offered as skills, and how to mend them"),
    Command("help", "Show every key and command", "[topic]"),
    Command("catalog", "Show the exact catalog text that the model has now"),
    Command("why", "Show which skill a request would route to, with the scores", "[words]", "Comparing", beside=True),
    Command("trust", "Show or change whether this project's skills and AGENTS.md reach the model", "[yes|no|ask]"),
    Command("model", "Choose the model", "[name]", "Opening the model"),
    Command("new", "Start a new session", doing="Beginning a session"),
    Command("resume", "Open a stored session", "[id]", "Opening the session"),
    Command("fork", "Continue this session as a new one", "[seq]", "Copying the session"),
    Command("retry", "Send the last message again"),
    Command("compact", "Replace the older part of the session by a summary", doing="Compacting", beside=True),
    Command("copy", "Copy the last answer, or its last code block", "[code]"),
    Command("export", "Write the session to a file as Markdown or HTML", "[file]", "Writing the file", beside=True),
    Command("new-skill", "Make a new skill in this project and open it in the editor", "name"),
    Command("theme", "Choose the theme", "[name]"),
    Command("quit", "Leave"),
)


@dataclass(frozen=True, slots=True)
class CommandCall:
    """A command that the person entered, and what stood behind its name, stripped."""

    command: Command
    arguments: str


@dataclass(frozen=True, slots=True)
class UnknownCommand:
    """A ``/word`` at the start of the draft that no command or skill has; ``nearest`` are names with their ``/``."""

    word: str
    nearest: tuple[str, ...]


def find_command(text: str, commands: Sequence[Command] = COMMANDS) -> CommandCall | None:
    """The command that a draft begins with, if it does."""
    word, _, rest = text.strip().partition(" ")
    if not word.startswith("/") or "\n" in word:
        return None
    for command in commands:
        if word == "/" + command.name:
            return CommandCall(command, rest.strip())
    return None


def first_word(text: str) -> str | None:
    """The ``word`` of a draft that begins with ``/word`` and has no second slash in it; None for anything else."""
    parts = text.split(None, 1)
    if not parts or not parts[0].startswith("/"):
        return None
    word = parts[0][1:]
    if not word or "/" in word or word.startswith("skill:"):
        return None
    return word
