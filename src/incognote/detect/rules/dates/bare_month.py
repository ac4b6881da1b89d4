"""A month named alone: June is a month, but "may", "march", MAR and Ms. June are not."""

from __future__ import annotations

from typing import NamedTuple

from incognote.detect.pattern import Pattern
from incognote.detect.rules.dates.calendar import FULL_MONTHS, SHORT_MONTHS, with_vague_part
from incognote.detect.rules.dates.context import TITLES, Around, around, words

HEADS = frozenset(f"{FULL_MONTHS}|{SHORT_MONTHS}".lower().split("|"))

_MONTH_BEFORE = words(
    """
    in since last this next by until till til of from through thru before after during early late
    mid each every for around about to between past previous prior and or our the shot due start
    started starting began begins beginning end ending back again ago seen sent visit fall scan
    labs done given first second third around dob lmp edd quit both mid- expected approx
    """
)
RELATIVE = words(
    "in since last this next by until till til of from through thru before after during early late"
)
_BEFORE_MAY = words("mid each every about around due approx")
_PLAIN_MONTHS = words(
    """
    january february july september october november december janurary januray febuary feburary
    septmber ocotber novemeber decemeber septembre octobre novembre décembre janvier février
    fevrier avril juin juillet août septiembre octubre noviembre diciembre enero febrero abril
    """
)
_ALSO_VERBS = words("may march mar dec august")
_ALSO_ABBREVIATIONS = words("mar dec sep oct apr jan")
_ALSO_WORDS_OR_NAMES = words("mar dec jan jun")
_VERB_AFTER = words(
    """
    be need have not also take return add use require benefit bear leave help advance consider
    include represent resume shower well i we he she they you it in place up down on fracture
    start try go come get continue repeat wean cause indicate reflect show eat drive
    concern still take want consult give call see dc d/c
    """
)
_FIRST_WORD = Pattern(r"[^\W\d_]+")
_CLAUSE_END = words(": , ; . ) → / - –")
_PRONOUNS = words("he she they we i it in on")


class Month(NamedTuple):
    """The name of a month where it stands; `end` takes in the full stop of an abbreviation."""

    start: int
    name_end: int
    end: int
    name: str


def month_alone(text: str, month: Month) -> bool:
    """Whether a bare month name is the month, not a word, a name or an abbreviation."""
    lower = month.name.lower()
    before, after = text[month.start - 1 : month.start], text[month.end : month.end + 1]
    if before == "-" and text[month.start - 2 : month.start - 1].isupper():
        return False
    following = _FIRST_WORD.match(text, month.end + 1)
    if following and after in ("-", "–") and following[0].lower() in HEADS:
        return True
    if following and after in ("-", "'", "’", "@", "_") and lower not in _PLAIN_MONTHS:
        return False
    context = around(text, month.start, month.end)
    if context.previous in TITLES:
        return False
    if lower in _PLAIN_MONTHS:
        return True
    introduced = context.previous in RELATIVE
    if lower in _ALSO_VERBS and context.next in _VERB_AFTER and not introduced:
        return False
    if with_vague_part(text, month.start) < month.start:
        return True
    if lower == "may":
        return _is_may(month.name, context, before)
    cue = context.previous in _MONTH_BEFORE or context.above in RELATIVE
    if lower == "march":
        inside = month.name == "March" and not context.line_start and context.previous not in ".;"
        return introduced if month.name == "march" else cue or inside
    if lower in ("april", "june", "august"):
        return month.name != "august" or cue
    return _is_abbreviated_month(month, context, cue)


def _is_may(name: str, context: Around, before: str) -> bool:
    if name == "may":
        return False
    if before in ("/", "-"):
        return name == "May"
    introduced = context.previous in RELATIVE or context.previous in _BEFORE_MAY
    return introduced and context.next not in _VERB_AFTER - _PRONOUNS


def _is_abbreviated_month(month: Month, context: Around, cue: bool) -> bool:
    lower = month.name.lower()
    if month.name.islower():
        return context.previous in RELATIVE and lower not in ("dec", "mar", "sep")
    if month.name.isupper() and lower in _ALSO_ABBREVIATIONS:
        return context.previous in RELATIVE - {"by", "of", "from", "in"}
    if month.name.istitle() and lower in _ALSO_WORDS_OR_NAMES:
        ends = context.line_end or month.end > month.name_end or context.next in _CLAUSE_END
        return cue or ends
    return True
