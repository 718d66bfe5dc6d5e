"""What a session's requests took: tokens and cost, from the log. What nobody counted is unknown, not nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from skills_core.session.event import ASSISTANT_MESSAGE, COMPACTION, SessionEvent
from skills_core.words import counted

_FREE = ("offline", "script:")
_SMALLEST_SHOWN = 0.0001


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageTotals:
    """Sums over the replies of real models. ``cost`` is in US dollars, of the ``priced`` ones among ``replies``.

    ``counted`` replies came with their tokens. The cached tokens are part of ``input_tokens``.
    """

    replies: int = 0
    counted: int = 0
    priced: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    cost: float = 0.0

    @property
    def tokens(self) -> int | None:
        """All tokens, of both ways; None while nothing was counted."""
        return self.input_tokens + self.output_tokens if self.counted else None


def usage_totals(events: Iterable[SessionEvent]) -> UsageTotals:
    totals = UsageTotals()
    for event in events:
        totals = with_event(totals, event)
    return totals


def with_event(totals: UsageTotals, event: SessionEvent) -> UsageTotals:
    """The totals with one more event of the log; the same ones when it holds no reply of a real model.

    The summary of a compaction is a reply too, when a model was asked for it.
    """
    asked = event.type == COMPACTION and (event.data.get("model") or event.data.get("usage"))
    if event.type != ASSISTANT_MESSAGE and not asked:
        return totals
    usage = event.data.get("usage")
    counts: Mapping[str, Any] = cast("Mapping[str, Any]", usage) if isinstance(usage, Mapping) else {}
    counted = any(_count(counts, name) is not None for name in ("input_tokens", "output_tokens"))
    if not counted and str(event.data.get("model", "")).startswith(_FREE):
        return totals
    cost = counts.get("cost")
    priced = isinstance(cost, int | float) and not isinstance(cost, bool) and cost >= 0
    return UsageTotals(
        replies=totals.replies + 1,
        counted=totals.counted + counted,
        priced=totals.priced + priced,
        input_tokens=totals.input_tokens + (_count(counts, "input_tokens") or 0),
        output_tokens=totals.output_tokens + (_count(counts, "output_tokens") or 0),
        cache_read_tokens=totals.cache_read_tokens + (_count(counts, "cache_read_tokens") or 0),
        cache_write_tokens=totals.cache_write_tokens + (_count(counts, "cache_write_tokens") or 0),
        cost=totals.cost + (float(cast("float", cost)) if priced else 0.0),
    )


def usage_words(totals: UsageTotals) -> str:
    """For the status bar: tokens, and the cost where prices are known; empty before the first reply.

    A plus says that some replies came without a count or a price.
    """
    if not totals.replies:
        return ""
    if totals.tokens is None:
        return "tokens unknown"
    more = "+" if totals.counted < totals.replies else ""
    words = f"{totals.tokens:,}{more} tokens"
    return f"{words} {_dollars(totals)}" if totals.priced else words


def usage_lines(totals: UsageTotals) -> list[tuple[str, str]]:
    """Every sum with its name, for a page."""
    if not totals.replies:
        return [("replies", "none of a real model yet")]
    if not totals.counted:
        counts = [("tokens", "unknown: the server does not count")]
    else:
        counts = [
            ("tokens in", f"{totals.input_tokens:,}"),
            ("of these from the cache", f"{totals.cache_read_tokens:,}"),
            ("written to the cache", f"{totals.cache_write_tokens:,}"),
            ("tokens out", f"{totals.output_tokens:,}"),
        ]
    lines = [("replies", f"{totals.replies:,}"), *counts]
    if totals.counted and totals.counted < totals.replies:
        lines.append(("without a count", counted(totals.replies - totals.counted, "reply", "replies")))
    lines.append(("cost", _dollars(totals) if totals.priced else "unknown: no price is known for this model"))
    return lines


def _dollars(totals: UsageTotals) -> str:
    more = "+" if totals.priced < totals.replies else ""
    if 0 < totals.cost < _SMALLEST_SHOWN:
        return f"<${_SMALLEST_SHOWN}{more}"
    digits = 2 if totals.cost >= 1 else 4 if totals.cost < 0.1 else 3
    return f"${totals.cost:,.{digits}f}{more}"


def _count(counts: Mapping[str, Any], name: str) -> int | None:
    value = counts.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
