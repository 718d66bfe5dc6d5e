"""The command ``skilldeck``: reads the command line, runs one command, or opens the chat.

Nothing heavy is imported here: each command imports what it needs, so that ``--help`` and ``--version`` answer at once.
"""

from __future__ import annotations

import gc
import importlib
import os
import sys
from collections.abc import Callable, Sequence
from typing import cast

from app.arguments import parse_arguments
from app.context import CommandContext, working_folder
from app.errors import UsageError
from app.output import Output
from app.process import DONE, guarded


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line and returns the exit status: 0, 1, 2, 130 or 143."""
    words = sys.argv[1:] if argv is None else argv
    return guarded(lambda output: _run(words, output))


def _run(words: Sequence[str], output: Output) -> int:
    try:
        arguments = parse_arguments(words)
    except SystemExit as left:
        return left.code if isinstance(left.code, int) else DONE
    if arguments.version or getattr(arguments, "version_after", False):
        from app.assets import program_version

        output.line(f"skilldeck {program_version()}")
        return DONE
    context = CommandContext(arguments, output, working_folder(arguments.cwd))
    if arguments.command is None:
        return _open_chat(context)
    module = importlib.import_module(f"app.commands.{arguments.command}")
    return cast("Callable[[CommandContext], int]", module.run)(context)


def _open_chat(context: CommandContext) -> int:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("the chat needs a terminal", 'for one turn without it, write: skilldeck run "…"')
    if os.environ.get("TERM", "").lower() in ("dumb", "unknown"):
        raise UsageError(
            f"the chat needs a terminal that can move its cursor, and TERM is {os.environ['TERM']}",
            'set TERM to what this terminal is, for example xterm-256color; without one, write: skilldeck run "…"',
        )
    # What is imported and composed up to the first frame stays; the app lets the collector begin after it.
    gc.disable()
    from app.options import ScreenOptions
    from app.session_choice import session_choice

    choice = session_choice(context.arguments)
    options = ScreenOptions(
        cwd=context.cwd,
        settings=context.settings(),
        resume=choice.resume,
        fork=choice.fork,
        fork_seq=choice.fork_seq,
        model=context.arguments.model,
    )
    from app.main import run_screen

    return run_screen(options)


if __name__ == "__main__":
    sys.exit(main())
