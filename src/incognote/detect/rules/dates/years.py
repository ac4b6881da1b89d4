"""Years, decades, seasons with a year, quarters, fiscal and school years."""

from __future__ import annotations

from collections.abc import Iterator

from incognote.detect.note_index import NoteIndex
from incognote.detect.pattern import FigurePattern, Pattern
from incognote.detect.rules.dates.context import (
    APOSTROPHE,
    DASH,
    DATE_BEFORE,
    DOSE_UNITS,
    GAP,
    SPACE,
    YEAR,
    Around,
    around,
    date,
    folded,
    with_vague_part,
    words,
)
from incognote.detect.rules.engine import Finding
from incognote.knowledge.calendar import DECADES_READ, SEASONS_READ

_YEAR_ALONE = FigurePattern(
    r"[12](?<![\w.,/:$#@+*=^<>]\d)[089]\d\d(?!\w|[.,]\d|[/:]|%|°)", digits=[4]
)
_SECOND_YEAR = Pattern(rf"{DASH}(?P<year>\d\d)(?![\w%]|[-/.:]\d)")
_LATER_YEAR = Pattern(rf"{DASH}(?:{YEAR}|\d\d)\b")
_DATE_JUST_BEFORE = Pattern(r"[/-]\d{2,4}[ ,@]{1,3}$")
_YEAR_RANGE_AS_ONE = Pattern(
    rf"[-–/](?:{YEAR}|\d\d)(?=\s{{1,3}}(?:school|academic|flu|season|fiscal)\b)"
)
_APOSTROPHE_YEAR = Pattern(
    rf"{APOSTROPHE}(?<![\w'’\"”]{APOSTROPHE})\d\d(?:{APOSTROPHE}?s)?"
    rf"(?![\w\"”]|{APOSTROPHE}(?!s)|[.,:/]\d|{SPACE}?(?:ft|feet|inch))"
)
_DECADE = FigurePattern(
    rf"[12](?<![\w.,/]\d)[089]\d0{APOSTROPHE}?s(?!\w)", digits=[4], then="[s'’‘`´]"
)
_SHORT_DECADE = FigurePattern(
    rf"[2-9](?<![\w.,/-]\d)0{APOSTROPHE}?s(?![\w]|[-/]\d)", digits=[2], then="[s'’‘`´]"
)
_BEFORE_DECADE = folded(
    r"""
    \b(?:in|during|through|thru|since|from|until|till|by|around|(?P<of>of)|and|to|throughout){GAP}
    (?:the{GAP}|(?:the{GAP})?(?:(?:early|mid|late)(?:{GAP}|-)(?:to{GAP}(?:mid|late)(?:{GAP}|-))?))$
    """.replace("{GAP}", GAP)
)
_NOT_A_DECADE = folded(
    r"""\b(?:his|her|their|your|my|sats?|spo2|o2|hr|bp|sbps?|dbps?|maps?|rates?|temps?|glucose
    |sugars?|bgs?|fsbg|fsbs|cbg|inr|weights?|pressures?|systolics?|systolic|diastolic|pulse
    |heart|saturat\w{1,5}|age[ds]?|high|low|upper|degrees|iq|percentile|hct|bpm|resting|kg|lbs?
    |ages|ran|running|patients?|readings?|pt|man|woman|male|female|[mf])\b"""
)
_SEASON = folded(
    rf"""
    (?:spring|summer|fall|autumn|winter)(?:{GAP}of|,)?{GAP}(?:{YEAR}|{APOSTROPHE}\d\d)(?!\w)
    |(?:spring|summer|autumn|winter)[ ]\d\d(?=[.,;)]|\s*$)
    """
)
_QUARTER = folded(
    rf"""
    Q[1-4]{SPACE}?(?:of{GAP})?[-/]?(?:FY)?(?:{YEAR}|{APOSTROPHE}\d\d|(?<=\d)[-/ ]?\d\d)(?!\w|[.,]\d)
    |[FAS]Y{SPACE}?(?:{YEAR}|{APOSTROPHE}?\d\d)(?:[-/](?:{YEAR}|\d\d))?(?!\w|[.,]\d)
    """
)
_QUARTER_AFTER_NUMBER = folded(rf"Q{SPACE}?(?:{YEAR}|{APOSTROPHE}?\d\d)(?!\w|[.,]\d)")
_QUARTER_NUMBER = Pattern(r"(?<![^\W_])[1-4]$")
_QUARTER_OF_YEAR = folded(rf"quarter{GAP}(?:of{GAP})?{YEAR}(?!\w)")
_WHICH_QUARTER = folded(rf"(?:first|second|third|fourth|last|1st|2nd|3rd|4th){GAP}$")
_YEAR_BEFORE_SEASON = Pattern(rf"(?<![\w/.-]){YEAR} $")
_TWO_DIGITS = FigurePattern(
    rf"[06-9](?<![\w.,/:'’-]\d)\d(?:{DASH}[06-9]\d)?(?!\w|[./:]\d)(?=\s*(?:[,;.)]|$|and\b|but\b))",
    digits=[2],
    then=rf"\s(?:[\s,;.)ab]|\Z)|[,;.)]|\Z|{DASH}\d",
)
_TWO_DIGITS_AFTER = folded(
    r"\b(?:quit|sober[ ]since|clean[ ]since|class[ ]of|since|relapsed?|retired|in)[ ]$"
)
YEAR_HEADS = SEASONS_READ | DECADES_READ | words("q fy ay sy quarter")

