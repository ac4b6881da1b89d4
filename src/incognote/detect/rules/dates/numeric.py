"""Dates in digits that say their year: 3/14/2019, 2019-03-14, 3.14.19, 10/2014, 20190314."""

from __future__ import annotations

from collections.abc import Iterator

from incognote.detect.pattern import FigurePattern, Pattern
from incognote.detect.reading import Reading
from incognote.detect.rules.dates.calendar import (
    Hit,
    full_year,
    month_and_day,
    plausible_year,
)
from incognote.detect.rules.dates.context import DOSE_UNITS, around, words
from incognote.detect.rules.dates.numbers import Joined

_ROMAN = FigurePattern(
    r"\d(?<![\w.]\d)\d?([./-])(?:I{1,3}|IV|VI{0,3}|IX|XI{0,2})\1(?:1[89]|20)\d\d(?!\d)",
    digits=[1, 2],
    then="[./-][IVX]",
)
_YEAR_FIRST = FigurePattern(
    r"(?P<date>[12](?<![\w.,/#$:-]\d)[09]\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01]))"
    r"(?:(?:[01]\d|2[0-3])[0-5]\d(?:[0-5]\d)?(?:[.+-]\d{1,4})?)?(?![\w-]|\.\d)",
    digits=[8, 12, 14],
)
_YEAR_LAST = FigurePattern(
    r"[01](?<!\d\d)(?<![.,/#$-]\d)\d(?:0[1-9]|[12]\d|3[01])(?:19|20)?\d\d(?!\d)", digits=[6, 8]
)
_LABEL_BEFORE = Pattern(
    r"(?i)(?<![^\W_])(?:dob|dos|doa|dod|dt|dd|date|adm|admit|disch|seen|exp|coll(?:ected)?)"
    r"(?:[ ]of[ ](?:birth|service))?\s?[:=]?\s?$"
)
_AGE_AND_SEX_AFTER = Pattern(r"\s{1,3}\d{1,3}\s?(?:y/?o?\s?)?[MF]\b")
_RANGE_START = Pattern(r"(?:[/.'’-]\d{1,4}|\d)\s?[-–]\s?$")

_TRIPLET_BEFORE = words(
    """
    pca hpv version ver v software firmware fw build section sec § icd cpt ratio ports port hla
    apgar apgars vent settings abg vbg gas epidural basal ortho-novum tri-norinyl triphasil
    accession lot catalog part spetzler humalog novolog carb carbs icr isf insulin lispro
    aspart breakfast sets reps levels pressures shifts drains drain output outputs
    """
)
_TRIPLET_AFTER = DOSE_UNITS | words("wk wks week weeks day days mos months reps sets ports")
_DOSE_AFTER = words("mg mcg ml cc units meq mmol")
_ID_LABELS = words(
    """
    mrn mr acct account acc accession id no no. number num # case order ref lot serial sn s/n
    unit ein npi csn fin har visit encounter claim policy member group phone tel fax pager ssn
    rx upin dea lic license auth conf confirmation
    """
)


def full_date(text: str, joined: Joined) -> Hit | None:
    """The date that a pair or triple with a year spells, if it spells one."""
    strength = _triple(text, joined) if joined.third else _pair(text, joined)
    if not strength:
        return None
    return Hit(joined.start, joined.end, strength, "day")


def _triple(text: str, joined: Joined) -> float:
    _, _, separator, first, second, third = joined
    if not second.isdigit():
        return 0.0
    if len(first) == 4:
        fits = len(third) <= 2 and len(second) <= 2 and plausible_year(int(first))
        fits = fits and month_and_day(int(second), int(third))
        return (0.7 if separator == " " else 0.97) if fits else 0.0
    if len(first) > 2 or len(second) > 2 or len(third) not in (2, 4):
        return 0.0
    if not (month_and_day(int(first), int(second)) and plausible_year(full_year(third))):
        return 0.0
    if len(third) == 4:
        return 0.97
    context = around(text, joined.start, joined.end)
    if context.previous_word.rstrip(".") in _TRIPLET_BEFORE or context.next == "ports":
        return 0.0
    if separator == "/":
        return 0.0 if context.next in _DOSE_AFTER else 0.93
    before = text[joined.start - 1 : joined.start]
    loose_dash = before != "" and before in "-–" and not _range(text, joined)
    if (
        context.next.rstrip(".") in _TRIPLET_AFTER
        or before.isupper()
        or before == "#"
        or loose_dash
    ):
        return 0.0
    return 0.85


def _pair(text: str, joined: Joined) -> float:
    """10/2014, 9/'03, 2026-04 and the end of 3/14-16/2019."""
    _, _, separator, first, second, _ = joined
    if separator == ".":
        return 0.0
    before = text[joined.start - 1 : joined.start]
    if before and before in "-–" and not _range(text, joined):
        return 0.0
    if len(second) == 4 and second.isdigit() and len(first) <= 2:
        month = 1 <= int(first) <= 12 or (before != "" and before in "-–" and int(first) <= 31)
        if not (month and 1900 <= int(second) <= 2060):
            return 0.0
        return 0.9 if separator == "/" else 0.0 if before.isalnum() else 0.75
    if not second.isdigit():
        return 0.9 if len(first) <= 2 and len(second) == 3 and 1 <= int(first) <= 12 else 0.0
    if len(first) == 4 and len(second) == 2 and 1900 <= int(first) <= 2060:
        two_years = int(second) == (int(first) + 1) % 100
        return 0.8 if 1 <= int(second) <= 12 and not two_years and not before.isalnum() else 0.0
    return 0.0


def _range(text: str, joined: Joined) -> bool:
    return _RANGE_START.search(text, max(0, joined.start - 12), joined.start) is not None


def compact_dates(note: Reading) -> Iterator[Hit]:
    """Dates without separators: year first, or by their label or the age beside them."""
    text = note.text
    for match in _YEAR_FIRST.find(note):
        start, end = match.span("date")
        context = around(text, start, end)
        labels = {token.rstrip(".") for token in context.before[:3]}
        if not labels & _ID_LABELS and context.next not in _TRIPLET_AFTER:
            yield Hit(start, end, 0.7, "day")
    for match in _YEAR_LAST.find(note):
        start, end = match.span()
        labelled = _LABEL_BEFORE.search(text, max(0, start - 20), start)
        beside_age = end - start == 6 and not text[start - 1 : start].isalnum()
        if labelled or (beside_age and _AGE_AND_SEX_AFTER.match(text, end)):
            yield Hit(start, end, 0.8, "day")
    for match in _ROMAN.find(note):
        yield Hit(*match.span(), 0.9, "day")
