"""Years, decades, seasons with a year, quarters, fiscal and school years."""

from __future__ import annotations

import re
from collections.abc import Iterator

from incognote.detect.rules.dates_calendar import APOSTROPHE, DASH, GAP, SPACE, YEAR, Hit, folded
from incognote.detect.rules.dates_context import DATE_BEFORE, DOSE_UNITS, Around, around, words

_YEAR_ALONE = re.compile(
    r"[12](?<![\w.,/:$#@+*=^<>]\d)[089]\d\d(?!\w|[.,]\d|[/:]|%|°)"
)
_SECOND_YEAR = re.compile(rf"{DASH}(?P<year>\d\d)(?![\w%]|[-/.:]\d)")
_LATER_YEAR = re.compile(rf"{DASH}(?:{YEAR}|\d\d)\b")
_DATE_JUST_BEFORE = re.compile(r"[/-]\d{2,4}[ ,@]{1,3}$")
_YEAR_RANGE_AS_ONE = re.compile(
    rf"(?<![\w.,/-]){YEAR}[-–/](?:{YEAR}|\d\d)(?=\s{{1,3}}(?:school|academic|flu|season|fiscal)\b)"
)
_APOSTROPHE_YEAR = re.compile(
    rf"(?<![\w'’\"”\d]){APOSTROPHE}(?P<digits>\d\d)(?P<decade>{APOSTROPHE}?s)?"
    rf"(?![\w\"”]|{APOSTROPHE}(?!s)|[.,:/]\d|{SPACE}?(?:ft|feet|inch))"
)
_DECADE = folded(
    rf"""(?<![\w.,/-])(?P<decade>(?:(?:mid|early|late)(?:-|{GAP}))?(?:1[89]|20)\d0{APOSTROPHE}?s)(?!\w)"""
)
_SHORT_DECADE = folded(
    rf"""
    \b(?:in|during|through|thru|since|from|until|till|by|around|of|and|to|throughout){GAP}
    (?:the{GAP}|(?:the{GAP})?(?:(?:early|mid|late)(?:{GAP}|-)(?:to{GAP}(?:mid|late)(?:{GAP}|-))?))
    (?P<decade>(?:(?<!of[ ]the[ ])[2-9]0{APOSTROPHE}?s|{APOSTROPHE}[0-9]0s|twenties|thirties|forties|fifties|sixties
      |seventies|eighties|nineties))(?!\w|[-/]\d)
    """
)
_NOT_A_DECADE = folded(
    r"""\b(?:his|her|their|your|my|sats?|spo2|o2|hr|bp|sbps?|dbps?|maps?|rates?|temps?|glucose
    |sugars?|bgs?|fsbg|fsbs|cbg|inr|weights?|pressures?|systolics?|systolic|diastolic|pulse
    |heart|saturat\w{1,5}|age[ds]?|high|low|upper|degrees|iq|percentile|hct|bpm|resting|kg|lbs?
    |ages|ran|running|patients?|readings?|pt|man|woman|male|female|[mf])\b"""
)
_SEASON = folded(
    rf"""
    (?<!\w)(?:(?:spring|summer|fall|autumn|winter)(?:{GAP}of|,)?{GAP}(?:{YEAR}|{APOSTROPHE}\d\d)
    |(?:spring|summer|autumn|winter)[ ]\d\d(?=[.,;)]|\s*$))(?!\w)
    |(?<!\w){YEAR}{GAP}(?:spring|summer|autumn|winter)(?!\w)
    """
)
_QUARTER = folded(
    rf"""
    (?<![\w/]) (?: Q[1-4]{SPACE}?(?:of{GAP})?[-/]?(?:FY)?(?:{YEAR}|{APOSTROPHE}\d\d|(?<=\d)[-/ ]?\d\d)
      | [1-4]Q{SPACE}?(?:{YEAR}|{APOSTROPHE}?\d\d)
      | (?:first|second|third|fourth|last|1st|2nd|3rd|4th){GAP}quarter{GAP}(?:of{GAP})?{YEAR}
      | [FAS]Y{SPACE}?(?:{YEAR}|{APOSTROPHE}?\d\d)(?:[-/](?:{YEAR}|\d\d))?
    )(?![\w]|[.,]\d)
    """
)
_YEAR_OF_TWO_DIGITS = folded(
    rf"""\b(?:quit|sober[ ]since|clean[ ]since|class[ ]of|since|relapsed?|retired|in){SPACE}
    (?P<year>0\d|[6-9]\d)(?:{DASH}(?P<second>0\d|[6-9]\d))?
    (?=\s*(?:[,;.)\n]|$|and\b|but\b)\s?(?!\d))"""
)

