"""A day of the month by its number alone: "on the 15th", "dated 30th ult."."""

from __future__ import annotations

from collections.abc import Iterator

from incognote.detect.pattern import FigurePattern
from incognote.detect.reading import Reading
from incognote.detect.rules.dates.calendar import GAP, Hit, folded
from incognote.detect.rules.dates.holidays import sunday_of_season

_ORDINAL = FigurePattern(
    r"\d(?<![\w.,/-]\d)\d?(?:st|nd|rd|th|ST|ND|RD|TH)(?!\w)",
    needs=frozenset({"st", "nd", "rd", "th"}),
    digits=[1, 2],
    then="[snrtSNRT]",
)
_INTRODUCED = folded(
    rf"""
    \b(?:on|by|until|till|til|since|before|after|from|through|thru|to|around|is|be
        |(?:week|wk|morning|night|evening|afternoon|day)[ ]of){GAP}the{GAP}$
    """
)
_DATED = folded(rf"\bdated{GAP}(?:the{GAP})?$")
_WITHOUT_THE = folded(
    rf"\b(?:until|till|til|since|due|from|on|by|before|after|(?:week|wk|email|letter)[ ]of(?:{GAP}the)?){GAP}$"
)
_CLOSES = folded(r"[ ]?(?:[.,;)!?]|$|\r?\n)")
_AFTER_A_BREAK = folded(rf"[;,:-]{GAP}the{GAP}$")
_COMPARED = folded(
    rf"\b(?:compared|relative|adjacent|lateral|medial|distal|next|close){GAP}to{GAP}the{GAP}$"
)
_CLAUSE_END = folded(
    r"""[ ]?(?:[.,;:)!?]|$|[-–]|\r?\n|w/|(?:and|or|at|but|with|he|she|it|they|we|if|for|pls|please
    |because|after|before|when|as|which|who|unless|so|then|did|is|was|will|in|via|seen)\b)"""
)
_IT_IS = folded(rf"{GAP}(?:it|is|was|at|works)\b")
_LEFT = 24


def day_ordinals(note: Reading) -> Iterator[Hit]:
    """Ordinals that the words around them make days of the month."""
    text = note.text
    for match in _ORDINAL.find(note):
        start, end = match.span()
        sunday = sunday_of_season(text, start)
        if sunday:
            yield sunday
            continue
        if not 1 <= int(match[0][:-2]) <= 31:
            continue
        left = text[max(0, start - _LEFT) : start]
        if (
            _DATED.search(left)
            or (_AFTER_A_BREAK.search(left) and _IT_IS.match(text, end))
            or (_introduced(left) and _CLAUSE_END.match(text, end))
            or (_WITHOUT_THE.search(left) and _CLOSES.match(text, end))
        ):
            yield Hit(start, end, 0.7, "day")


def _introduced(left: str) -> bool:
    return _INTRODUCED.search(left) is not None and _COMPARED.search(left) is None
