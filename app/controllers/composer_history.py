"""What was sent before, and the draft that must come back after looking at it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Draft:
    """A text with its caret, in code points."""

    text: str
    caret: int


@dataclass(slots=True)
class ComposerHistory:
    """Walks through earlier messages without losing anything.

    The unsent draft is kept when the walk begins and comes back with its caret at the end of it, also when a recalled
    message is sent instead. Changes made to a recalled message are kept until one is sent. A draft that was set aside
    is met first on the way back, until it is sent.
    """

    limit: int = 500
    _entries: list[str] = field(default_factory=list)
    _edited: dict[int, Draft] = field(default_factory=dict)
    _at: int | None = None
    _aside: list[str] = field(default_factory=list)

    @property
    def browsing(self) -> bool:
        return self._at is not None

    def load(self, entries: Iterable[str]) -> None:
        """Takes over the messages of a session, oldest first."""
        self._entries.clear()
        for entry in (*entries, *self._aside):
            self._append(entry)
        self._leave()

    def sent(self, text: str) -> Draft:
        """Notes a message that was sent, and ends the walk. Gives the draft that waited meanwhile, maybe empty."""
        waited = self._edited.get(len(self._entries), Draft("", 0)) if self.browsing else Draft("", 0)
        self._aside = [each for each in self._aside if each.strip() != text.strip()]
        self._append(text)
        self._leave()
        return waited

    def set_aside(self, text: str) -> None:
        """Keeps a draft for which there is no room in the composer now."""
        self._aside.append(text)
        self._append(text)

    def unsent(self, current: Draft) -> tuple[str, ...]:
        """Every text that was written and not sent: set aside, waiting behind the walk, and the one that is shown."""
        texts = list(self._aside)
        if self._at is not None:
            waiting = self._edited.get(len(self._entries))
            texts.append(waiting.text if waiting is not None else "")
            shown = self._entries[self._at]
            texts.append(current.text if current.text != shown else "")
        else:
            texts.append(current.text)
        return tuple(dict.fromkeys(text for text in texts if text.strip()))

    def older(self, current: Draft) -> Draft | None:
        """The message before the one shown; None at the oldest."""
        at = len(self._entries) if self._at is None else self._at
        return self._go(at, at - 1, current)

    def newer(self, current: Draft) -> Draft | None:
        """The message after the one shown, at last the unsent draft; None when that is shown already."""
        if self._at is None:
            return None
        return self._go(self._at, self._at + 1, current)

    def _go(self, at: int, to: int, current: Draft) -> Draft | None:
        if not 0 <= to <= len(self._entries):
            return None
        self._edited[at] = current
        self._at = None if to == len(self._entries) else to
        kept = self._edited.get(to)
        if kept is not None:
            return kept
        text = self._entries[to] if to < len(self._entries) else ""
        return Draft(text, len(text))

    def _append(self, text: str) -> None:
        if text.strip() and (not self._entries or self._entries[-1] != text):
            self._entries.append(text)
            del self._entries[: -self.limit]

    def _leave(self) -> None:
        self._at = None
        self._edited.clear()
