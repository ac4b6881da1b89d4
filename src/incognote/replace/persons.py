"""Which mentions in a note are of one person or one value, for numbered tags."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from itertools import combinations, product

from incognote.document import Span

NAMES = frozenset({"PATIENT", "DOCTOR"})
_WORD = re.compile(r"[^\W_]+")
_SAID = 8
"""Names of more words are not looked up by two of them."""
_NOBODY: list[tuple[str, ...]] = []


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
    fullest: dict[tuple[str, ...], None] = {}
    so_far = _Index()
    for words in sorted(dict.fromkeys(names), key=lambda words: -sum(map(len, words))):
        if so_far.first(words) is None:
            fullest[words] = None
            so_far.add(words)
    index = _Index()
    for words in dict.fromkeys(names):
        if words in fullest:
            index.add(words)
    return [index.first(words) or words for words in names]


class _Index:
    """Names by their words, by their initials, and by two of those together.

    So that a name is compared with the few that have all it says, not with all.
    """

    def __init__(self) -> None:
        self._names: dict[tuple[str, ...], list[tuple[str, ...]]] = defaultdict(list)

    def add(self, words: tuple[str, ...]) -> None:
        """Make a name found."""
        said = [(word, word[:1]) for word in words[:_SAID]]
        keys: set[tuple[str, ...]] = {(each,) for word in words for each in (word, word[:1])}
        for (first, initial), (second, other) in combinations(said, 2):
            pairs = product((first, initial), (second, other))
            keys |= {(min(pair), max(pair)) for pair in pairs}
        for key in keys:
            self._names[key].append(words)

    def first(self, words: tuple[str, ...]) -> tuple[str, ...] | None:
        """The first name added that a name agrees with."""
        keys: list[tuple[str, ...]] = [(word,) for word in words]
        if len(words) <= _SAID:
            keys += ((min(pair), max(pair)) for pair in combinations(words, 2))
        found = min((self._names.get(key, _NOBODY) for key in keys), key=len)
        return next((other for other in found if _agrees(words, other)), None)


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
