"""Finds identifiers by the label before them: `MRN: 307-74-18`, `acct UQ-553190`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from incognote.detect.rules.identifier_value import (
    any_value,
    quantity,
    repeats,
    value_end,
)
from incognote.document import Span

LINK = (
    r"(?:[ \t\xa0._*]{0,60}+(?:\((?:[A-Za-z]{2,10} ?){1,2}\)|#|:|=|\||~|\^|/(?=[ \d])|-{1,2}|[–—(\[\"]"
    r"|'(?=[A-Z\d])"
    r"|n(?:o|um|r)s?\b(?!-)\.?|numbers?\b|ids?\b(?!/)|i\.d\.|is\b|was\b|ends\b|ending\b|in\b(?= ))){0,5}"
    r"[ \t\xa0._*]{0,60}+(?:(?<=[:.#])\r?\n[ \t]{0,40}+)?"
)
"""What may stand between a label and its value."""

_BLANK = r"(?:[ \t\xa0.]{1,3}+)"


@dataclass(frozen=True)
class Labels:
    """Words that announce an identifier, and which values they announce.

    `words` are regular expressions, tried in order without regard to case, in which a space
    stands for any blanks (`\\x20` for a space in a class); `(?-i:FIN)` asks for capitals.
    `spaced` takes values in groups set apart by spaces.
    """

    type: str
    words: Sequence[str]
    accepts: Callable[[str], bool] = any_value
    score: float = 0.9
    spaced: bool = False


def labelled(groups: Sequence[Labels], source: str) -> Callable[[str], Iterator[Span]]:
    """A finder for several groups of labels in one pass over the note."""
    alternatives = "|".join(f"({'|'.join(group.words)})" for group in groups)
    pattern = re.compile(
        rf"(?<![^\W_])(?:{alternatives.replace(' ', _BLANK)})(?:(?<=#)|(?![A-Za-z])){LINK}(?=[A-Za-z0-9])",
        re.IGNORECASE,
    )

    def find(text: str) -> Iterator[Span]:
        for match in pattern.finditer(text):
            group = groups[(match.lastindex or 1) - 1]
            start = match.end()
            end = value_end(text, start, spaced=group.spaced)
            if end == start or not group.accepts(text[start:end]) or quantity(text, start, end):
                continue
            for first, last in ((start, end), *repeats(text, start, end)):
                yield Span.of(text, first, last, group.type, score=group.score, source=source)

    return find
