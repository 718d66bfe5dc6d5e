"""``skilldeck enable`` and ``skilldeck disable``: a switch outside the skill's files."""

from __future__ import annotations

from collections.abc import Iterable

from app.context import CommandContext
from app.errors import UsageError
from app.process import DONE, run_async


def run(context: CommandContext) -> int:
    return switch(context, enabled=True)


def switch(context: CommandContext, *, enabled: bool) -> int:
    """Switches a skill on or off, in this project or in every one."""
    settings = context.settings()
    name: str = context.arguments.name

    async def main() -> int:
        import asyncio

        from app.broken_skills import broken_skills

        async with context.runtime(settings, watch=False, tell_fault=False) as runtime:
            snapshot = await runtime.settled()
            known = set(snapshot.by_name) | runtime.access.switched_off()
            broken = await asyncio.to_thread(broken_skills, snapshot.problems)
            if name not in known and name not in broken:
                raise _unknown(name, known | set(broken))
            await asyncio.to_thread(runtime.access.set_enabled, name, enabled, user=context.arguments.user)
        where = "in every project" if context.arguments.user else f"in {runtime.project_root}"
        context.output.line((name, "bold"), f" is {'on' if enabled else 'off'} {where}.")
        if name not in snapshot.by_name and name in broken:
            message = f"{broken[name]} has an error, so the skill is not offered at present."
            context.output.failure(message, "skilldeck check explains it.")
        return DONE

    return run_async(main)


def _unknown(name: str, known: Iterable[str]) -> UsageError:
    from skills_core.invocation.nearest import nearest_names

    near = ", ".join(nearest_names(name, known))
    return UsageError(f'there is no skill "{name}"', f"did you mean {near}?" if near else "skilldeck skills lists them")
