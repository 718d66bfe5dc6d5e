"""What ``skilldeck doctor`` looks at, one row a thing."""

from __future__ import annotations

import asyncio
import os
import platform
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from app.assets import program_version
from app.settings.files import state_dir
from app.settings.listing import without_password
from skills_core.words import counted

if TYPE_CHECKING:
    from app.errors import UsageError
    from app.runtime import Runtime
    from app.settings.definition import Settings
    from skills_core.agent.instruction_files import InstructionFiles
    from skills_core.filesystem import RootStatus
    from skills_core.registry import SkillSnapshot

Status: TypeAlias = Literal["ok", "warning", "error"]

WATCHER_SECONDS = 3.0
"""How long the watcher may take to start before that is called slow."""

SMALLEST_WIDTH, SMALLEST_HEIGHT = 80, 24


@dataclass(frozen=True, slots=True)
class Finding:
    """``detail`` says what is so, ``hint`` (None when nothing is needed) what would help."""

    check: str
    status: Status
    detail: str
    hint: str | None = None


async def diagnose(runtime: Runtime, faults: tuple[UsageError, ...] = ()) -> list[Finding]:
    """Every finding, in the order in which a person reads them. ``runtime`` watches; ``faults`` are those of the
    settings, without which it was opened."""
    from app.settings_findings import settings_findings
    from skills_core.agent.instruction_files import read_instructions

    snapshot = await runtime.settled()
    findings = [version(), terminal(), *settings_findings(runtime.settings, runtime.project_root, faults)]
    findings.append(state_folder(state_dir()))
    findings += [root(each) for each in runtime.filesystem.roots(runtime.cwd)]
    findings.append(skills(snapshot))
    instructions = await asyncio.to_thread(read_instructions, runtime.cwd, runtime.project_root)
    findings.append(trust(runtime, snapshot, instructions))
    findings += await watcher(runtime, snapshot)
    findings += [
        model(runtime.settings, runtime.cwd),
        providers(runtime.settings),
        keys(runtime.settings),
        editor(runtime.settings),
    ]
    return findings


def version() -> Finding:
    detail = (
        f"Skilldeck {program_version()}, Python {platform.python_version()}, {platform.system()} {platform.release()}"
    )
    return Finding("version", "ok", detail)


def terminal() -> Finding:
    """Whether the chat can open here."""
    name = os.environ.get("TERM", "") or "unknown"
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return Finding("terminal", "ok", f"none here (TERM is {name}); the chat needs one, the other commands do not")
    columns, rows = os.get_terminal_size(sys.stdout.fileno())
    encoding = (sys.stdout.encoding or "unknown").lower()
    colour = (
        "no colours (NO_COLOR)" if os.environ.get("NO_COLOR") else os.environ.get("COLORTERM", "") or "plain colours"
    )
    detail = f"{name}, {columns} x {rows}, {encoding}, {colour}"
    if columns < SMALLEST_WIDTH or rows < SMALLEST_HEIGHT:
        hint = f"make it at least {SMALLEST_WIDTH} x {SMALLEST_HEIGHT}"
        return Finding("terminal", "warning", detail, hint)
    if name in ("dumb", "unknown"):
        return Finding("terminal", "warning", detail, "set TERM to what this terminal is, such as xterm-256color")
    if "utf" not in encoding:
        return Finding("terminal", "warning", detail, "use a locale with UTF-8, such as LANG=C.UTF-8")
    return Finding("terminal", "ok", detail)


def state_folder(folder: Path) -> Finding:
    """Whether sessions can be kept. Writes and removes a file when the folder is there; makes none."""
    hint = "make it writable, or set SKILLDECK_STATE_DIR to another folder"
    existing = folder
    while not existing.exists() and existing != existing.parent:
        existing = existing.parent
    if not existing.is_dir():
        return Finding("state folder", "error", f"{existing} is not a folder", hint)
    if existing != folder:
        if os.access(existing, os.W_OK | os.X_OK):
            return Finding("state folder", "ok", f"{folder}, made when it is needed")
        return Finding("state folder", "error", f"{folder} cannot be made in {existing}", hint)
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        return Finding("state folder", "error", f"{folder}: {(error.strerror or str(error)).lower()}", hint)
    return Finding("state folder", "ok", f"{folder}, writable")


def root(status: RootStatus) -> Finding:
    detail = f"{status.path} ({status.source}, rank {status.rank:g}): {status.state}"
    if status.state == "unreadable":
        return Finding("root", "error", detail, "let yourself read this folder, or take it out of the settings")
    if status.state == "not-a-folder":
        return Finding("root", "warning", detail, "put a folder in the place of this file")
    return Finding("root", "ok", detail)


def skills(snapshot: SkillSnapshot) -> Finding:
    from app.commands.skills import count_line

    errors = sum(problem.severity == "error" for problem in snapshot.problems)
    detail = f"{len(snapshot.skills)} offered, {count_line(errors, len(snapshot.problems) - errors)}"
    if not snapshot.complete:
        return Finding("skills", "error", f"{detail}; not complete: {snapshot.reason}", "skilldeck check")
    if snapshot.problems:
        return Finding("skills", "warning", detail, "skilldeck check explains them")
    return Finding("skills", "ok", detail)