_YEAR_CUE = words(
    """
    in since from until till til around circa ca. c. c year of by early late mid before after
    during through thru to between and or the class winter summer spring fall autumn about
    approximately approx yob sometime again last back prior age model
    thanksgiving christmas easter halloween day eve
    """
) | frozenset(DATE_BEFORE)
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


def year_word_at(text: str, start: int, end: int) -> Iterator[Finding]:
    """Dated seasons, quarters and fiscal years, and decades in words, from their word on."""
    word = text[start:end].lower()
    if word in DECADES_READ:
        yield from _decade(text, start, end)
    elif word in SEASONS_READ:
        dated = _SEASON.match(text, start)
        year = _YEAR_BEFORE_SEASON.search(text, max(0, start - 6), start)
        if dated:
            yield date(start, dated.end(), 0.9)
        elif year and word != "fall":
            yield date(year.start(), end, 0.85)
    elif word == "quarter":
        left = text[max(0, start - 8) : start]
        which, whole = _WHICH_QUARTER.search(left), _QUARTER_OF_YEAR.match(text, start)
        if which and whole:
            yield date(start - len(left) + which.start(), whole.end(), 0.9)
    else:
        numbered = _QUARTER_NUMBER.search(text, max(0, start - 2), start) is not None
        match = (_QUARTER_AFTER_NUMBER if numbered else _QUARTER).match(text, start)
        if match:
            yield date(start - numbered, match.end(), 0.9)


def years(note: NoteIndex) -> Iterator[Finding]:
    """Years and decades in digits."""
    text = note.text
    for match in _DECADE.find(note):
        yield date(with_vague_part(text, match.start()), match.end(), 0.9, "year")
    for match in _APOSTROPHE_YEAR.find(note):
        if not _counts(text, match.end()):
            yield date(*match.span(), 0.85, "year")
    for match in _SHORT_DECADE.find(note):
        yield from _decade(text, *match.span())
    yield from _years_of_four_digits(note)
    for match in _TWO_DIGITS.find(note):
        if _TWO_DIGITS_AFTER.search(text, max(0, match.start() - 14), match.start()):
            yield date(match.start(), match.start() + 2, 0.6, "year")
            if match.end() > match.start() + 2:
                yield date(match.end() - 2, match.end(), 0.6, "year")


def _counts(text: str, end: int) -> bool:
    return around(text, end, end).next.rstrip(".") in DOSE_UNITS


def _decade(text: str, start: int, end: int) -> Iterator[Finding]:
    """The 80s: a decade, unless a vital sign, an age or a tablet is spoken of."""
    line = text[max(0, start - 60) : start].rpartition("\n")[2]
    before = _BEFORE_DECADE.search(line)
    if not before or (before["of"] and text[start].isdigit()):
        return
    if not _NOT_A_DECADE.search(line):
        yield date(start, end, 0.7, "year")


def _years_of_four_digits(note: NoteIndex) -> Iterator[Finding]:
    text = note.text
    ended = -2
    for match in _YEAR_ALONE.find(note):
        start, end = match.span()
        before = text[start - 1 : start]
        in_range = before in ("-", "–", "—") and ended == start - 1
        if not in_range and _weight(text, start, end) < _NEEDED:
            continue
        ended = end
        whole = _YEAR_RANGE_AS_ONE.match(text, end)
        if whole:
            yield date(start, whole.end(), 0.9, "year")
            continue
        yield date(start, end, 0.85, "year")
        second = _SECOND_YEAR.match(text, end)
        if second and _follows(match[0], second["year"]):
            yield date(*second.span("year"), 0.8, "year")


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
