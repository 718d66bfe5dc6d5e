"""``skilldeck disable``: switches a skill off."""

from __future__ import annotations

from app.commands.enable import switch
from app.context import CommandContext


def run(context: CommandContext) -> int:
    return switch(context, enabled=False)