_YEAR_CUE = words(
    """
    in since from until till til around circa ca. c. c year of by early late mid before after
    during through thru to between and or the class winter summer spring fall autumn about
    approximately approx yob sometime again last back prior age model
    thanksgiving christmas easter halloween day eve
    """
) | frozenset(DATE_BEFORE)
_CLOCK_CUE = words("at @ time between hours hrs hr q by from to until till til rn phone around")
_VALUE_BEFORE = words(
    """
    d d2 d3 vitamin vit ferritin bnp probnp nt-probnp wbc plt platelets ck cpk trop troponin hcg
    bhcg uop i/o in's ivf ebl urine output flow dose heparin units mg max goal calpro
    calprotectin dlp cd4 vl volume fluid restriction diet ada kcal calories sodium na
    room rm ext bldg suite box building apt unit score lot model ref cpt hcpcs code form
    metformin amoxicillin vancomycin cefazolin ceftriaxone keppra levetiracetam acyclovir
    valacyclovir apap acetaminophen tylenol approximately~ total net bolus ldh tg trig triglycerides
    lipase ast alt ggt cea psa afp b12 folate ige crp rate
    """
)
_NEARBY_CUE = words("since in around until")
_CLAUSE_END = words(", ; . )")
_NEEDED = 1.0


def years(text: str) -> Iterator[Hit]:
    """Every year, decade, dated season, quarter, fiscal and school year."""
    for pattern, kind in ((_SEASON, "day"), (_QUARTER, "day"), (_YEAR_RANGE_AS_ONE, "year")):
        for match in pattern.finditer(text):
            yield Hit(*match.span(), 0.9, kind)
    for match in _DECADE.finditer(text):
        yield Hit(*match.span("decade"), 0.9, "year")
    for match in _APOSTROPHE_YEAR.finditer(text):
        if _counts(text, match.end()):
            continue
        yield Hit(*match.span(), 0.85, "year")
    yield from _decades_without_century(text)
    yield from _years_of_four_digits(text)
    for match in _YEAR_OF_TWO_DIGITS.finditer(text):
        for group in ("year", "second"):
            if match[group]:
                yield Hit(*match.span(group), 0.6, "year")


def _counts(text: str, end: int) -> bool:
    return around(text, end, end).next.rstrip(".") in DOSE_UNITS


def _decades_without_century(text: str) -> Iterator[Hit]:
    """The 80s: a decade, unless a vital sign or an age is spoken of."""
    for match in _SHORT_DECADE.finditer(text):
        line = text[max(0, match.start() - 40) : match.start()].rpartition("\n")[2]
        if not _NOT_A_DECADE.search(line):
            yield Hit(*match.span("decade"), 0.7, "year")


def _years_of_four_digits(text: str) -> Iterator[Hit]:
    ended = -2
    for match in _YEAR_ALONE.finditer(text):
        start, end = match.span()
        before = text[start - 1 : start]
        in_range = before in ("-", "–", "—") and ended == start - 1
        if not in_range and _weight(text, start, end) < _NEEDED:
            continue
        ended = end
        yield Hit(start, end, 0.85, "year")
        second = _SECOND_YEAR.match(text, end)
        if second and _follows(match[0], second["year"]):
            yield Hit(*second.span("year"), 0.8, "year")


def _follows(year: str, short: str) -> bool:
    """1991-93 and 2003-04 are ranges; 2019-05 is left to the numeric rules."""
    later = (int(short) - int(year)) % 100
    return 1 <= later <= 25 and (int(short) > 12 or later == 1 or year < "2000")


def _weight(text: str, start: int, end: int) -> float:
    context = around(text, start, end)
    year = int(text[start:end])
    weight = _of_year(year)
    before, after = text[start - 1 : start], text[end : end + 1]
    if before and before in "-–—" and text[start - 2 : start - 1].isalnum():
        weight -= 2.5
    if after and after in "-–—" and text[end + 1 : end + 2].isalnum():
        weight += 1.5 if _LATER_YEAR.match(text, end) else -1.5
    elif _DATE_JUST_BEFORE.search(text, max(0, start - 8), start) and year % 100 < 60:
        weight -= 2.5
    if before == "(" or after == ")":
        weight += 0.7
    return weight + _of_words(context, year)


def _of_year(year: int) -> float:
    """How readily the number is a year rather than a clock time, a dose or a count."""
    if year % 100 >= 60:
        return 1.5 if 1960 <= year <= 1999 else -0.4 if year < 1900 else -2.0
    if year == 2000:
        return -0.2
    if 2001 <= year <= 2029:
        return 1.2
    if 1920 <= year <= 1959:
        return 0.3
    return -0.3 if 1900 <= year <= 2035 else -1.5


def _of_words(context: Around, year: int) -> float:
    weight = 0.0
    previous = context.previous
    word = context.previous_word
    next_word = context.next.rstrip(".")
    clock = year % 100 < 60
    if next_word in DOSE_UNITS or next_word in ("x", "q", "kcal"):
        weight -= 3.0
    if previous in ("at", "@") and clock:
        weight -= 3.0
    elif previous in ("<", ">", "=", "#", "$", "+", "~") or word in _VALUE_BEFORE:
        weight -= 2.5
    elif previous in _YEAR_CUE:
        weight += 1.5
    elif previous.isdigit() and clock and not 1940 <= int(previous) <= 2035:
        weight -= 1.5
    elif _NEARBY_CUE & set(context.before[1:3]):
        weight += 1.2
    if next_word in _CLAUSE_END:
        weight += 0.7
    if context.line_start and clock and not context.above:
        weight -= 1.0
        if next_word[:1].isalpha() or next_word.isdigit():
            weight -= 0.7
    return weight
