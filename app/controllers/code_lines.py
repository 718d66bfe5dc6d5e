"""A code block as pieces: coloured by what the tokens are, when the language is known."""

from __future__ import annotations

from functools import lru_cache

from app.controllers.text_layout import Piece, Role, expand_tabs

HIGHLIGHT_LIMIT = 20_000
"""Code points beyond which a block is shown without colours, so that drawing never waits for a lexer."""


@lru_cache(maxsize=64)
def code_pieces(code: str, language: str) -> tuple[tuple[Piece, ...], ...]:
    """One tuple of pieces for each line of ``code``."""
    if not language or len(code) > HIGHLIGHT_LIMIT:
        return tuple((Piece(expand_tabs(text), "code-block"),) for text in code.split("\n"))
    from pygments.lexers import get_lexer_by_name  # pyright: ignore[reportUnknownVariableType]
    from pygments.util import ClassNotFound

    try:
        lexer = get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return code_pieces(code, "")
    lines: list[list[Piece]] = [[]]
    for kind, value in lexer.get_tokens(code):
        role = _role(str(kind))
        for index, part in enumerate(value.split("\n")):
            if index:
                lines.append([])
            if part:
                lines[-1].append(Piece(expand_tabs(part), role))
    return tuple(tuple(pieces) for pieces in lines)


def _role(kind: str) -> Role:
    if kind.startswith(("Token.Keyword", "Token.Name.Tag", "Token.Name.Builtin")):
        return "keyword"
    if kind.startswith(("Token.Literal.String", "Token.String")):
        return "string"
    if kind.startswith("Token.Comment"):
        return "comment"
    if kind.startswith(("Token.Literal.Number", "Token.Number")):
        return "number"
    return "code-block"
