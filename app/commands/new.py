"""``skilldeck new``: a new skill from a template."""

from __future__ import annotations

import sys

from app.context import CommandContext
from app.new_skill import check_name, project_skill_root, user_skill_root, write_skill
from app.process import DONE


def run(context: CommandContext) -> int:
    settings = context.settings()
    name: str = context.arguments.name
    check_name(name)
    root = (
        user_skill_root(settings.agents_home) if context.arguments.user else project_skill_root(context.project_root())
    )
    path = write_skill(root, name)
    context.output.line(path)
    context.output.message("It is offered as soon as you have replaced the description, a placeholder until then.")
    _edit(context, settings.editor, path)
    return DONE


def _edit(context: CommandContext, setting: str | None, path: str) -> None:
    if context.arguments.no_edit or not (sys.stdin.isatty() and context.output.is_terminal):
        return
    from app.editor import edit, editor_command

    command = editor_command(setting)
    if command is None:
        context.output.message("Set EDITOR, or the setting editor, to have it opened at once.")
        return
    context.output.flush()
    edit(command, path)
