"""Markdown as lines of cells: no markup language in between, no links that a terminal could follow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from rich.cells import cell_len

from app.controllers.code_lines import code_pieces
from app.controllers.text_layout import Line, Piece, Role, cut_pieces, expand_tabs, wrap

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_parser: MarkdownIt | None = None


def _parse(text: str) -> list[Token]:
    global _parser
    if _parser is None:
        from markdown_it import MarkdownIt

        _parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    return _parser.parse(text)


def markdown_lines(text: str, width: int) -> list[Line]:
    """The lines of a Markdown text, at most ``width`` cells each. ``text`` must be inert already."""
    writer = _Writer(max(width, 8))
    writer.blocks(_parse(text))
    return writer.lines


def code_blocks(text: str) -> list[str]:
    """The code of the fenced and indented blocks of a Markdown text, in order, as written."""
    return [token.content.rstrip("\n") for token in _parse(text) if token.type in ("fence", "code_block")]


def finished_prefix(text: str) -> int:
    """How many code points of a growing text can no longer change their meaning: whole top-level blocks.

    The lines of that prefix can be kept while the rest is still coming in.
    """
    tokens = [token for token in _parse(text) if token.level == 0 and token.map]
    if len(tokens) < 2:
        return 0
    last = tokens[-1].map
    if tokens[-1].nesting == -1 or last is None:
        return 0
    start = last[0]
    offset = 0
    for _ in range(start):
        offset = text.index("\n", offset) + 1
    return offset


@dataclass(slots=True)
class _Writer:
    width: int
    lines: list[Line] = field(default_factory=list)
    first: list[Piece] = field(default_factory=list)
    rest: list[Piece] = field(default_factory=list)
    tight: bool = False

    def blocks(self, tokens: Sequence[Token]) -> None:
        at = 0
        started = False
        while at < len(tokens):
            token = tokens[at]
            end = _closing(tokens, at)
            if started and not self.tight:
                self.lines.append(Line(tuple(self.rest), indent=_length(self.rest)) if self.rest else Line())
            started = True
            self.block(token, tokens[at + 1 : end])
            at = end + 1

    def block(self, token: Token, inside: Sequence[Token]) -> None:
        kind = token.type
        if kind == "paragraph_open":
            self.paragraph(inside, "text")
        elif kind == "heading_open":
            self.paragraph(inside, "heading", "#" * int(token.tag[1:]) + " ")
        elif kind in ("fence", "code_block"):
            self.code(token.content, token.info.split()[0] if token.info.split() else "")
        elif kind in ("bullet_list_open", "ordered_list_open"):
            self.list(token, inside)
        elif kind == "blockquote_open":
            self.nested([Piece("│ ", "quote")], [Piece("│ ", "quote")], inside, self.tight)
        elif kind == "hr":
            self.put([Piece("─" * max(self.width - _cells(self.rest), 3), "muted")])
        elif kind == "table_open":
            self.table(inside)
        elif token.content:
            self.put([Piece(part) for part in token.content.split("\n")])

    def paragraph(self, inside: Sequence[Token], role: Role, lead: str = "") -> None:
        for paragraph in _inline_lines(inside[0], role):
            pieces = [Piece(lead, role), *paragraph] if lead else paragraph
            self.put(pieces)
            lead = ""

    def put(self, pieces: Sequence[Piece]) -> None:
        self.lines.extend(wrap(pieces, self.width, self.first, self.rest))
        self.first = list(self.rest)

    def code(self, content: str, language: str) -> None:
        inner = max(self.width - _cells(self.rest) - 2, 4)
        for number, pieces in enumerate(code_pieces(content.rstrip("\n"), language)):
            lead = [*(self.first if number == 0 else self.rest), Piece("  ", "code-block")]
            again = [*self.rest, Piece("  ", "code-block")]
            self.lines.extend(wrap(pieces, inner + _cells(again), lead, again))
        self.first = list(self.rest)

    def list(self, token: Token, inside: Sequence[Token]) -> None:
        number = int(token.attrGet("start") or 1)
        ordered = token.type == "ordered_list_open"
        tight = all(item.hidden for item in inside if item.type == "paragraph_open" and item.level == token.level + 2)
        at = 0
        first = True
        while at < len(inside):
            end = _closing(inside, at)
            mark = f"{number}. " if ordered else "• "
            if not first and not tight:
                self.lines.append(Line(tuple(self.rest), indent=_length(self.rest)) if self.rest else Line())
            first = False
            self.nested([Piece(mark, "accent")], [Piece(" " * len(mark))], inside[at + 1 : end], tight)
            number += 1
            at = end + 1

    def nested(self, first: Sequence[Piece], rest: Sequence[Piece], inside: Sequence[Token], tight: bool) -> None:
        kept = (self.first, self.rest, self.tight)
        self.first, self.rest, self.tight = [*self.first, *first], [*self.rest, *rest], tight
        if inside:
            self.blocks(inside)
        else:
            self.put([])
        self.first, self.rest, self.tight = list(kept[1]), kept[1], kept[2]

    def table(self, inside: Sequence[Token]) -> None:
        rows: list[list[list[Piece]]] = []
        for token, following in pairwise(inside):
            if token.type == "tr_open":
                rows.append([])
            elif token.type in ("th_open", "td_open"):
                role: Role = "strong" if token.type == "th_open" else "text"
                rows[-1].append([piece for part in _inline_lines(following, role) for piece in part])
        columns = max((len(row) for row in rows), default=0)
        if not columns:
            return
        widths = [max(_cells(row[i]) if i < len(row) else 0 for row in rows) for i in range(columns)]
        room = max(self.width - _cells(self.rest) - 2 * (columns - 1), columns * 3)
        while sum(widths) > room:
            widest = widths.index(max(widths))
            widths[widest] -= 1
        for number, row in enumerate(rows):
            pieces: list[Piece] = list(self.rest)
            for index, cells in enumerate(row):
                shown = cut_pieces(cells, widths[index])
                gap = "  " if index < columns - 1 else ""
                pieces += [*shown, Piece(" " * (widths[index] - _cells(shown)) + gap)]
            self.lines.append(Line(tuple(pieces), indent=_length(self.rest)))
            if number == 0:
                rule = "  ".join("─" * each for each in widths)
                self.lines.append(Line((*self.rest, Piece(rule, "muted")), indent=_length(self.rest)))
        self.first = list(self.rest)


def _closing(tokens: Sequence[Token], at: int) -> int:
    """The index of the token that closes the one at ``at``; ``at`` itself when it stands alone."""
    if tokens[at].nesting != 1:
        return at
    depth = 0
    for index in range(at, len(tokens)):
        depth += tokens[index].nesting
        if depth == 0:
            return index
    return len(tokens) - 1


def _cells(pieces: Sequence[Piece]) -> int:
    return sum(cell_len(piece.text) for piece in pieces)


def _length(pieces: Sequence[Piece]) -> int:
    return sum(len(piece.text) for piece in pieces)


def _inline_lines(token: Token, base: Role) -> list[list[Piece]]:
    """The pieces of an inline token, one list for each hard line."""
    lines: list[list[Piece]] = [[]]
    strong = emphasis = strike = 0
    targets: list[str] = []
    for child in token.children or ():
        role = _inline_role(base, strong, emphasis, strike)
        match child.type:
            case "text":
                lines[-1].append(Piece(expand_tabs(child.content), "link" if targets else role))
            case "code_inline":
                lines[-1].append(Piece(expand_tabs(child.content), "code"))
            case "softbreak":
                lines[-1].append(Piece(" ", role))
            case "hardbreak":
                lines.append([])
            case "strong_open" | "strong_close":
                strong += child.nesting
            case "em_open" | "em_close":
                emphasis += child.nesting
            case "s_open" | "s_close":
                strike += child.nesting
            case "link_open":
                targets.append(str(child.attrGet("href") or ""))
            case "link_close":
                target = targets.pop() if targets else ""
                shown = lines[-1][-1].text if lines[-1] else ""
                if target and target != shown:
                    lines[-1].append(Piece(f" ({target})", "muted"))
            case "image":
                lines[-1].append(Piece(f"[image: {child.content}] ({child.attrGet('src') or ''})", "muted"))
            case _:
                lines[-1].append(Piece(child.content, role))
    return lines


def _inline_role(base: Role, strong: int, emphasis: int, strike: int) -> Role:
    if strike:
        return "strike"
    if base == "heading":
        return base
    if strong and emphasis:
        return "strong-emphasis"
    if strong:
        return "strong"
    if emphasis:
        return "emphasis"
    return base
