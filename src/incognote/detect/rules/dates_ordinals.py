"""A day of the month by its number alone: "on the 15th", "dated the 30th"."""

from __future__ import annotations

from collections.abc import Iterator

from incognote.detect.rules.dates_calendar import DAY, GAP, ORDINAL, Hit, folded

_ON_THE = folded(
    rf"""
    \b(?:on|by|until|till|til|since|before|after|from|through|thru|to|dated|around|is|be
        |(?:week|wk|morning|night|evening|afternoon|day)[ ]of|eve[ ]of)
    {GAP}the{GAP}(?P<day>{DAY}{ORDINAL})
    (?=[ ]?(?:[.,;:)!?]|$|[-–]|\r?\n|(?:and|or|at|but|w/|with|he|she|it|they|we|if|for|pls|please
        |because|after|before|when|as|which|who|unless|so|then|did|is|was|will|in|via|seen|,)\b|w/))
    """
)
_THE_IT_IS = folded(rf"(?:;|,|:|-){GAP}the{GAP}(?P<day>{DAY}{ORDINAL})(?={GAP}(?:it|is|was|at|works)\b)")
_DATED = folded(rf"\bdated{GAP}(?:the{GAP})?(?P<day>{DAY}{ORDINAL})(?!\w)")
_PART_OF_BODY_BEFORE = folded(r"(?:compared|relative|adjacent|lateral|medial|distal|next|close)$")


def day_ordinals(text: str) -> Iterator[Hit]:
    """Ordinals that the words around them make days of the month."""
    for pattern in (_ON_THE, _THE_IT_IS, _DATED):
        for match in pattern.finditer(text):
            if not _PART_OF_BODY_BEFORE.search(text[max(0, match.start() - 12) : match.start()].rstrip()):
                yield Hit(*match.span("day"), 0.7, "day")
