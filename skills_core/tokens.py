"""How much of a model's context a text takes."""

from __future__ import annotations

_BYTES_PER_TOKEN = 4


def estimate_tokens(text: str) -> int:
    """About how many tokens a model counts for a text: its UTF-8 bytes, four to a token, rounded up.

    It is an estimate, since each model has its own vocabulary. English prose has about 4.5 letters to a token, code
    fewer; scripts of two or three bytes a letter have correspondingly fewer letters to a token, so bytes serve all.
    """
    return -(-len(text.encode("utf-8", "surrogatepass")) // _BYTES_PER_TOKEN)
