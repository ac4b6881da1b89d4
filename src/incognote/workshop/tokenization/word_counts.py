"""How often each word is there, of any amount of text in a bounded memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from incognote.base.errors import TokenizerError

DISTINCT = 2_000_000
"""Words held at most: beyond, the rarest are forgotten, of which no piece would come."""

Texts = Callable[[], Iterable[str]]
"""Gives the texts, each time anew."""


def word_counts(texts: Texts, distinct: int = DISTINCT) -> Counter[str]:
    """The words between white space."""
    counts: Counter[str] = Counter()
    for text in texts():
        counts.update(text.split())
        if len(counts) > distinct:
            _forget(counts, distinct)
    if not counts:
        raise TokenizerError("there is no text to learn a vocabulary from")
    return counts


def _forget(counts: Counter[str], distinct: int) -> None:
    """Leave out the rarest until there is room for as many again as half."""
    rare = 0
    while len(counts) > distinct // 2:
        rare += 1
        for word in [word for word, count in counts.items() if count <= rare]:
            del counts[word]


def too_large(wanted: int, most: int) -> TokenizerError:
    """What to say when the text has not enough in it."""
    return TokenizerError(
        f"a vocabulary of {wanted:,} is more than this text supports: it has {most:,} tokens at "
        "most; choose a smaller vocabulary, or give more text"
    )


def too_small(wanted: int, least: int) -> TokenizerError:
    """What to say when not even the characters fit."""
    return TokenizerError(
        f"a vocabulary of {wanted:,} is too small: single characters and special tokens alone "
        f"take {least:,}"
    )
