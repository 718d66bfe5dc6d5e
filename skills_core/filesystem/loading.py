"""Loading one skill: its whole file, read and understood anew."""

from __future__ import annotations

from dataclasses import dataclass

from skills_core.filesystem.opening import FileTroubleError
from skills_core.filesystem.outcome import Locator
from skills_core.filesystem.problems import printable
from skills_core.filesystem.reading import read_body
from skills_core.resolved_path import resolved_path
from skills_core.skill import SkillCandidate, SkillDefinition


class SkillReadError(Exception):
    """The system did not let a skill's file be read."""

    def __init__(self, path: str, detail: str) -> None:
        self.message = f"cannot read {printable(path)}: {detail}"
        self.hint = "Check that the file may be read (chmod u+r) and that its disk is reachable, then try again."
        super().__init__(self.message)


@dataclass(frozen=True, slots=True)
class Loaded:
    """A definition, or none; ``in_flight`` says that it may be there in a moment."""

    definition: SkillDefinition | None = None
    in_flight: bool = False


def load(candidate: SkillCandidate, locator: Locator) -> Loaded | SkillReadError:
    """Reads a candidate's file now. An error of the system is returned, to be raised where the skill was asked for."""
    try:
        reading, body, real_path = read_body(locator.path, locator.kind, locator.stem, confined=locator.confined)
    except FileTroubleError as error:
        if error.trouble in ("refused", "failed"):
            return SkillReadError(locator.path, error.detail or "permission is refused")
        return Loaded(None, in_flight=error.trouble in ("gone", "dangling-link"))
    document = reading.document
    if document is None:
        return Loaded(None, in_flight=reading.looks_unfinished)
    return Loaded(
        SkillDefinition(
            name=document.name,
            description=document.description,
            source=candidate.source,
            provider=candidate.provider,
            rank=candidate.rank,
            invocation=document.invocation,
            when_to_use=document.when_to_use,
            argument_hint=document.argument_hint,
            label=document.label,
            resource_base=candidate.resource_base,
            path=candidate.path,
            real_path=real_path or resolved_path(locator.path),
            project_root=candidate.project_root,
            content=body,
            metadata=document.metadata,
        )
    )
