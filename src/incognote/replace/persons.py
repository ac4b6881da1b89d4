"""Which mentions in a note are of one person or one value, for numbered tags."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from incognote.document import Span

NAMES = frozenset({"PATIENT", "DOCTOR"})
_WORD = re.compile(r"[^\W_]+")


def number_mentions(spans: Iterable[Span]) -> dict[tuple[str, str], int]:
    """From (type, text) to a number per type, counted from 1 in order of first mention.

    Two names are one person when each word of the shorter is a word of the longer, or its
    initial: "OKAFOR, NGOZI A.", "Ms. Okafor" and "N.O." agree. A mention that fits several
    persons goes with the one named first. Other values agree when their letters and digits do.
    """
    numbers: dict[tuple[str, str], int] = {}
    by_type: dict[str, list[str]] = {}
    for span in spans:
        texts = by_type.setdefault(span.type, [])
        if (span.type, span.text) not in numbers:
            numbers[span.type, span.text] = 0
            texts.append(span.text)
    for type, texts in by_type.items():
        groups = _persons(texts) if type in NAMES else [_words(text) for text in texts]
        first: dict[tuple[str, ...], int] = {}
        for text, group in zip(texts, groups, strict=True):
            numbers[type, text] = first.setdefault(group, len(first) + 1)
    return numbers


def _words(text: str) -> tuple[str, ...]:
    plain = unicodedata.normalize("NFKD", text)
    plain = "".join(character for character in plain if not unicodedata.combining(character))
    words = tuple(_WORD.findall(plain.casefold()))
    return words or (text,)


def _persons(texts: list[str]) -> list[tuple[str, ...]]:
    """The fullest name that each text agrees with, as words."""
    names = [_words(text) for text in texts]
    fullest: list[tuple[str, ...]] = []
    for words in sorted(names, key=lambda words: -sum(map(len, words))):
        if not any(_agrees(words, other) for other in fullest):
            fullest.append(words)
    order = {words: place for place, words in enumerate(names)}
    fullest.sort(key=lambda words: order[words])
    return [next(other for other in fullest if _agrees(words, other)) for words in names]


def _agrees(words: tuple[str, ...], fuller: tuple[str, ...]) -> bool:
    """Whether each word is one of `fuller`'s, or the initial of one, none used twice."""
    left = list(fuller)
    for word in sorted(words, key=len, reverse=True):
        match = next((other for other in left if other == word), None)
        if match is None and len(word) == 1:
            match = next((other for other in left if other[0] == word), None)
        if match is None:
            return False
        left.remove(match)
    return True
