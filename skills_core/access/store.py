"""The person's answers as the rest of the program asks for them."""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Literal, TypeAlias

from skills_core.access.answers import Answers, AnswersError, AnswersFile
from skills_core.skill import SkillFacts
from skills_core.subscribers import Subscribers

log = logging.getLogger("skills_core.access")
TrustMode: TypeAlias = Literal["yes", "no", "ask"]
ANSWERS_FILE = "answers.json"


class AccessStore:
    """Trust by project root and switches by name, kept in ``state_dir``.

    ``cwd_project`` is the project whose switches apply. Projects are known by their real paths, so that a link that
    leads elsewhere later carries no answer along. ``trust`` other than ``ask`` overrides what is remembered, for this
    process alone. ``disabled_skills`` are the names that the person's settings switch off, and
    ``project_disabled_skills`` those that the project's own settings switch off: until it is trusted, a project has no
    say about other skills than its own. A switch that the person set later wins over both: the project's, then the
    user's.

    The answers are held in memory; ``reload`` and the two setters touch the disk, so call them in a thread, and after
    a change ``notify`` on the loop. ``remember_trust`` does both.
    """

    def __init__(
        self,
        state_dir: Path,
        *,
        cwd_project: str,
        trust: TrustMode = "ask",
        disabled_skills: Iterable[str] = (),
        project_disabled_skills: Iterable[str] = (),
    ) -> None:
        self._file = AnswersFile(state_dir / ANSWERS_FILE)
        self._project = os.path.realpath(cwd_project)
        self._real_paths: dict[str, str] = {}
        self._mode: TrustMode = trust
        self._disabled = frozenset(disabled_skills)
        self._project_disabled = frozenset(project_disabled_skills)
        self._answers = Answers()
        self._disk = threading.Lock()
        self._unkept: dict[str, bool | None] = {}
        self._subscribers = Subscribers[[]](log, "the access store")
        self.fault: AnswersError | None = None
        self.reload()

    @property
    def mode(self) -> TrustMode:
        return self._mode

    def reload(self) -> bool:
        """Reads the answers again; True when they changed.

        A file that cannot be read keeps the last answers (none at first, so nothing is trusted) and sets ``fault``.
        """
        before = self._answers, self._real_paths
        # What a path leads to is found out anew, at least once a step; in between it need not be asked for each skill.
        # The loop's thread may meet new paths meanwhile.
        self._real_paths = {spelled: _real_path(spelled) for spelled in tuple(self._real_paths)}
        try:
            with self._disk:
                self._answers = self._file.read()
            self.fault = None
        except AnswersError as error:
            self.fault = error
            log.warning("%s", error.message)
        return (self._answers, self._real_paths) != before

    def trust_of(self, project_root: str) -> bool | None:
        """The answer for a project: True, False, or None when it was not asked about yet."""
        root = self._real_path(project_root)
        if root in self._unkept:
            return self._unkept[root]
        if self._mode != "ask":
            return self._mode == "yes"
        return self._answers.trust.get(root) if root else None

    def set_trust(self, project_root: str, answer: bool | None) -> None:
        """Remembers or (None) forgets the answer. It also ends an override by ``trust`` for this process.

        Raises AnswersError when it cannot be kept; then nothing has changed.
        """
        root = self._real_path(project_root)
        with self._disk:
            self._answers = self._file.change_trust(root, answer)
        self._unkept.pop(root, None)
        self._mode = "ask"

    async def remember_trust(self, project_root: str, answer: bool | None) -> None:
        try:
            await asyncio.to_thread(self.set_trust, project_root, answer)
        except AnswersError as error:
            self._unkept[self._real_path(project_root)] = answer
            self.fault = error
            raise
        finally:
            self.notify()

    def set_enabled(self, name: str, enabled: bool, *, user: bool) -> None:
        """Switches a skill on or off, for this project or (``user``) for all.

        A switch for all also drops this project's own one, which would win over it. Raises AnswersError.
        """
        with self._disk:
            if user:
                self._file.change_switch(name, None, self._project)
                self._answers = self._file.change_switch(name, enabled, None)
            else:
                self._answers = self._file.change_switch(name, enabled, self._project)

    def switched_off(self) -> frozenset[str]:
        """The names that are off here, by a switch or by the settings."""
        by_settings = self._disabled
        if self._project_disabled and self.trust_of(self._project) is True:
            by_settings |= self._project_disabled
        names = by_settings | set(self._answers.user) | set(self._answers.projects.get(self._project, {}))
        return frozenset(name for name in names if not self._on(name, by_settings))

    def is_enabled(self, skill: SkillFacts) -> bool:
        by_settings = self._disabled
        if skill.name in self._project_disabled and (
            skill.project_root is not None or self.trust_of(self._project) is True
        ):
            by_settings = self._project_disabled
        return self._on(skill.name, by_settings)

    def is_trusted(self, skill: SkillFacts) -> bool:
        return skill.project_root is None or self.trust_of(skill.project_root) is True

    def subscribe(self, callback: Callable[[], None]) -> Callable[[], None]:
        return self._subscribers.add(callback)

    def notify(self) -> None:
        """Tells the subscribers that an answer changed. Call it on the loop after a setter or ``reload``."""
        self._subscribers.tell()

    def _real_path(self, project_root: str) -> str:
        found = self._real_paths.get(project_root)
        if found is None:
            found = self._real_paths[project_root] = _real_path(project_root)
        return found

    def _on(self, name: str, by_settings: frozenset[str]) -> bool:
        project = self._answers.projects.get(self._project)
        if project is not None and name in project:
            return project[name]
        if name in self._answers.user:
            return self._answers.user[name]
        return name not in by_settings


def _real_path(path: str) -> str:
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):
        # A link that is replaced at this moment, or no path at all: nothing that an answer could belong to.
        return ""