def trust(runtime: Runtime, snapshot: SkillSnapshot, instructions: InstructionFiles) -> Finding:
    """What the project brings, and whether it may reach the model."""
    from skills_core.invocation import trust_questions

    fault = runtime.access.fault
    if fault is not None:
        return Finding("trust", "error", fault.message, fault.hint)
    parts = [unread.message.removesuffix(".") for unread in instructions.unread.values()]
    status: Status = "warning" if parts else "ok"
    hint: str | None = "put the file itself in its place" if parts else None
    words = {True: "trusted", False: "refused", None: "not asked yet"}
    for root, question in sorted(trust_questions(snapshot, instructions).items(), reverse=True):
        answer = runtime.access.trust_of(root)
        brings = [counted(len(question.skills), "skill")] if question.skills else []
        brings += [file.path for file in question.instructions]
        parts.insert(0, f"{root}: {words[answer]} ({', '.join(brings)})")
        hint = "the chat asks, or use --trust yes" if answer is None else hint
    if not parts:
        return Finding("trust", "ok", "this project has no skills or instructions of its own")
    return Finding("trust", status, "; ".join(parts), hint)


async def watcher(runtime: Runtime, snapshot: SkillSnapshot) -> list[Finding]:
    """How changes are noticed: a watcher is really started, over the folders of the skills."""
    from skills_core.filesystem.watching import FolderWatch
    from skills_core.filesystem.watching.failure import read_limits

    settings = runtime.filesystem.settings
    folders = await asyncio.to_thread(_skill_folders, runtime, snapshot)
    watch = FolderWatch(settings=settings, on_hint=lambda paths: None, on_status=lambda status: None)
    try:
        watch.want(folders)
        armed = await watch.armed(WATCHER_SECONDS)
        status = watch.status
    finally:
        await watch.aclose()
    count = counted(len(folders), "folder")
    findings: list[Finding] = []
    if not armed:
        hint = "set watch_use_polling if this goes on"
        findings.append(Finding("watcher", "warning", f"{count} not watched after {WATCHER_SECONDS:g} s", hint))
    elif status.mode == "native":
        findings.append(Finding("watcher", "ok", f"native, {count}"))
    else:
        wanted = settings.watch_use_polling or not settings.watch
        detail = f"{status.mode}, {count}" + (f": {status.reason}" if status.reason else "")
        findings.append(Finding("watcher", "ok" if wanted else "warning", detail, status.hint))
    limits = read_limits()
    if limits.watches is not None or limits.instances is not None:
        detail = f"{limits.watches} watches and {limits.instances} instances for each user"
        if limits.open_files is not None:
            detail += f", {limits.open_files} open files"
        low = limits.watches is not None and limits.watches < 2 * len(folders)
        hint = "raise fs.inotify.max_user_watches with sysctl" if low else None
        findings.append(Finding("watch limits", "warning" if low else "ok", detail, hint))
    return findings


def _skill_folders(runtime: Runtime, snapshot: SkillSnapshot) -> frozenset[str]:
    folders = {os.path.dirname(skill.path) for skill in snapshot.skills if skill.path is not None}
    folders |= {status.path for status in runtime.filesystem.roots(runtime.cwd)} | {runtime.cwd}
    return frozenset(os.path.realpath(folder) for folder in folders if os.path.isdir(folder))


def model(settings: Settings, cwd: str) -> Finding:
    """Whether the model of the settings can be opened. No request is sent, and the key command is not run."""
    from app.models import OFFLINE, SCRIPT, is_own_provider, may_have_key, open_real, script_name
    from skills_core.agent.model import ModelError
    from skills_core.agent.models import open_model

    name = settings.model
    if name == OFFLINE:
        return Finding("model", "ok", "offline: finds the skill that fits, writes nothing by itself")
    has_key = settings.api_key is not None or settings.api_key_command is not None
    try:
        if name.startswith(SCRIPT):
            open_model(script_name(name, cwd))
        else:
            stand_in = "a key" if has_key and may_have_key(settings, name) else None
            open_real(settings, name, stand_in)
    except ModelError as error:
        return Finding("model", "error", f"{name}: {error.message}", error.hint or None)
    at = settings.base_url if is_own_provider(settings, name) else None
    address = f" at {without_password(at)}" if at is not None else ""
    return Finding("model", "ok", f"{name}{address}; no request was sent")


def providers(settings: Settings) -> Finding:
    """For which providers there is all that their models need. No server is asked."""
    from app.controllers.model_choices import provider_states, readiness_words
    from app.models import own_keys

    states = provider_states(own_keys(settings))
    missing = next((state for state in states if state.readiness == "not-installed"), None)
    hint = f"{missing.prefix}: {missing.note}" if missing is not None else None
    return Finding("providers", "ok", readiness_words(states), hint)


def keys(settings: Settings) -> Finding:
    """Which keys there are, never what they are."""
    from skills_core.agent.models.real.providers import PROVIDERS

    names = dict.fromkeys(name for provider in PROVIDERS.values() for name in provider.keys)
    found = [name for name in names if os.environ.get(name, "").strip()]
    if settings.api_key is not None:
        found.append("SKILLDECK_API_KEY")
    if settings.api_key_command is not None:
        found.append("api_key_command")
    return Finding("keys", "ok", f"set: {', '.join(found)}" if found else "none set; the offline model needs none")


def editor(settings: Settings) -> Finding:
    from app.editor import editor_command

    command = editor_command(settings.editor)
    if command is None:
        return Finding("editor", "ok", "none set", "set EDITOR to open problems and new skills at once")
    return Finding("editor", "ok", " ".join(command))
