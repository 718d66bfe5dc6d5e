"""The grammar of the command line: every command and flag, with its sentence."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import NoReturn, TypeAlias

from app.errors import UsageError
from app.nearest import did_you_mean

COMMANDS = (
    "run",
    "skills",
    "check",
    "watch",
    "sessions",
    "show",
    "config",
    "doctor",
    "new",
    "enable",
    "disable",
    "help",
)

_AFTER = "_after"
"""The suffix of a global flag's value when the flag stands after the command."""

_LISTS = ("set", "skills_dir")
_GLOBALS = ("cwd", "trust", "model", "base_url", *_LISTS)

AddArguments: TypeAlias = Callable[[argparse.ArgumentParser], None]


class Parser(argparse.ArgumentParser):
    """An argument parser that raises UsageError, with the nearest right word, instead of leaving the program."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(message, f"{self.prog} --help shows what there is")


def parse_arguments(argv: Sequence[str]) -> argparse.Namespace:
    """The command line as a namespace; ``command`` is None for the screen. Raises UsageError.

    ``--help`` prints and leaves the program with status 0, as argparse does it.
    """
    parser, flags = build_parser()
    _check_first_word(parser, argv)
    arguments, unknown = parser.parse_known_args(list(argv))
    if unknown:
        raise _unknown(unknown[0], arguments.command, flags[arguments.command])
    for name in _GLOBALS:
        after = getattr(arguments, name + _AFTER, None)
        if name in _LISTS:
            setattr(arguments, name, [*(getattr(arguments, name, None) or ()), *(after or ())])
        elif after is not None:
            setattr(arguments, name, after)
    _join_session_flags(arguments)
    return arguments


def build_parser() -> tuple[Parser, dict[str | None, tuple[str, ...]]]:
    """The parser, and the flags that each command (None: the screen) knows."""
    parser = Parser(
        prog="skilldeck",
        description="A full-screen terminal chat in which Agent Skills are live. Without a command it opens the chat.",
        epilog="skilldeck help TOPIC shows the program's own documents.",
        allow_abbrev=False,
    )
    _add_globals(parser, "")
    parser.add_argument("--version", action="store_true", help="print the version and leave")
    chat = parser.add_argument_group("the chat")
    which = chat.add_mutually_exclusive_group()
    which.add_argument(
        "--continue", dest="chat_continue", action="store_true", help="go on with this folder's last session"
    )
    which.add_argument(
        "--resume",
        dest="chat_resume",
        nargs="?",
        const="",
        metavar="ID",
        help="go on with a session; without ID, choose one",
    )
    which.add_argument(
        "--fork", dest="chat_fork", metavar="ID[:SEQ]", help="a new session from an old one, up to its event SEQ"
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands", parser_class=Parser)
    flags: dict[str | None, tuple[str, ...]] = {None: _flags_of(parser)}
    for name in COMMANDS:
        sentence, add = _TABLE[name]
        command = commands.add_parser(
            name, help=sentence, description=sentence[:1].upper() + sentence[1:] + ".", allow_abbrev=False
        )
        add(command)
        _add_globals(command, _AFTER)
        command.add_argument("--version", action="store_true", dest="version_after", help=argparse.SUPPRESS)
        flags[name] = _flags_of(command)
    return parser, flags


def _check_first_word(parser: Parser, argv: Sequence[str]) -> None:
    """Refuses a word in the place of the command that is none, in better words than a list of choices."""
    takes_value = {flag for action in _actions(parser) if action.nargs is None for flag in action.option_strings}
    words = iter(argv)
    for word in words:
        if word in takes_value:
            next(words, None)
        elif word == "--resume" or word in COMMANDS:
            return
        elif not word.startswith("-"):
            hint = did_you_mean(word, COMMANDS) or 'to ask the model, write: skilldeck run "…"'
            raise UsageError(f'there is no command "{word}"', hint)


def _join_session_flags(arguments: argparse.Namespace) -> None:
    """Lets --continue, --resume and --fork stand before ``run`` too, and refuses them before any other command."""
    before = (arguments.chat_continue, arguments.chat_resume, arguments.chat_fork)
    given = [flag for flag, value in zip(("--continue", "--resume", "--fork"), before, strict=True) if value]
    if arguments.command is None:
        arguments.continue_, arguments.resume, arguments.fork = before
    elif given and arguments.command != "run":
        raise UsageError(f"{given[0]} does not go with {arguments.command}")
    elif given:
        if arguments.continue_ or arguments.resume or arguments.fork:
            raise UsageError(f"{given[0]} and another session flag do not go together")
        arguments.continue_, arguments.resume, arguments.fork = before


def _unknown(word: str, command: str | None, flags: Sequence[str]) -> UsageError:
    """What to say about a word or flag that nothing takes."""
    if not word.startswith("-"):
        return UsageError(f'"{word}" is one word too many', "words that belong together go in quotes")
    flag = word.partition("=")[0]
    if command is None:
        return UsageError(f"there is no flag {flag}", did_you_mean(flag, flags) or "skilldeck --help lists them")
    help_flag = f"skilldeck {command} --help lists them"
    return UsageError(f"{command} has no flag {flag}", did_you_mean(flag, flags) or help_flag)


def _actions(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    return parser._actions  # pyright: ignore[reportPrivateUsage]


def _flags_of(parser: argparse.ArgumentParser) -> tuple[str, ...]:
    return tuple(flag for action in _actions(parser) for flag in action.option_strings if flag.startswith("--"))


def _add_globals(parser: argparse.ArgumentParser, suffix: str) -> None:
    group = parser.add_argument_group("for every command")

    def add(flag: str, **options: object) -> None:
        name = flag.removeprefix("--").replace("-", "_") + suffix
        group.add_argument(flag, dest=name, default=None, **options)  # pyright: ignore[reportArgumentType]

    add("--cwd", metavar="DIR", help="work in this folder instead of the current one")
    add("--skills-dir", metavar="DIR", action="append", help="one more folder of skills (rank 300); may be repeated")
    add(
        "--trust",
        choices=("yes", "no", "ask"),
        help="whether the project's own skills and AGENTS.md may reach the model",
    )
    add("--model", metavar="NAME", help="offline, PROVIDER:NAME (openai:gpt-5, ollama:qwen3), or script:FILE")
    add("--base-url", metavar="URL", help="the address of an OpenAI-compatible server")
    add("--set", metavar="KEY=VALUE", action="append", help="any setting; may be repeated")


def _formats(parser: argparse.ArgumentParser, *formats: str) -> None:
    parser.add_argument("--format", choices=formats, default="text", help="text for people, the others for programs")
    parser.add_argument("--json", dest="format", action="store_const", const="json", help="the same as --format json")


def _skills(parser: argparse.ArgumentParser) -> None:
    _formats(parser, "text", "json")


def _check(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paths", nargs="*", metavar="PATH", help="a skill file, a skill's folder or a folder of skills")
    parser.add_argument("--strict", action="store_true", help="warnings fail too")
    _formats(parser, "text", "json", "github")


def _run(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("prompt", nargs="?", metavar="PROMPT", help="what to ask; - or nothing reads standard input")
    parser.add_argument("--allow-tools", nargs="+", metavar="NAME", help="tools that may run without a question")
    parser.add_argument("--no-save", action="store_true", help="do not store the session")
    parser.add_argument("--max-steps", metavar="N", help="after how many model steps the turn is stopped")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--continue", dest="continue_", action="store_true", help="in this folder's last session")
    which.add_argument("--resume", metavar="ID", help="in this session")
    which.add_argument("--fork", metavar="ID[:SEQ]", help="in a new session from an old one, up to its event SEQ")
    _formats(parser, "text", "json")


def _sessions(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--all", action="store_true", help="of every folder, not only of this one")
    _formats(parser, "text", "json")


def _show(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="a session's id, as skilldeck sessions lists it")
    _formats(parser, "text", "json", "markdown", "html")


def _new(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="lower-case words joined by hyphens, such as review-change")
    parser.add_argument("--user", action="store_true", help="among your own skills instead of the project's")
    parser.add_argument("--no-edit", action="store_true", help="do not open the editor")


def _switch(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="a skill's name")
    parser.add_argument("--user", action="store_true", help="in every folder, not only in this project")


def _help(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("topic", nargs="?", metavar="TOPIC", help="one of the topics that skilldeck help lists")


_TABLE: dict[str, tuple[str, AddArguments]] = {
    "run": ("one turn without the screen; prints the answer", _run),
    "skills": ("the skills of this folder, and what they shadow", _skills),
    "check": ("why a file is not offered as a skill", _check),
    "watch": ("a line for each change of the skills, until interrupted", _skills),
    "sessions": ("the stored sessions of this folder", _sessions),
    "show": ("a stored session as the transcript shows it", _show),
    "config": ("every setting, and where its value came from", _skills),
    "doctor": ("whether terminal, watching, folders and models are in order", _skills),
    "new": ("a new skill from a template", _new),
    "enable": ("switch a skill on", _switch),
    "disable": ("switch a skill off, without touching its file", _switch),
    "help": ("the program's own documents", _help),
}
